import { backOff, pause } from '../../base/back-off.ts';
import { RegistryError } from '../../errors.ts';
import { type Indexer, stitch, stitchAndIndex, update } from './stitch-and-index.ts';

/** Between two passes while the registry is served, milliseconds: what another process found is searched within it. */
const SERVED_PAUSE_MS = 1_000;
/** Beside a run the pause grows with what the pass before it took, up to this: a change is to be told within two seconds. */
const LONGEST_PAUSE_MS = 1_600;
const PAUSE_FOR_WORK = 15;
/** How long the last pass of a run waits for the lease of another process; an abandoned lease has expired by then. */
const PATIENCE_MS = 40_000;
const ASK_AGAIN_MS = 100;
/** How long a change waits for its appearance in the list. */
const WAIT_MS = 1_000;

/**
 * Stitches in the background while a run goes on, one pass after another with a pause between, so that what is found
 * early can be searched early. An index or a database that does not answer is told to `onFault` and tried again later;
 * nothing is lost meanwhile. `stop` makes a last pass, and rejects with what ended the passes.
 */
export function stitchInBackground(
  indexer: Indexer,
  pauseMs: number,
  onFault: (error: unknown) => void,
): { stop(): Promise<void> } {
  const tolerate = (error: unknown) => {
    if (!comesBack(error)) throw error;
    onFault(error);
  };
  const passes = repeat(createPass(indexer, pauseMs, tolerate).run, pauseMs, LONGEST_PAUSE_MS);
  return {
    async stop() {
      await passes.stop();
      await stitchToTheEnd(indexer).catch(tolerate);
    },
  };
}

/**
 * Keeps the index true while nobody crawls: dates in declarations and the grace of agents that nobody declares any more
 * take effect within a second, and so does what another process stitched. A pass that fails is told to `onFault`, and
 * is tried again later. `faults` are why the last one failed: the stitching, the update of the index, or both.
 */
export function stitchWhileServing(
  indexer: Indexer,
  onFault: (error: unknown) => void,
  pauseMs = SERVED_PAUSE_MS,
): { stop(): Promise<void>; faults(): readonly unknown[] } {
  const tolerate = (error: unknown) => {
    if (!isLost(error)) onFault(error);
  };
  const pass = createPass(indexer, pauseMs, tolerate);
  return { ...repeat(pass.run, pauseMs), faults: pass.faults };
}

/**
 * Stitches and indexes what there is now; waits for a process that is at it, for so long at most. Resolves false when that
 * took longer, or the signal came.
 */
export async function stitchToTheEnd(indexer: Indexer, patienceMs = PATIENCE_MS): Promise<boolean> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const stitched = await stitch(indexer, Number.POSITIVE_INFINITY);
    const updated = await update(indexer);
    if (stitched && updated !== undefined) return true;
    if (performance.now() > giveUpAt || indexer.signal?.aborted) return false;
    await pause(ASK_AGAIN_MS);
  }
}

/**
 * One pass at once, for somebody who waits for what was just changed: no longer than a second, as there may be much else
 * to stitch, or another process at it. What is not done then is done by the passes in the background.
 */
export async function stitchNow(indexer: Indexer, onFault: (error: unknown) => void): Promise<void> {
  const wait = new AbortController();
  const pass = stitchAndIndex(indexer).catch((error: unknown) => {
    if (!isLost(error)) onFault(error);
  });
  await Promise.race([pass, pause(WAIT_MS, wait.signal)]);
  wait.abort();
}

/** The halves fail and recover each for itself: without the index, what is found is stitched all the same. */
function createPass(indexer: Indexer, pauseMs: number, tolerate: (error: unknown) => void) {
  const stitching = backOff(() => stitch(indexer), pauseMs, tolerate, indexer.onRecovered);
  const updating = backOff(() => update(indexer), pauseMs, tolerate, indexer.onRecovered);
  return {
    async run() {
      await stitching.run();
      await updating.run();
    },
    faults: () => [stitching.fault(), updating.fault()].filter((fault) => fault !== undefined),
  };
}

const COMES_BACK: ReadonlySet<string> = new Set(['store_unavailable', 'store_denied', 'lease_lost']);

/** Whether it is worth a later try: an engine that is away, or work that another process took over. */
function comesBack(error: unknown): boolean {
  if (!(error instanceof RegistryError)) return false;
  return error.code.startsWith('index_') || COMES_BACK.has(error.code);
}

function isLost(error: unknown): boolean {
  return error instanceof RegistryError && error.code === 'lease_lost';
}

/**
 * Does some work again and again, one time after the other with a pause between, from now on until it is stopped or the
 * work rejects. With a longer pause, work that takes its time is done less often. `stop` resolves when no work is under way
 * any more, and rejects with what the work rejected with.
 */
export function repeat(
  work: () => Promise<unknown>,
  pauseMs: number,
  longestPauseMs = pauseMs,
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const loop = (async () => {
    while (!stopped.signal.aborted) {
      const begun = performance.now();
      await work();
      const earned = Math.min(PAUSE_FOR_WORK * (performance.now() - begun), longestPauseMs);
      await pause(Math.max(pauseMs, earned), stopped.signal);
    }
  })();
  loop.catch(() => {}); // whoever stops it hears of the fault; until then it must not end the process
  return {
    async stop() {
      stopped.abort();
      await loop;
    },
  };
}
