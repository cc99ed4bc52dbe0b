import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SCHEMA_VERSION } from '../compose/schema.ts';
import { INDEX_LAYOUT } from '../index/query/index-fields.ts';
import { VERSION } from '../version.ts';

/** The checkout, or `dist/` of a package. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** `0.1.0 (build 61d269ef, records schema 6, index layout 5, Node 24.14.0)`: what somebody who helps has to know. */
export function versionLine(): string {
  return `${VERSION} (${buildLine()})`;
}

/** The same without the version. */
export function buildLine(): string {
  const build = packageBuild() ?? checkoutBuild(ROOT);
  const parts = [
    ...(build === undefined ? [] : [`build ${build}`]),
    `records schema ${SCHEMA_VERSION}`,
    `index layout ${INDEX_LAYOUT}`,
    `Node ${process.versions.node}`,
  ];
  return parts.join(', ');
}

/** The commit that a checkout is at, with `-dirty` behind it when files differ; undefined outside of one, or without git. */
export function checkoutBuild(root: string): string | undefined {
  if (!existsSync(join(root, '.git'))) return undefined;
  try {
    const args = ['-C', root, 'describe', '--always', '--dirty'];
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** The commit that a package was built of. */
function packageBuild(): string | undefined {
  const file = join(ROOT, 'build.txt');
  return existsSync(file) ? readFileSync(file, 'utf8') || undefined : undefined;
}
