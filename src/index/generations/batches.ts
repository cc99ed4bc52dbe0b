import type { SavedDocument } from '../../domain/agent-document.ts';
import { RegistryError } from '../../errors.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { BatchSpan, Tracing } from '../../ports/tracing.ts';

/** Work on one item that failed because of its content. It is retried later; the other items are processed. */
export interface Postponed {
  readonly kind: 'agent' | 'declaration';
  readonly key: string;
  /** Time of the next attempt, epoch milliseconds. */
  readonly until: number;
  readonly error: unknown;
}

export type OnPostponed = (postponed: Postponed) => void;

/**
 * Processes all items together and, if that fails, halves of them, until only the items that cause the failure are passed to
 * `onFailure`. Rejects with a RegistryError, which no item causes. Returns the sum of the results of `work`.
 */
export async function bisectFailures<T>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<number>,
  onFailure: (item: T, error: unknown) => Promise<void>,
): Promise<number> {
  const [first] = items;
  if (first === undefined) return 0;
  try {
    return await work(items);
  } catch (error) {
    if (error instanceof RegistryError) throw error; // the store is unavailable or full, or another process took over
    if (items.length === 1) {
      await onFailure(first, error);
      return 0;
    }
  }
  const middle = Math.ceil(items.length / 2);
  const before = await bisectFailures(items.slice(0, middle), work, onFailure);
  return before + (await bisectFailures(items.slice(middle), work, onFailure));
}

/**
 * Writes documents. Documents that the engine permanently refuses are reported to `onRefused` and skipped, so that they do not
 * block later ones.
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

/** Runs work in a span that links the traces of the visits that caused it; without tracing, runs it directly. */
export function tracedBatch<T>(
  tracing: Tracing | undefined,
  start: BatchSpan,
  work: () => Promise<T>,
): Promise<T> {
  return tracing === undefined ? work() : tracing.batch(start, work);
}
