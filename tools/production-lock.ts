import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package in a lock file of npm, as far as we look at it. */
export interface LockedPackage {
  readonly version?: string;
  /** SHA-512 of its tarball; npm installs no other one. */
  readonly integrity?: string;
  readonly resolved?: string;
  /** An SPDX expression, or a list in old packages; missing where the manifest has none. */
  readonly license?: string | readonly string[];
  readonly hasInstallScript?: true;
  readonly dev?: true;
  readonly link?: true;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  readonly name: string;
  readonly version: string;
  readonly lockfileVersion: 3;
  readonly requires: true;
  /** By the place where it is installed; `''` is the project itself. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const ONLY_IN_A_CHECKOUT = ['devDependencies', 'workspaces'];

/** The package-lock.json in `root` without what only a checkout has: packages of development and workspaces. */
export function productionLock(root: string): Lock {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const packages = Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path === '' || (path.startsWith('node_modules/') && !dev && !link))
    .map(([path, found]) => [path, path === '' ? asInstalled(found) : found]);
  return { ...lock, packages: Object.fromEntries(packages) };
}

/** A manifest without the members that only a checkout has. */
export function asInstalled<T extends object>(manifest: T): T {
  const members = Object.entries(manifest).filter(([name]) => !ONLY_IN_A_CHECKOUT.includes(name));
  return Object.fromEntries(members) as T;
}
