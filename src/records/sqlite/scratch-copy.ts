import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openForReading } from './open-handle.ts';
import { asStoreError } from './store-error.ts';

const BUSY_TIMEOUT_MS = 5_000;

interface ScratchCopy {
  readonly path: string;
  remove(): void;
}

/** A private copy of a store in the temporary folder, consistent while others write; empty when there is no store. */
export async function scratchCopy(path: string): Promise<ScratchCopy> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-registry-'));
  const copy = {
    path: join(folder, 'store.sqlite'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  if (!existsSync(path)) return copy;
  try {
    const original = openForReading(path, BUSY_TIMEOUT_MS);
    try {
      // not backup(): from a file that cannot be written it tries for ever
      original.handle.prepare('VACUUM INTO ?').run(copy.path);
    } finally {
      original.close();
    }
    return copy;
  } catch (error) {
    copy.remove();
    throw asStoreError(error, path);
  }
}
