import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { RegistryError } from '../../errors.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';
import { writeAll } from './batches.ts';
import type { ShouldContinue } from './with-lease.ts';

const PAGE = 1_000;
/** Pages that are written while the next one is read. */
const AT_ONCE = 4;

export interface CopyContext {
  readonly records: Records;
  readonly index: AgentIndex;
  /** Reports the agents copied so far and the total, once before the first page too; never more than the total. */
  readonly onProgress: (copied: number, total: number) => void;
  /** Called for documents that the engine permanently refuses; the copy continues without them. */
  readonly onRefused: (error: RegistryError) => void;
}

/**
 * Copies every listed document into a generation; reading and writing overlap. Returns false if `shouldContinue` stopped it. No write is
 * pending when it resolves or rejects.
 */
export async function copyRecords(
  id: number,
  { records, index, onProgress, onRefused }: CopyContext,
  shouldContinue: ShouldContinue,
): Promise<boolean> {
  const total = await records.agents.countListed();
  let copied = 0;
  const report = () => onProgress(Math.min(copied, total), total); // agents may be listed meanwhile
  const writing: Promise<void>[] = [];
  report();
  try {
    for (let after: string | undefined; ; ) {
      if (!shouldContinue()) return false;
      const page = await records.agents.listed(after, PAGE);
      after = page.at(-1)?.agent;
      if (after === undefined) break;
      const written = writeAll(index, id, page, onRefused).then(() => {
        copied += page.length;
        report();
      });
      written.catch(() => {}); // it is awaited below, and may reject before that
      writing.push(written);
      if (writing.length >= AT_ONCE) await writing.shift();
      await yieldToEventLoop(); // the embedded engine never waits: without this, signals and the renewal of the lease would not be handled
    }
    await Promise.all(writing);
    return true;
  } finally {
    await Promise.allSettled(writing);
  }
}
