import { backOff, pause } from '../../base/back-off.ts';
import { RegistryError } from '../../errors.ts';
import { type Indexer, stitch, stitchAndIndex, update } from './stitch-and-index.ts';

/** Pause between two passes of a server, milliseconds; changes by other processes are indexed within it. */
const SERVED_PAUSE_MS = 1_000;
/** During a run the pause grows with the duration of the pass before, up to this: a change must be published within two seconds. */
const LONGEST_PAUSE_MS = 1_600;
const PAUSE_FOR_WORK = 15;
/** How long the last pass of a run waits for the lease of another process. An abandoned lease expires earlier. */
const PATIENCE_MS = 40_000;
const ASK_AGAIN_MS = 100;
/** How long a request waits until its change is listed, milliseconds. */
const WAIT_MS = 1_000;

/**
 * Stitches in the background during a run, with a pause between two passes, so that early results can be searched early. An index
 * or database that does not answer is reported to `onFault` and tried again later; nothing is lost meanwhile. `stop` makes a last
 * pass, and rejects with the error that ended the passes, if any.
 */
export function stitchInBackground(
  indexer: Indexer,
  pauseMs: number,
  onFault: (error: unknown) => void,
): { stop(): Promise<void> } {
  const tolerate = (error: unknown) => {
    if (!isTemporary(error)) throw error;
    onFault(error);
  };
  const passes = repeat(createPass(indexer, pauseMs, tolerate).run, pauseMs, LONGEST_PAUSE_MS);
  return {
    async stop() {
      await passes.stop();
      await stitchAll(indexer).catch(tolerate);
    },
  };
}

/**
 * Keeps the index up to date while no crawl runs: dates in declarations, the grace period of agents that are no longer declared,
 * and changes by other processes take effect within a second. A failed pass is reported to `onFault` and tried again later.
 * `faults` are the errors of the last pass: of the stitching, of the update of the index, or of both.
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
 * Stitches and indexes everything that is pending; waits at most `patienceMs` for another process that does so. Resolves false if
 * that took longer, or the signal was aborted.
 */
export async function stitchAll(indexer: Indexer, patienceMs = PATIENCE_MS): Promise<boolean> {
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
 * One immediate pass for a caller that waits for its own change, of at most a second, because there may be a backlog, or another
 * process may hold the lease. The passes in the background do the rest.
 */
export async function stitchNow(indexer: Indexer, onFault: (error: unknown) => void): Promise<void> {
  const wait = new AbortController();
  const pass = stitchAndIndex(indexer).catch((error: unknown) => {
    if (!isLost(error)) onFault(error);
  });
  await Promise.race([pass, pause(WAIT_MS, wait.signal)]);
  wait.abort();
}

/** Stitching and updating fail and recover independently: agents are stitched also while the index is unavailable. */
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

const TEMPORARY: ReadonlySet<string> = new Set(['store_unavailable', 'store_denied', 'lease_lost']);

/** Whether a later attempt may succeed: an engine was unavailable, or another process took over. */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof RegistryError)) return false;
  return error.code.startsWith('index_') || TEMPORARY.has(error.code);
}

function isLost(error: unknown): boolean {
  return error instanceof RegistryError && error.code === 'lease_lost';
}

/**
 * Repeats work with a pause in between, until it is stopped or the work rejects. Up to `longestPauseMs`, the pause grows with the
 * duration of the work. `stop` resolves after the current work has ended, and rejects if the work rejected.
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
  loop.catch(() => {}); // `stop` reports it; an unhandled rejection would end the process
  return {
    async stop() {
      stopped.abort();
      await loop;
    },
  };
}
