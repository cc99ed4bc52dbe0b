import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isExactVersion } from '../../protocol/versions.ts';

const FOLDER = fileURLToPath(new URL('../../../pipelines/storyboards/', import.meta.url));

/** The versions of our own bundle of storyboards. */
export function shippedBundles(): readonly string[] {
  return readdirSync(FOLDER).filter(isExactVersion).toSorted();
}

/** The folder of one of them. */
export function bundleFolder(version: string): string {
  return `${FOLDER}${version}`;
}
