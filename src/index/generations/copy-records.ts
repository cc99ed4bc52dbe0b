import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { RegistryError } from '../../errors.ts';
import type { AgentIndex, Generation } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';
import { writeAll } from './batches.ts';
import type { GoOn } from './work-alone.ts';

const PAGE = 1_000;
/** Pages that are written while the next one is read. */
const AT_ONCE = 4;
/** Pages after which the position is saved; at most so many are copied again after a crash. */
const MARK_EVERY = 10;

export interface CopyContext {
  readonly records: Records;
  readonly index: AgentIndex;
  /** Reports the agents copied so far and the total, once before the first page too; never more than the total. */
  readonly onProgress: (copied: number, total: number) => void;
  /** Called for documents that the engine permanently refuses; the copy continues without them. */
  readonly onRefused: (error: RegistryError) => void;
}

interface WrittenPage {
  readonly upTo: string;
  readonly size: number;
  readonly durable: Promise<void>;
}

/**
 * Copies every listed document into a generation, from the position where an earlier copy stopped; reading and writing overlap.
 * Returns false if `goOn` stopped it. No write is pending when it resolves or rejects.
 */
export async function copyRecords(
  generation: Generation,
  { records, index, onProgress, onRefused }: CopyContext,
  goOn: GoOn,
): Promise<boolean> {
  const { id, copiedUpTo, documents } = generation;
  const total = await records.agents.countListed();
  // the change log may have written more than the copy, and agents may be listed meanwhile
  const before = copiedUpTo === undefined ? 0 : Math.min(documents, total);
  const place = trackPlace(index, id, (copied) => onProgress(Math.min(before + copied, total), total));
  const underWay: WrittenPage[] = [];
  place.begin();
  try {
    let isComplete = false;
    for (let after = copiedUpTo; !isComplete && goOn(); ) {
      const page = await records.agents.listed(after, PAGE);
      after = page.at(-1)?.agent;
      isComplete = after === undefined;
      if (after !== undefined)
        underWay.push({ upTo: after, size: page.length, durable: startWrite(index, id, page, onRefused) });
      if (underWay.length >= AT_ONCE) await place.passed(underWay.shift());
      await yieldToEventLoop(); // the embedded engine never waits: without this, signals and the renewal of the lease would not be handled
    }
    for (const page of underWay) await place.passed(page);
    return isComplete;
  } finally {
    await Promise.allSettled(underWay.map(({ durable }) => durable));
    await place.mark();
  }
}

function startWrite(...written: Parameters<typeof writeAll>): Promise<void> {
  const durable = writeAll(...written);
  durable.catch(() => {}); // reported to the caller that awaits it
  return durable;
}

/** The position of the copy. It is saved only when everything before it is durable, so pages pass in order. */
function trackPlace({ generations }: AgentIndex, id: number, onCopied: (copied: number) => void) {
  let copied = 0;
  let pages = 0;
  let unmarked: string | undefined;
  const mark = async () => {
    if (unmarked !== undefined) await generations.copied(id, unmarked);
    unmarked = undefined;
  };
  return {
    begin: () => onCopied(0),
    async passed(page: WrittenPage | undefined) {
      if (page === undefined) return;
      await page.durable;
      unmarked = page.upTo;
      copied += page.size;
      pages += 1;
      if (pages % MARK_EVERY === 0) await mark();
      onCopied(copied);
    },
    mark,
  };
}
