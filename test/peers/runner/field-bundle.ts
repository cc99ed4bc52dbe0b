import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FIELD_BUNDLE } from './agents.ts';

/**
 * The folder of storyboards of a public bundle: an unpacked one, or an archive that `tar` can read, which is unpacked for the
 * time of this process. Without a path, the bundle of the npm package. Throws for a path without a bundle.
 */
export function fieldBundle(path?: string): string {
  if (path === undefined) return FIELD_BUNDLE;
  const root = statSync(path).isDirectory() ? resolve(path) : unpacked(path);
  const folders = [root, ...readdirSync(root).map((name) => join(root, name))];
  const found = folders
    .flatMap((folder) => [join(folder, 'compliance'), folder])
    .find((folder) => existsSync(join(folder, 'index.json')));
  if (found === undefined)
    throw new Error(`no bundle in ${path}: there is no index.json in it or in its folder compliance`);
  return found;
}

function unpacked(archive: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'field-bundle-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { status, stderr, error } = spawnSync('tar', ['-xf', resolve(archive), '-C', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`cannot unpack ${archive}: ${stderr || error?.message}`);
  return folder;
}
