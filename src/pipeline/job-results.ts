import type { JobKind, JobQueue } from '../ports/job-queue.ts';

export interface JobResultsOptions {
  readonly queue: JobQueue;
  readonly kind: JobKind;
  /** Hears that the queue did not take the results: they are told again. */
  readonly onFault: (error: unknown) => void;
}

/** What became of jobs, told to the queue many at a time. */
export interface JobResults {
  done(id: string): void;
  putBack(id: string): void;
  /** Tells the last ones; never rejects. What could not be told comes back for want of a sign of life. */
  close(): Promise<void>;
}

/** Results that come within this time are told together. */
const GATHER_MS = 500;
/** After a queue that did not answer. */
const AGAIN_MS = 2_000;

export function createJobResults({ queue, kind, onFault }: JobResultsOptions): JobResults {
  const waiting = { done: new Set<string>(), putBack: new Set<string>() };
  let timer: NodeJS.Timeout | undefined;
  let telling: Promise<void> = Promise.resolve();

  const later = (ms: number) => {
    timer ??= setTimeout(() => void tell(), ms);
  };
  const tellNow = async () => {
    for (const how of ['done', 'putBack'] as const) {
      const ids = [...waiting[how]];
      await queue[how](kind, ids);
      for (const id of ids) waiting[how].delete(id);
    }
  };
  const tell = () => {
    clearTimeout(timer);
    timer = undefined;
    telling = telling.then(tellNow).catch((error) => {
      onFault(error);
      later(AGAIN_MS);
    });
    return telling;
  };
  const gather = (how: keyof typeof waiting) => (id: string) => {
    waiting[how].add(id);
    later(GATHER_MS);
  };
  return {
    done: gather('done'),
    putBack: gather('putBack'),
    async close() {
      await tell();
      clearTimeout(timer);
    },
  };
}
