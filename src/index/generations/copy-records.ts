import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { RegistryError } from '../../errors.ts';
import type { AgentIndex, Generation } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';
import { writeAll } from './batches.ts';
import type { GoOn } from './work-alone.ts';

const PAGE = 1_000;
/** Pages that are written while the next one is read. */
const AT_ONCE = 4;
/** Pages after which the copy's place is remembered: so many are copied again after a kill. */
const MARK_EVERY = 10;

export interface CopyContext {
  readonly records: Records;
  readonly index: AgentIndex;
  /** Agents copied so far, of how many, from before the first page on; never more than there are. */
  readonly onProgress: (copied: number, total: number) => void;
  /** Hears of documents that the engine will never take; the copy goes on without them. */
  readonly onRefused: (error: RegistryError) => void;
}

interface WrittenPage {
  readonly upTo: string;
  readonly size: number;
  readonly durable: Promise<void>;
}

/**
 * Copies every listed document into a generation, from where an earlier copy stopped; reading and writing overlap.
 * Returns false when it was told to stop on the way. No write is under way any more when it resolves or rejects.
 */
export async function copyRecords(
  generation: Generation,
  { records, index, onProgress, onRefused }: CopyContext,
  goOn: GoOn,
): Promise<boolean> {
  const { id, copiedUpTo, documents } = generation;
  const total = await records.agents.countListed();
  // the change log may have brought more than the copy, and agents may be listed while it goes on
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
      await yieldToEventLoop(); // the embedded engine never waits: signals and the lease's renewal would not get through
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
  durable.catch(() => {}); // whoever waits for it hears of it
  return durable;
}

/** Where the copy is: a place counts once everything up to it is durable, so pages pass in their order or not at all. */
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
