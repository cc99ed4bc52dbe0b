import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs of that name, in the order of PATH. */
function programsOnPath(name: string): readonly string[] {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .filter(isExecutable);
}

/** The first program of that name on PATH, if there is one. */
export function programOnPath(name: string): string | undefined {
  return programsOnPath(name)[0];
}

/** A Node older than 24 on PATH, if there is one. */
export function olderNode(): string | undefined {
  return programsOnPath('node').find((path) => {
    const version = execFileSync(path, ['--version'], { encoding: 'utf8' });
    return Number(/^v(\d+)/.exec(version)?.[1]) < 24;
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
