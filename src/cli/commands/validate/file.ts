import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RegistryError } from '../../../errors.ts';

/** Undefined when the file does not exist and the name may be a domain. */
export async function fileBytes(path: string, max: number): Promise<Uint8Array | undefined> {
  try {
    return await readSome(createReadStream(path), max);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' && !/[/\\]|\.json$/.test(path)) return undefined;
    throw new RegistryError('usage', `cannot read ${path}`, {
      cause: error,
      hint: code === 'ENOENT' ? 'the file does not exist' : 'check the permissions',
    });
  }
}

/** Reads just over the limit at most: the stream may have no end. */
export async function readSome(stream: AsyncIterable<Uint8Array>, max: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > max) break;
  }
  return Buffer.concat(chunks);
}

/**
 * Puts new content into a file, whole or not at all: it is written beside it and takes its place. The file keeps its mode,
 * and a symbolic link goes on leading to it. Refused when the file is no longer what was checked.
 */
export async function replaceFile(path: string, checked: Uint8Array, content: Uint8Array): Promise<void> {
  const file = await realpath(path);
  const before = await stat(file);
  const cannot = (why: string, hint: string, cause?: unknown): RegistryError =>
    new RegistryError('usage', `${path} was not changed: ${why}`, { hint, cause });
  if (!before.isFile()) throw cannot('it is not a regular file', 'name a writable file');
  const beside = join(dirname(file), `.${basename(file)}.${randomUUID()}`);
  try {
    const handle = await open(beside, 'wx', before.mode & 0o7777);
    try {
      await handle.writeFile(content);
      await handle.chmod(before.mode & 0o7777);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (!Buffer.from(checked).equals(await readFile(file)))
      throw cannot('it changed during the check', 'run the command again');
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    if (error instanceof RegistryError) throw error;
    throw cannot('writing failed', 'check the permissions of the file and of its folder', error);
  }
}
