import type { AgentIndex } from '../ports/agent-index.ts';
import type { Clock } from '../ports/clock.ts';
import type { Records } from '../ports/records.ts';
import { deriveDue } from './derive-due.ts';
import { feedIndex } from './feed-index.ts';
import { repeat } from './repeat.ts';
import { stitchDirty } from './stitch-dirty.ts';

export interface Indexer {
  readonly records: Records;
  readonly index: AgentIndex;
  readonly clock: Clock;
  /** Derives facts anew where a date in a declaration has come; discovery brings it. */
  readonly rederive: Parameters<typeof deriveDue>[1];
  /** Ends a pass early; what is left is done in the next one. */
  readonly signal?: AbortSignal;
}

/** From facts to the index: dates that have come, then stitching, then the change log. Returns documents written. */
export async function stitchAndIndex(indexer: Indexer): Promise<number> {
  const { records, index, clock, rederive, signal } = indexer;
  const now = () => clock.now();
  await deriveDue(records, rederive, now, signal);
  await stitchDirty(records, now, signal);
  return feedIndex(records, index, signal);
}

/** Between two passes of stitching while the registry is served, milliseconds. */
const SERVED_PAUSE_MS = 30_000;

/**
 * Stitches in the background while a run goes on, one pass after another with a pause between, so that what is found
 * early can be searched early. `stop` makes a last pass.
 */
export function stitchInBackground(indexer: Indexer, pauseMs: number): { stop(): Promise<void> } {
  const passes = repeat(() => stitchAndIndex(indexer), pauseMs);
  return {
    async stop() {
      await passes.stop();
      await stitchAndIndex(indexer);
    },
  };
}

/**
 * Keeps the index true while nobody crawls: dates in declarations and the grace of agents that nobody declares any more
 * take effect within half a minute. A pass that fails is told to `onFault`, and the next one tries again.
 */
export function stitchWhileServing(
  indexer: Indexer,
  onFault: (error: unknown) => void,
  pauseMs = SERVED_PAUSE_MS,
): { stop(): Promise<void> } {
  return repeat(() => stitchAndIndex(indexer).catch(onFault), pauseMs);
}
