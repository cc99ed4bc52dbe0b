import { RegistryError } from '../../../../errors.ts';

interface GroupCommitOptions {
  /** How long a commit waits for neighbours, milliseconds; a fifth of it when the last one had none. */
  readonly delayMs: number;
  /** So many commits do not wait any longer. */
  readonly maxJobs: number;
}

export interface GroupCommit<Job, Result> {
  /** Settles once the transaction with this job in it was committed, or the job alone was refused. */
  add(job: Job): Promise<Result>;
  /** Writes at once what is waiting; resolves when all of it was written or refused. */
  flush(): Promise<void>;
}

/** Who was alone the last time is probably alone again; two within a fifth of the delay are enough to wait for more. */
const ALONE = 1 / 5;

type Write<Job, Result> = (jobs: readonly Job[]) => Promise<readonly Result[]>;

interface Waiting<Job, Result> {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers commits that arrive close together into one call of `write`, which writes all of its jobs or none. One group
 * is being written at a time; what comes meanwhile makes the next one. When a group fails, each job is tried alone, so
 * that one bad job costs none of its neighbours; a store that cannot be written at all refuses the whole group at once.
 */
export function createGroupCommit<Job, Result>(
  write: Write<Job, Result>,
  options: GroupCommitOptions,
): GroupCommit<Job, Result> {
  const waiting: Waiting<Job, Result>[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let wasAlone = false;

  const writeAll = async (): Promise<void> => {
    wasAlone = waiting.length === 1;
    while (waiting.length > 0) await writeGroup(write, waiting.splice(0, options.maxJobs));
    writing = undefined;
  };
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length > 0) writing ??= writeAll();
    await writing;
  };
  return {
    add: (job) =>
      new Promise((resolve, reject) => {
        waiting.push({ job, resolve, reject });
        if (writing !== undefined) return;
        if (waiting.length >= options.maxJobs) void flush();
        else timer ??= setTimeout(flush, options.delayMs * (wasAlone ? ALONE : 1));
      }),
    flush,
  };
}

async function writeGroup<Job, Result>(
  write: Write<Job, Result>,
  group: readonly Waiting<Job, Result>[],
): Promise<void> {
  try {
    const results = await write(group.map((item) => item.job));
    for (const [index, item] of group.entries()) item.resolve(results[index] as Result);
  } catch (error) {
    const alone = group.length === 1 || error instanceof RegistryError;
    for (const item of group) {
      if (alone) item.reject(error);
      else await writeGroup(write, [item]);
    }
  }
}
