import { RegistryError } from '../../errors.ts';

interface GroupCommitOptions {
  /** A group is written when no more came for so long, milliseconds. */
  readonly quietMs: number;
  /** While more keeps coming, it is written so long after its first job. */
  readonly longestMs: number;
  /** So many commits do not wait any longer. */
  readonly maxJobs: number;
}

export interface GroupCommit<Job, Result> {
  /** Settles once the transaction with this job in it was committed, or the job alone was refused. */
  add(job: Job): Promise<Result>;
  /** Writes at once what is waiting; resolves when all of it was written or refused. */
  flush(): Promise<void>;
}

type Write<Job, Result> = (jobs: readonly Job[]) => Promise<readonly Result[]>;

interface Waiting<Job, Result> {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers commits that arrive close together into one call of `write`, which writes all of its jobs or none. One group
 * is being written at a time. When a group fails, each job is tried alone, so
 * that one bad job costs none of its neighbours; a store that cannot be written at all refuses the whole group at once.
 */
export function createGroupCommit<Job, Result>(
  write: Write<Job, Result>,
  { quietMs, longestMs, maxJobs }: GroupCommitOptions,
): GroupCommit<Job, Result> {
  const waiting: Waiting<Job, Result>[] = [];
  let writing: Promise<void> | undefined;
  let quiet: NodeJS.Timeout | undefined;
  let longest: NodeJS.Timeout | undefined;
  let added = 0;

  const begin = (): void => {
    clearTimeout(quiet);
    clearTimeout(longest);
    [quiet, longest] = [undefined, undefined];
    writing = writeGroup(write, waiting.splice(0, maxJobs)).then(() => {
      writing = undefined;
      goOn();
    });
  };
  const goOn = (): void => {
    if (writing !== undefined || waiting.length === 0) return;
    if (waiting.length >= maxJobs) {
      begin();
      return;
    }
    quiet ??= setTimeout(look, quietMs);
    longest ??= setTimeout(begin, longestMs);
  };
  /** After a long turn of the loop it is not quiet: what came meanwhile is heard first. */
  const look = (): void => {
    quiet = undefined;
    const before = added;
    setImmediate(() => {
      if (writing === undefined && waiting.length > 0 && added === before) begin();
      else goOn();
    });
  };
  return {
    add: (job) =>
      new Promise((resolve, reject) => {
        waiting.push({ job, resolve, reject });
        added += 1;
        quiet?.refresh();
        goOn();
      }),
    async flush() {
      while (writing !== undefined || waiting.length > 0) {
        if (writing === undefined) begin();
        await writing;
      }
    },
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
