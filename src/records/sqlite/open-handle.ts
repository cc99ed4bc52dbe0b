import { type BigIntStats, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { nameOfFile } from './file-check.ts';
import { asStoreError, changedStore, missingStore, primaryCode, unopenedStore } from './store-error.ts';

/** SQLite's result codes for a file that cannot be opened as it should be (https://www.sqlite.org/rescode.html). */
const READONLY = 8;
const CANTOPEN = 14;

export interface OpenHandle {
  readonly handle: DatabaseSync;
  /** Which file that is, whatever is at its path later; absent for one in memory. */
  readonly file?: string;
  /** Throws store_locked when what was read may have been a mixture of two states. */
  close(): void;
}

export interface DatabaseOptions {
  /** Opens an existing store that is never written. Default false. */
  readonly readOnly?: boolean;
  /** Creates the file and its folder if missing. Default true. */
  readonly create?: boolean;
  /** How long to wait for another process's write, milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** Whether a file that was damaged or replaced holds now what is expected of it. Absent: it is never opened again. */
  readonly isOurs?: (handle: DatabaseSync) => boolean;
}

/**
 * WAL lets readers go on beside the one writer. `synchronous = NORMAL` hands each commit to the operating system:
 * a killed process loses nothing that was acknowledged; a loss of power may undo the last moments (never corrupt
 * the file), and what a crawl wrote in them is simply due again.
 */
const PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA journal_size_limit = 67108864;`;

const CONNECTION_PRAGMAS = `
  PRAGMA foreign_keys = ON;
  PRAGMA cache_size = -65536;
  PRAGMA temp_store = MEMORY;`;

/** Opens the file at `path`, with what every connection is set to. */
export function openHandle(path: string, options: DatabaseOptions): OpenHandle {
  const { readOnly = false, create = true, busyTimeoutMs = 5_000 } = options;
  const opened = readOnly ? openForReading(path, busyTimeoutMs) : openForWriting(path, busyTimeoutMs, create);
  const { handle } = opened;
  const isInMemory = path === ':memory:';
  try {
    handle.exec(readOnly ? CONNECTION_PRAGMAS : PRAGMAS + CONNECTION_PRAGMAS);
    return isInMemory ? opened : { ...opened, file: nameOfFile(statSync(path, { bigint: true })) };
  } catch (error) {
    handle.close();
    throw asStoreError(error, path);
  }
}

/** Opens a file again that was damaged or replaced; undefined while it is not what it has to be. */
export function openAgain(path: string, options: DatabaseOptions): OpenHandle | undefined {
  if (options.isOurs === undefined || path === ':memory:') return undefined;
  try {
    const opened = openHandle(path, { ...options, create: false });
    if (options.isOurs(opened.handle)) return opened;
    opened.handle.close();
  } catch {
    // unchanged: later calls report the error
  }
  return undefined;
}

/** Opens the file for reading and writing, and makes it where that is wanted. */
function openForWriting(path: string, timeout: number, create: boolean): OpenHandle {
  if (path !== ':memory:') preparePlace(path, create);
  return guarded(path, () => openPlain(path, { timeout }));
}

/**
 * Opens the file for reading. In WAL mode SQLite keeps two files beside it (`-wal`, `-shm`) and creates them even for
 * readers. If they are missing and the folder is not writable, no process has the file open: it is then read as a file
 * that does not change (`immutable`), which is checked again at the end.
 */
export function openForReading(path: string, timeout: number): OpenHandle {
  preparePlace(path, false);
  return guarded(path, () => {
    try {
      return openPlain(path, { readOnly: true, timeout });
    } catch (error) {
      const code = primaryCode(error);
      if (code !== READONLY && code !== CANTOPEN) throw error;
      return openImmutable(path, timeout, error);
    }
  });
}

function openPlain(
  path: string | URL,
  options: { readonly readOnly?: boolean; readonly timeout: number },
): OpenHandle {
  const handle = new DatabaseSync(path, options);
  try {
    // opening reads nothing: the first read shows whether this is a database at all
    handle.exec('SELECT count(*) FROM sqlite_schema');
  } catch (error) {
    handle.close();
    throw error;
  }
  return { handle, close: () => handle.close() };
}

function openImmutable(path: string, timeout: number, cause: unknown): OpenHandle {
  const before = stateOf(path, cause);
  const pending = ['-wal', '-journal'].map((suffix) => path + suffix).find(isFilled);
  if (pending !== undefined)
    throw unopenedStore(
      `the store ${path} has pending changes in ${pending} that this user cannot read`,
      cause,
      {
        hint: 'run the command as a user who can write to its folder, or copy both files to your own folder',
      },
    );
  const address = pathToFileURL(path);
  address.searchParams.set('immutable', '1');
  const opened = openPlain(address, { readOnly: true, timeout });
  return {
    handle: opened.handle,
    close() {
      opened.close();
      if (isOther(before, stateOf(path, cause))) throw changedStore(path);
    },
  };
}

function isFilled(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** The size and times of the file; throws for one that is not there, or not a file, or not ours to read. */
function stateOf(path: string, cause: unknown): BigIntStats {
  const state = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (state === undefined) throw missingStore(path, cause);
  return state;
}

function isOther(before: BigIntStats, after: BigIntStats): boolean {
  return before.ino !== after.ino || before.size !== after.size || before.mtimeNs !== after.mtimeNs;
}

function preparePlace(path: string, create: boolean): void {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory())
      throw missingStore(path, undefined, {
        hint: `the path is a folder; give a file in it, as in ${path}/registry.sqlite`,
      });
    const isEmpty = found === undefined || found.size === 0;
    if (isEmpty && !create) throw missingStore(path);
    if (found !== undefined) return;
    mkdirSync(dirname(path), { recursive: true });
    createPrivateFile(path);
  } catch (error) {
    throw isSystemError(error)
      ? unopenedStore(`cannot open the store at ${path} (${error.code})`, error)
      : error;
  }
}

/** A store contains secrets, but SQLite creates files that every user can read; its other files inherit this mode. */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'EEXIST') throw error; // another process was faster
  }
}

function guarded(path: string, open: () => OpenHandle): OpenHandle {
  try {
    return open();
  } catch (error) {
    if (primaryCode(error) === CANTOPEN) throw unopenedStore(`cannot open the store at ${path}`, error);
    throw asStoreError(error, path);
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}
