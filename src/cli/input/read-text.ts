import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { RegistryError } from '../../errors.ts';

/** Reads a text file that the user named; a missing one is a usage error. */
export async function readTextFile(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new RegistryError('usage', `${what}: cannot read ${path}`, {
      cause,
      hint: 'check the path and the permissions',
    });
  }
}

/** The text of a file that the user named, or of stdin for `-`. */
export function readInput(file: string): Promise<string> {
  return file === '-' ? text(process.stdin) : readTextFile(file, file);
}
