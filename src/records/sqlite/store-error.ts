import { RegistryError } from '../../errors.ts';

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;
/** Messages of SQLITE_ERROR that mean the schema is gone: our own SQL is valid. */
const OTHER_SCHEMA = /^(?:no such (?:table|column|index)|malformed database schema|SQL logic error)/;

/**
 * Converts an SQLite failure to a RegistryError with a hint. Anything that is not a failure of the
 * store itself is returned unchanged: it is an internal error and must be reported as one.
 */
export function asStoreError(error: unknown, path: string): unknown {
  const code = primaryCode(error);
  if (code === BUSY || code === LOCKED) return lockedStore(path, error);
  if (code === CORRUPT || code === NOTADB) return corruptStore(path, error);
  if (code === ERROR && error instanceof Error && OTHER_SCHEMA.test(error.message))
    return corruptStore(path, error);
  if (code === CANTOPEN) return missingStore(path, error);
  if (code === READONLY) return closedStore(path, error);
  if (code === FULL) return fullDisk(path, error);
  if (code === IOERR)
    return refused(
      `disk error in the store ${path}`,
      'check the disk; then check the store with "agent-registry doctor"',
      error,
    );
  return error;
}

/** The file, its folder or the disk under them is closed to us for writing. */
export function closedStore(path: string, cause: unknown): RegistryError {
  return refused(
    `the store ${path} is not writable`,
    'check the permissions of the file and its folder',
    cause,
  );
}

/** The disk under the store has no room. */
export function fullDisk(path: string, cause?: unknown): RegistryError {
  return refused(
    `no disk space left for the store ${path}`,
    'free some disk space and run the command again',
    cause,
  );
}

/** Another process holds the write lock for longer than we wait. */
function lockedStore(path: string, cause?: unknown): RegistryError {
  return new RegistryError('store_locked', `the store ${path} is locked by another process`, {
    hint: 'wait until the other process has finished writing, or stop it, then try again',
    retryable: true,
    cause,
  });
}

/** The file is not a database, is damaged, or belongs to another program. */
export function corruptStore(path: string, cause?: unknown): RegistryError {
  return new RegistryError('store_corrupt', `the file ${path} is not a registry store, or it is damaged`, {
    hint: 'restore it from a backup, or give --store another path to start with an empty store',
    cause,
  });
}

/** Whether the file is damaged, or no database any more. */
export function isDamage(error: unknown): boolean {
  return error instanceof RegistryError && error.code === 'store_corrupt';
}

/** No file there, and none was to be created. */
export function missingStore(
  path: string,
  cause?: unknown,
  { hint }: { readonly hint?: string } = {},
): RegistryError {
  return new RegistryError('store_missing', `no store at ${path}`, {
    hint: hint ?? 'check --store, or crawl a domain first to create it',
    cause,
  });
}

/** This user cannot open or create the file. */
export function unopenedStore(
  message: string,
  cause: unknown,
  { hint }: { readonly hint?: string } = {},
): RegistryError {
  return refused(
    message,
    hint ?? 'check the permissions of the file and its folder, or give --store another path',
    cause,
  );
}

/** A reader found another file at the end than at the beginning. */
export function changedStore(path: string): RegistryError {
  return new RegistryError('store_locked', `the store ${path} was changed while it was read`, {
    hint: 'the output may mix old and new data: run the command again',
    retryable: true,
  });
}

/** Of a schema from before the first release, which this program cannot migrate. */
export function olderStore(place: string): RegistryError {
  return new RegistryError(
    'store_older',
    `the store ${place} was written by an earlier version, whose schema this version does not read`,
    {
      hint: 'export its data with the version that wrote it, and import them into a new store: docs/operating/upgrade.md',
    },
  );
}

/** Written by a program that knows a later schema. */
export function newerStore(path: string, found: number, known: number): RegistryError {
  return new RegistryError(
    'store_newer',
    `the store ${path} has schema ${found}, but this version supports up to ${known}`,
    {
      hint: 'use the version of agent-registry that wrote the store, or a newer one',
    },
  );
}

function refused(message: string, hint: string, cause: unknown): RegistryError {
  return new RegistryError('store_unwritable', message, { hint, cause });
}

/** SQLite's primary result code of an error; undefined for any other error. */
export function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}
