import { pause } from '../src/base/back-off.ts';
import type { Progress } from '../src/compliance/run/run-state.ts';
import type { RunSoFar, StoryboardSoFar } from '../src/domain/run-so-far.ts';
import type { RunLease } from '../src/records/runs/run-leases.ts';
import type { RunContext } from './run-context.ts';

/** What comes within this time is written together, milliseconds. */
const GATHER_MS = 250;

/** Stores the progress of a run, for readers in other processes. */
interface SoFarTeller {
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
      await records.runs.reportProgress(lease, soFar);
      await pause(GATHER_MS, over.signal, { unref: true });
    }
    writing = undefined;
  }
  return {
    tell(progress) {
      soFar = soFarAfter(soFar, progress);
      isNew = true;
      writing ??= write().catch((err: unknown) => {
        log.info({ agent: lease.agent, err }, 'test progress could not be stored');
        over.abort();
      });
    },
    async end() {
      over.abort();
      await writing;
    },
  };
}

/** What a run has done so far, after it has told this too. Pure. */
function soFarAfter(before: RunSoFar, progress: Progress): RunSoFar {
  switch (progress.kind) {
    case 'agent':
      return { storyboards: progress.storyboards, steps: progress.steps, begun: [] };
    case 'storyboard': {
      const { id, title } = progress;
      return { ...before, begun: [...before.begun, { id, title, steps: [] }] };
    }
    case 'step': {
      const { title, result, duration_ms } = progress.step;
      return last(before, (one) => ({ ...one, steps: [...one.steps, { title, result, duration_ms }] }));
    }
    case 'result':
      return last(before, (one) => ({ ...one, result: progress.result.result }));
  }
}

function last({ begun, ...size }: RunSoFar, change: (one: StoryboardSoFar) => StoryboardSoFar): RunSoFar {
  return { ...size, begun: begun.map((one, at) => (at === begun.length - 1 ? change(one) : one)) };
}
