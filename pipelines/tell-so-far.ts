import { pause } from '../src/base/back-off.ts';
import type { Progress } from '../src/compliance/run/run-state.ts';
import { soFarAfter } from '../src/compliance/run/so-far.ts';
import type { RunSoFar } from '../src/domain/run-so-far.ts';
import type { RunLease } from '../src/ports/run-schedule.ts';
import type { RunContext } from './run-context.ts';

/** What comes within this time is written together, milliseconds. */
const GATHER_MS = 250;

/** Writes down how far a run is, for whoever watches it from another process. */
export interface SoFarTeller {
  tell(progress: Progress): void;
  /** Nothing is written after it. Never rejects. */
  end(): Promise<void>;
}

/**
 * Under its lease, one write at a time, of the newest. Nobody waits for it, and the run is worth more than its progress: after a
 * write that fails there is no other.
 */
export function tellSoFar(
  lease: RunLease,
  { records, log }: Pick<RunContext, 'records' | 'log'>,
): SoFarTeller {
  const over = new AbortController();
  let soFar: RunSoFar = { storyboards: 0, steps: 0, begun: [] };
  let isNew = false;
  let writing: Promise<void> | undefined;
  async function write(): Promise<void> {
    while (isNew && !over.signal.aborted) {
      isNew = false;
      await records.runs.tellSoFar(lease, soFar);
      await pause(GATHER_MS, over.signal, { unref: true });
    }
    writing = undefined;
  }
  return {
    tell(progress) {
      soFar = soFarAfter(soFar, progress);
      isNew = true;
      writing ??= write().catch((err: unknown) => {
        log.info({ agent: lease.agent, err }, 'how far a test is could not be written down');
        over.abort();
      });
    },
    async end() {
      over.abort();
      await writing;
    },
  };
}
