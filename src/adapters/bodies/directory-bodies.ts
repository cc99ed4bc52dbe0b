import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RegistryError } from '../../errors.ts';
import type { BodyStore } from '../../ports/body-store.ts';

/** Bodies as files of a folder, `ab/abcd….zst`: 256 folders, so that none has millions. */
export function directoryBodies(folder: string): BodyStore {
  const pathOf = (hash: string) => join(folder, hash.slice(0, 2), `${hash}.zst`);
  return {
    name: folder,
    put: (hash, packed) => guard(folder, () => writeDurably(pathOf(hash), packed)),
    get: (hash) => guard(folder, () => readFile(pathOf(hash)).catch(unlessMissing)),
    drop: (hash) => guard(folder, () => rm(pathOf(hash), { force: true })),
  };
}

/** Writes a temporary file, syncs it and renames it, so that a file with the final name is complete. */
async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${randomUUID()}`;
  try {
    await using file = await open(beside, 'wx', 0o600);
    await file.writeFile(bytes);
    await file.sync();
    await rename(beside, path);
    await using named = await open(dirname(path));
    await named.sync();
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

function unlessMissing(fault: NodeJS.ErrnoException): undefined {
  if (fault.code !== 'ENOENT') throw fault;
}

async function guard<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new RegistryError('store_unavailable', `the folder of file bodies cannot be used: ${folder}`, {
      cause,
      retryable: true,
      hint: 'check that the folder exists, has free space and belongs to the user of the service (REGISTRY_BODIES)',
    });
  }
}
