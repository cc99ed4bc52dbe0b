import type { JobKind, JobQueue } from '../ports/job-queue.ts';

export interface JobResultsOptions {
  readonly queue: JobQueue;
  readonly kind: JobKind;
  /** Hears that the queue did not take the results: they are reported again. */
  readonly onFault: (error: unknown) => void;
}

/** What became of jobs, reported to the queue many at a time. */
export interface JobResults {
  done(id: string): void;
  putBack(id: string): void;
  /** Reports the last ones; never rejects. What could not be reported comes back for want of a sign of life. */
  close(): Promise<void>;
}

/** Results that come within this time are reported together. */
const GATHER_MS = 500;
/** After a queue that did not answer. */
const AGAIN_MS = 2_000;

export function createJobResults({ queue, kind, onFault }: JobResultsOptions): JobResults {
  const waiting = { done: new Set<string>(), putBack: new Set<string>() };
  let timer: NodeJS.Timeout | undefined;
  let reporting: Promise<void> = Promise.resolve();

  const later = (ms: number) => {
    timer ??= setTimeout(() => void report(), ms);
  };
  const reportNow = async () => {
    for (const how of ['done', 'putBack'] as const) {
      const ids = [...waiting[how]];
      await queue[how](kind, ids);
      for (const id of ids) waiting[how].delete(id);
    }
  };
  const report = () => {
    clearTimeout(timer);
    timer = undefined;
    reporting = reporting.then(reportNow).catch((error) => {
      onFault(error);
      later(AGAIN_MS);
    });
    return reporting;
  };
  const gather = (how: keyof typeof waiting) => (id: string) => {
    waiting[how].add(id);
    later(GATHER_MS);
  };
  return {
    done: gather('done'),
    putBack: gather('putBack'),
    async close() {
      await report();
      clearTimeout(timer);
    },
  };
}
