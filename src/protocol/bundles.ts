import { readdirSync, readFileSync } from 'node:fs';
import { isExactVersion } from './versions.ts';

const FOLDER = new URL('../../schemas/protocol/', import.meta.url);

/** The versions of the protocol whose schemas the project ships. */
export function shippedVersions(): readonly string[] {
  return readdirSync(FOLDER).filter(isExactVersion).toSorted();
}

// The shipped files never change while the program runs.
const read = new Map<string, ReadonlyMap<string, Buffer>>();

/**
 * All files of one bundle by their path inside it, byte for byte; read once. `version` is one of `shippedVersions`:
 * whoever asks by another's words looks a path up here, so that no path ever leads outside the folder.
 */
export function readBundle(version: string): ReadonlyMap<string, Buffer> {
  const files = read.get(version) ?? readFiles(new URL(`${version}/`, FOLDER));
  read.set(version, files);
  return files;
}

function readFiles(folder: URL): ReadonlyMap<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.json'))
    .toSorted();
  return new Map(paths.map((path) => [path, readFileSync(new URL(path, folder))]));
}
