import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { asStoreError } from './store-error.ts';

export interface ScratchCopy {
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
    const original = new DatabaseSync(path, { readOnly: true });
    try {
      await backup(original, copy.path);
    } finally {
      original.close();
    }
    return copy;
  } catch (error) {
    copy.remove();
    throw asStoreError(error, path);
  }
}
