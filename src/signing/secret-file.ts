import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RegistryError } from '../errors.ts';

/*
 * Files with secret keys. One is read only while nobody else can read or change it. One is written only where nobody
 * else chose the place: never through a link, and never half.
 */

/** More than any set of keys has. */
const MAX_BYTES = 262_144;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** A named pipe would otherwise keep its reader for ever. */
const TO_READ = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Reads a secret file that is its owner's alone. `what` names it in errors, as in `the badge keys`.
 *
 * @throws RegistryError `input_invalid` with the command that mends it; it never quotes the file
 */
export async function readSecretFile(file: string, what: string, missing: string): Promise<string> {
  const unreadable = (error: { readonly code?: string }): never => {
    throw unusable(`${what} ${file} cannot be read (${error.code ?? 'unknown'})`, missing);
  };
  const folder = dirname(file);
  refuseOpenFolder(folder, await stat(folder).catch(unreadable));
  const handle = await open(file, TO_READ).catch(unreadable);
  try {
    const found = await handle.stat();
    if (!found.isFile()) unreadable({ code: found.isDirectory() ? 'EISDIR' : 'EINVAL' });
    refuseOthers(file, found, what);
    if (found.size > MAX_BYTES) throw unusable(`${what} ${file} are larger than ${MAX_BYTES} bytes`, missing);
    return await handle.readFile('utf8').catch(unreadable);
  } finally {
    await handle.close();
  }
}

/** Refuses a secret file that others can read, change or put another one in the place of. Rejects with a RegistryError `input_invalid`. */
export async function requireSecret(file: string, what: string): Promise<void> {
  const folder = dirname(file);
  refuseOpenFolder(folder, await stat(folder));
  refuseOthers(file, await stat(file), what);
  refuseForeign(file, await lstat(file), what); // a link of somebody else's leads elsewhere in a moment
}

/** Whether others than its owner may read or write a file. */
export async function isExposed(file: string): Promise<boolean> {
  return isOpenToOthers(await stat(file));
}

/**
 * Writes a file that is not there yet, with mode 0600, and has it on the disk before it resolves.
 *
 * @throws RegistryError `input_invalid` where something is there already, even a link that leads nowhere
 */
export async function createSecretFile(file: string, text: string, whenTaken: string): Promise<void> {
  const folder = await ownFolder(file);
  const handle = await open(file, NEW_FILE, 0o600).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST' && cause.code !== 'ELOOP') throw cause;
    throw unusable(`${file} already exists`, whenTaken);
  });
  await fill(handle, text, folder).catch((error: unknown) => thrownAway(file, error));
  await syncFolder(file);
}

/**
 * Puts a text in the place of a secret file at once: readers see the old one or the new one, also after a loss of power.
 * A link is refused, because another user may control it.
 */
export async function replaceSecretFile(file: string, text: string): Promise<void> {
  const folder = await ownFolder(file);
  const before = await lstat(file).catch(() => undefined);
  if (before?.isSymbolicLink())
    throw unusable(
      `${file} is a symbolic link`,
      'give the path of the file itself; keys are not written through links',
    );
  const next = `${file}.${randomBytes(6).toString('hex')}.next`;
  const handle = await open(next, NEW_FILE, 0o600);
  await fill(handle, text, before ?? folder)
    .then(() => rename(next, file))
    .catch((error: unknown) => thrownAway(next, error));
  await syncFolder(file);
}

/** Creates the folder of a file for this user only. A folder in which every user can rename files is refused. */
async function ownFolder(file: string): Promise<Stats> {
  const folder = dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await stat(folder);
  refuseOpenFolder(folder, found);
  return found;
}

function refuseOpenFolder(folder: string, { mode }: Stats): void {
  const anybodyMayReplace = (mode & 0o002) !== 0 && (mode & 0o1000) === 0;
  if (process.platform !== 'win32' && anybodyMayReplace)
    throw unusable(`every user can replace files in ${folder}`, `chmod o-w ${folder}`);
}

/** What root writes belongs to whom the file before it, or the folder, belongs: the service has to read it. */
async function fill(handle: FileHandle, text: string, owner: Stats): Promise<void> {
  try {
    if (process.geteuid?.() === 0) await handle.chown(owner.uid, owner.gid);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function thrownAway(file: string, error: unknown): Promise<never> {
  await rm(file, { force: true });
  throw error;
}

async function syncFolder(file: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(dirname(file), constants.O_RDONLY);
  await handle.sync().finally(() => handle.close());
}

function refuseOthers(file: string, found: Stats, what: string): void {
  if (isOpenToOthers(found))
    throw unusable(`${what} ${file} are readable by other users`, `chmod 600 ${file}`);
  refuseForeign(file, found, what);
}

function refuseForeign(file: string, found: Stats, what: string): void {
  const self = process.geteuid?.() ?? 0;
  if (self !== 0 && found.uid !== 0 && found.uid !== self)
    throw unusable(`${what} ${file} belong to another user`, `chown ${self} ${file}`);
}

function isOpenToOthers({ mode }: Stats): boolean {
  return process.platform !== 'win32' && (mode & 0o077) !== 0;
}

function unusable(message: string, hint: string): RegistryError {
  return new RegistryError('input_invalid', message, { hint });
}
