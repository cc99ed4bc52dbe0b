import type { SavedDocument } from '../../domain/agent-document.ts';
import { RegistryError } from '../../errors.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { BatchSpan, Tracing } from '../../ports/tracing.ts';

/** Tells of work on one thing that failed by what it is made of. It is left alone for a while: the others go on. */
export interface PutOff {
  readonly kind: 'agent' | 'declaration';
  readonly key: string;
  /** When it is tried again, epoch milliseconds. */
  readonly until: number;
  readonly error: unknown;
}

export type OnPutOff = (put: PutOff) => void;

/**
 * Does work on all items together, and if that fails on ever smaller parts of them, so that only the items that make it
 * fail are left to `onBad`. Rejects with a fault that no item is to blame for. Returns the sum of what the work returned.
 */
export async function withoutBad<T>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<number>,
  onBad: (item: T, error: unknown) => Promise<void>,
): Promise<number> {
  const [first] = items;
  if (first === undefined) return 0;
  try {
    return await work(items);
  } catch (error) {
    if (error instanceof RegistryError) throw error; // the store is away or full, or the work is another's by now
    if (items.length === 1) {
      await onBad(first, error);
      return 0;
    }
  }
  const middle = Math.ceil(items.length / 2);
  const before = await withoutBad(items.slice(0, middle), work, onBad);
  return before + (await withoutBad(items.slice(middle), work, onBad));
}

/**
 * Writes documents; those that the engine refuses for ever are told and left out, so that one of them does not keep all
 * that come after it out of the index.
 */
export async function writeAll(
  { generations }: AgentIndex,
  id: number,
  documents: readonly SavedDocument[],
  onRefused: (error: RegistryError) => void,
): Promise<void> {
  try {
    await generations.write(id, documents);
  } catch (error) {
    if (!(error instanceof RegistryError && error.code === 'index_refused')) throw error;
    onRefused(error);
  }
}

/** Does work that many visits led to under their traces, where anybody wants to know. */
export function tracedBatch<T>(
  tracing: Tracing | undefined,
  start: BatchSpan,
  work: () => Promise<T>,
): Promise<T> {
  return tracing === undefined ? work() : tracing.batch(start, work);
}
