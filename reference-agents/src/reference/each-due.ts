import type { AgentState, DueDocument } from '@agent-registry/surface/agent-kit';

/** Until when, and how many. */
export interface DueBounds {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly limit: number;
}

/**
 * Does `work` for each document of a collection that is due, in one transaction. There is none when nothing is due:
 * agents look several times a second, and whoever opens one waits for every other writer. Gives how many were due.
 */
export function eachDue<T>(
  state: AgentState,
  collection: string,
  { now, limit }: DueBounds,
  work: (due: DueDocument<T>) => void,
): number {
  if ((state.nextDue(collection) ?? Number.POSITIVE_INFINITY) > now) return 0;
  return state.transaction(() => {
    // found in the transaction: another process may have changed it since
    const due = state.due<T>(collection, now, limit);
    for (const one of due) work(one);
    return due.length;
  });
}
