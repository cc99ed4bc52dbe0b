import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `work` with the path of a store that is not there yet; whatever it leaves is removed. */
export async function withScratchStore<T>(work: (path: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'registry-bench-'));
  try {
    return await work(join(dir, 'registry.sqlite'));
  } finally {
    rmSync(dir, { recursive: true });
  }
}
