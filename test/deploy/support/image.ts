import {
  chmodSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './compose-file.ts';
import { productionPackages } from './production-packages.ts';

/** The Node of the lock file, which the Dockerfile moves to the PATH. */
const PLATFORM_NODE = /^node_modules\/node-(linux|win)-/;
/** What the Dockerfile deletes from the packages. */
const DELETED = /\.(map|d\.[mc]?ts)$/;

export interface ImageFolder {
  readonly app: string;
  readonly node: string;
  remove(): void;
}

/** Paths that the Dockerfile copies from the project, as [from, to]. */
export function copiedPaths(): [string, string][] {
  const copies = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').matchAll(/^COPY (?!--from)(.+)$/gm);
  return [...copies].flatMap(([, paths = '']) => {
    const words = paths.split(' ');
    const to = words.pop() ?? '.';
    return words.map((from): [string, string] => [from, to === './' ? from : to]);
  });
}

/**
 * Puts the files of the image into a folder, as the Dockerfile does: the project's own, and the packages that
 * `npm ci --omit=dev` installs. Nobody but its owner may write there, and under root the programs of these tests are not.
 */
export function buildImageFolder(): ImageFolder {
  const folder = mkdtempSync(join(tmpdir(), 'registry-image-'));
  chmodSync(folder, 0o755);
  const app = join(folder, 'app');
  mkdirSync(app);
  for (const [from, to] of copiedPaths()) cpSync(join(ROOT, from), join(app, to), { recursive: true });
  copyProductionPackages(app);
  const node = join(folder, 'node');
  linkOrCopy(process.execPath, node);
  if (process.getuid?.() !== 0) protect(app);
  return { app, node, remove: () => remove(folder) };
}

function copyProductionPackages(app: string): void {
  for (const path of productionPackages()) {
    if (!PLATFORM_NODE.test(path)) copyPackage(join(ROOT, path), join(app, path));
  }
}

/** One package without those below it. */
function copyPackage(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name !== 'node_modules') copyPackage(source, target);
    else if (entry.isFile() && !DELETED.test(entry.name)) linkOrCopy(source, target);
  }
}

/** Thousands of files: a second name for each is quicker than a copy, where both folders are on one file system. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function protect(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o555);
  chmodSync(folder, 0o555);
}

function remove(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  rmSync(folder, { recursive: true, force: true });
}
