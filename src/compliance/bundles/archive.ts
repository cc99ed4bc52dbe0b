import { createHash } from 'node:crypto';
import { lstat, open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { RegistryError } from '../../errors.ts';

/** A file of an archive or a folder. Its name is untrusted. */
export interface BundleEntry {
  /** As it is written there, `adcp-3.1.19/compliance/index.json`. */
  readonly path: string;
  /** `other`: a link or a device. */
  readonly kind: 'file' | 'other';
  readonly size: number;
  read(): Promise<Buffer>;
}

/** An archive or a folder with a bundle. */
export interface BundleSource {
  /** Of the archive or the folder, without the path to it. */
  readonly name: string;
  /** Of the archive file, in hexadecimal; null for a folder. */
  readonly sha256: string | null;
  /** In the order of the archive. */
  entries(): AsyncIterable<BundleEntry>;
}

/** The folders of a bundle, at the top or in one folder there. */
export const CONTENT = ['compliance', 'schemas'];

/** Public bundles have 2 MiB in an archive, 16 MiB unpacked and 1,700 files. */
const MAX_ARCHIVE_BYTES = 64 * 1024 ** 2;
export const MAX_UNPACKED_BYTES = 128 * 1024 ** 2;
const MAX_ENTRIES = 20_000;
/** They compress to a seventh. A small archive can compress better. */
const MAX_RATIO = 100;
const SMALL_BYTES = 1024 ** 2;

/** Opens an archive (tar or tar.gz) or a folder. Throws `usage` if it cannot be read, `input_invalid` if it is too large. */
export async function openSource(path: string): Promise<BundleSource> {
  let isFolder: boolean;
  try {
    isFolder = (await stat(path)).isDirectory();
    return isFolder ? await openFolder(path) : await openArchive(path);
  } catch (cause) {
    if (cause instanceof RegistryError) throw cause;
    throw new RegistryError('usage', `cannot read ${path}`, {
      cause,
      hint: 'give an archive (tar or tar.gz) or a folder with compliance/ and schemas/',
    });
  }
}

/** An error in an archive or a folder: its name, the reason and the remedy. */
export function invalidBundle(name: string, reason: string, hint: string, cause?: unknown): RegistryError {
  return new RegistryError('input_invalid', `${name}: ${reason}`, { hint, cause });
}

async function openArchive(path: string): Promise<BundleSource> {
  const name = basename(path);
  await using file = await open(path);
  const found = await file.stat();
  if (!found.isFile()) throw new Error('it is not a file');
  if (found.size > MAX_ARCHIVE_BYTES)
    throw invalidBundle(name, `larger than ${mebibytes(MAX_ARCHIVE_BYTES)}`, WHOLE_BUNDLE);
  // in memory, so that the bytes that are unpacked are those that were hashed
  const bytes = await file.readFile();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { name, sha256, entries: () => entriesOf(name, unpacked(name, bytes)) };
}

function unpacked(name: string, bytes: Buffer): Buffer {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isGzip) return bytes;
  const limit = Math.min(MAX_UNPACKED_BYTES, Math.max(SMALL_BYTES, bytes.length * MAX_RATIO));
  try {
    return gunzipSync(bytes, { maxOutputLength: limit });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') {
      const reason = `unpacks to more than ${mebibytes(MAX_UNPACKED_BYTES)} or ${MAX_RATIO} times its size`;
      throw invalidBundle(name, reason, WHOLE_BUNDLE, cause);
    }
    throw damaged(name, cause);
  }
}

async function* entriesOf(name: string, tar: Buffer): AsyncGenerator<BundleEntry> {
  // the end of a tar is marked by blocks of zeros: one that was cut between two files would be read without an error
  if (tar.length < 1024 || tar.subarray(-1024).some((byte) => byte !== 0)) throw damaged(name);
  const archive = extract();
  archive.end(tar);
  let count = 0;
  try {
    for await (const entry of archive) {
      count += 1;
      if (count > MAX_ENTRIES) throw tooMany(name);
      const { name: path, type, size = 0 } = entry.header;
      const isFile = type === 'file' || type === 'contiguous-file';
      const read = () =>
        buffer(entry).catch((cause: unknown) => {
          throw damaged(name, cause);
        });
      if (type !== 'directory') yield { path, kind: isFile ? 'file' : 'other', size, read };
      entry.resume();
    }
  } catch (cause) {
    throw cause instanceof RegistryError ? cause : damaged(name, cause);
  }
}

function damaged(name: string, cause?: unknown): RegistryError {
  return invalidBundle(
    name,
    'not a complete tar or tar.gz archive',
    'download it again and compare its SHA-256; unpack archives of other kinds and give the folder',
    cause,
  );
}

async function openFolder(path: string): Promise<BundleSource> {
  const name = basename(resolve(path));
  const root = await rootIn(path);
  return {
    name: root === undefined ? name : basename(root),
    sha256: null,
    entries: () => filesIn(name, root),
  };
}

/** The folder itself, or the only one in it that has the content. */
async function rootIn(folder: string): Promise<string | undefined> {
  const has = async (place: string) =>
    (await readdir(place, { withFileTypes: true })).some(({ name }) => name === CONTENT[0]);
  if (await has(folder)) return resolve(folder);
  const entries = await readdir(folder, { withFileTypes: true });
  const roots: string[] = [];
  for (const entry of entries)
    if (entry.isDirectory() && (await has(join(folder, entry.name)))) roots.push(resolve(folder, entry.name));
  if (roots.length < 2) return roots[0];
  const names = roots.map((root) => basename(root)).join(', ');
  throw invalidBundle(
    basename(folder),
    `contains several bundles: ${names}`,
    'give the folder of one of them',
  );
}

async function* filesIn(name: string, root: string | undefined): AsyncGenerator<BundleEntry> {
  const open = root === undefined ? [] : [...CONTENT];
  let count = 0;
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const place = join(root ?? '', path);
    const found = await lstat(place).catch(() => undefined);
    if (found === undefined) continue; // a bundle may lack one of the two
    count += 1;
    if (count > MAX_ENTRIES) throw tooMany(name);
    if (found.isDirectory()) open.push(...(await readdir(place)).map((child) => `${path}/${child}`));
    else
      yield { path, kind: found.isFile() ? 'file' : 'other', size: found.size, read: () => readFile(place) };
  }
}

function tooMany(name: string): RegistryError {
  return invalidBundle(name, `contains more than ${MAX_ENTRIES} files and folders`, WHOLE_BUNDLE);
}

const WHOLE_BUNDLE = 'check that it is a bundle with compliance/ and schemas/, and nothing else';

function mebibytes(bytes: number): string {
  return `${bytes / 1024 ** 2} MiB`;
}
