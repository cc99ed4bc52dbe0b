import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `work` with the path of a store that is not there yet; whatever it leaves is removed. */
export function withScratchStore<T>(work: (path: string) => Promise<T>): Promise<T> {
  return withScratchFolder((folder) => work(join(folder, 'registry.sqlite')));
}

/** The same with a store that is kept and used again, where one is named: what fills it takes longest. */
export function withStoreAt<T>(kept: string | undefined, work: (path: string) => Promise<T>): Promise<T> {
  return kept === undefined ? withScratchStore(work) : work(kept);
}

/** Runs `work` with a folder that is removed afterwards. */
export async function withScratchFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
