import { type BigIntStats, closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { RegistryError } from '../../errors.ts';
import { corruptStore, missingStore } from './store-error.ts';

/** What every database file begins with (https://www.sqlite.org/fileformat.html#magic_header_string). */
const MAGIC = Buffer.from('SQLite format 3\0');

/** Which file is at `path`. Throws store_missing, or store_corrupt for one that is no database. */
export function checkFile(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const head = Buffer.alloc(MAGIC.length);
    readSync(file, head, 0, head.length, 0);
    if (!head.equals(MAGIC)) throw corruptStore(path);
    return nameOfFile(fstatSync(file, { bigint: true }));
  } catch (error) {
    throw error instanceof RegistryError ? error : missingStore(path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** A name of one file on this machine, wherever it is moved to. */
export function nameOfFile({ dev, ino }: BigIntStats): string {
  return `${dev}.${ino}`;
}
