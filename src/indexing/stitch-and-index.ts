import type { AgentIndex } from '../ports/agent-index.ts';
import type { Clock } from '../ports/clock.ts';
import type { Records } from '../ports/records.ts';
import { deriveDue } from './derive-due.ts';
import { feedIndex } from './feed-index.ts';
import { stitchDirty } from './stitch-dirty.ts';

export interface Indexer {
  readonly records: Records;
  readonly index: AgentIndex;
  readonly clock: Clock;
  /** Derives facts anew where a date in a declaration has come; discovery brings it. */
  readonly rederive: Parameters<typeof deriveDue>[1];
}

/** From facts to the index: dates that have come, then stitching, then the change log. Returns documents written. */
export async function stitchAndIndex({ records, index, clock, rederive }: Indexer): Promise<number> {
  const now = () => clock.now();
  await deriveDue(records, rederive, now);
  await stitchDirty(records, now);
  return feedIndex(records, index);
}

/**
 * Stitches in the background while a run goes on, one pass after another with a pause between, so that what is found
 * early can be searched early. `stop` makes a last pass.
 */
export function stitchInBackground(indexer: Indexer, pauseMs: number): { stop(): Promise<void> } {
  let running = true;
  let wake = () => {};
  const loop = (async () => {
    while (running) {
      await stitchAndIndex(indexer);
      if (running)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, pauseMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
    }
  })();
  loop.catch(() => {}); // whoever stops it hears of the fault; until then it must not end the process
  return {
    async stop() {
      running = false;
      wake();
      await loop;
      await stitchAndIndex(indexer);
    },
  };
}
