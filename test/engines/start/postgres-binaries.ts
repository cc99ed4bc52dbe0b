import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { RegistryError } from '../../../src/errors.ts';
import type { SystemUser } from './processes.ts';

/** Debian keeps each major version in a folder of its own and leaves the server programs out of PATH. */
const DEBIAN = '/usr/lib/postgresql/*/bin';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The major version, such as 15. */
  readonly major: number;
}

/** The newest PostgreSQL of Debian's folders, else the one in PATH; throws with what to install. */
export function findPostgres(): PostgresBinaries {
  const debian = globSync(DEBIAN).toSorted((a, b) => majorIn(b) - majorIn(a));
  const folder = [...debian, ...(process.env.PATH ?? '').split(delimiter)].find(hasServer);
  if (folder === undefined) {
    throw new RegistryError('store_unavailable', 'no PostgreSQL server programs on this machine', {
      hint: `install them (Debian: apt-get install postgresql), or put initdb and postgres into PATH; looked in ${DEBIAN} and PATH`,
    });
  }
  const postgres = join(folder, 'postgres');
  const version = execFileSync(postgres, ['--version'], { encoding: 'utf8' });
  return { initdb: join(folder, 'initdb'), postgres, major: Number(/\d+/.exec(version)?.[0]) };
}

/** PostgreSQL does not run as root, so it runs as `postgres`, or as `nobody` if `postgres` does not exist. */
export function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return userNamed('postgres') ?? userNamed('nobody');
}

function userNamed(name: string): SystemUser | undefined {
  const id = (kind: string) =>
    Number(execFileSync('id', [kind, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}

function hasServer(folder: string): boolean {
  return existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'));
}

function majorIn(folder: string): number {
  return Number(/\d+/.exec(folder)?.[0]);
}
