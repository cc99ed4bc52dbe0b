/** What a worker can do: visit domains, probe agents, test them, stitch and index, prune. */
export const JOB_KINDS = ['crawl', 'probe', 'heartbeat', 'index', 'prune'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** One piece of work. A job is only a hint: the records' leases decide who does it. */
export interface Job {
  readonly id: string;
  readonly kind: JobKind;
  /** A domain, an agent's canonical URL, or the name of a pipeline; on the queue once at a time. */
  readonly key: string;
  /** Goes with the work through the logs of every process: 32 lower-case hexadecimal digits. */
  readonly traceId: string;
}

export interface NewJob {
  readonly key: string;
  readonly traceId: string;
}

export interface QueueDepth {
  readonly waiting: number;
  readonly active: number;
  /** When the oldest waiting job was added, epoch milliseconds. */
  readonly oldestAt?: number;
}

/**
 * Work for many processes. A call that the queue cannot answer now rejects with `queue_unavailable`, retryable; nothing
 * is lost by it.
 */
export interface JobQueue {
  /** Adds the jobs whose keys are neither waiting nor in work; returns how many. */
  add(kind: JobKind, jobs: readonly NewJob[]): Promise<number>;
  /**
   * Takes at most `limit` jobs, those that have waited longest first. They are this process's while it lives: when it
   * has not been heard of for a minute, they wait again for anybody.
   */
  take(kind: JobKind, limit: number): Promise<readonly Job[]>;
  /** They are done, or there was nothing to do. Said too late, it does no harm. */
  done(kind: JobKind, ids: readonly string[]): Promise<void>;
  /** Not done: they wait again, and are given out after a few seconds. */
  putBack(kind: JobKind, ids: readonly string[]): Promise<void>;
  depth(kind: JobKind): Promise<QueueDepth>;
  /**
   * Runs `tick` by the cron expression (five fields, minutes, UTC), in one process however many ask for it, and not again
   * before it ended. A tick that rejects, or whose process is gone, is given to any process that asked for it after a few
   * seconds. An expression that cannot be read rejects with `usage`. The last one said for a name holds for all processes.
   */
  every(name: string, cron: string, tick: () => Promise<void>): Promise<void>;
  /** Ends what `every` began under this name, for all processes. */
  never(name: string): Promise<void>;
  /** Gives nothing out any more, and ends. */
  close(): Promise<void>;
}
