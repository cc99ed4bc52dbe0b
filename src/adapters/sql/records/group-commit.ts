import { RegistryError } from '../../../errors.ts';

export interface GroupCommitOptions {
  /** How long a commit waits for neighbours, milliseconds. */
  readonly delayMs: number;
  /** So many commits do not wait any longer. */
  readonly maxJobs: number;
}

export interface GroupCommit<Job, Result> {
  /** Settles once the transaction with this job in it was committed, or the job alone was refused. */
  add(job: Job): Promise<Result>;
  /** Writes at once what is waiting. */
  flush(): void;
}

interface Waiting<Job, Result> {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers commits that arrive close together into one call of `write`, which writes all of its jobs or none. When
 * a group fails, each job is tried alone, so that one bad job costs none of its neighbours; a store that cannot
 * be written at all refuses the whole group at once.
 */
export function createGroupCommit<Job, Result>(
  write: (jobs: readonly Job[]) => readonly Result[],
  options: GroupCommitOptions,
): GroupCommit<Job, Result> {
  let waiting: Waiting<Job, Result>[] = [];
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const group = waiting;
    waiting = [];
    if (group.length > 0) writeGroup(write, group);
  };
  return {
    add: (job) =>
      new Promise((resolve, reject) => {
        waiting.push({ job, resolve, reject });
        if (waiting.length >= options.maxJobs) flush();
        else timer ??= setTimeout(flush, options.delayMs);
      }),
    flush,
  };
}

function writeGroup<Job, Result>(
  write: (jobs: readonly Job[]) => readonly Result[],
  group: readonly Waiting<Job, Result>[],
): void {
  try {
    const results = write(group.map((item) => item.job));
    for (const [index, item] of group.entries()) item.resolve(results[index] as Result);
  } catch (error) {
    const alone = group.length === 1 || error instanceof RegistryError;
    for (const item of group) {
      if (alone) item.reject(error);
      else writeGroup(write, [item]);
    }
  }
}
