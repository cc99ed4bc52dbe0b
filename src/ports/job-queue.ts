/** The kinds of work: visit domains, probe agents, test them, stitch and index, prune. */
export const JOB_KINDS = ['crawl', 'probe', 'heartbeat', 'index', 'prune'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** One piece of work. A job is only a hint: the leases of the records decide which process does it. */
export interface Job {
  readonly id: string;
  readonly kind: JobKind;
  /** A domain, the canonical URL of an agent, or the name of a pipeline; queued once at a time. */
  readonly key: string;
  /** The trace id in the logs of every process: 32 lower-case hexadecimal digits. */
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

/** Work for many processes. Calls reject with `queue_unavailable`, retryable, if the queue does not answer; nothing is lost. */
export interface JobQueue {
  /** Adds the jobs whose keys are neither waiting nor active; returns their number. */
  add(kind: JobKind, jobs: readonly NewJob[]): Promise<number>;
  /**
   * Takes at most `limit` jobs, oldest first. They belong to this process while it sends heartbeats; after a minute without one
   * they are redelivered.
   */
  take(kind: JobKind, limit: number): Promise<readonly Job[]>;
  /** The jobs are done. A late call is harmless. */
  done(kind: JobKind, ids: readonly string[]): Promise<void>;
  /** Returns jobs that were not done; they are redelivered after a few seconds. */
  putBack(kind: JobKind, ids: readonly string[]): Promise<void>;
  depth(kind: JobKind): Promise<QueueDepth>;
  /**
   * Runs `tick` on a schedule, a cron expression of five fields in UTC. It runs in one of the processes that scheduled it, and not
   * again before it has ended. After a few seconds, a tick that rejected or whose process ended runs again in any of them. An
   * invalid expression rejects with `usage`. The last schedule set for a name applies to all processes.
   */
  every(name: string, cron: string, tick: () => Promise<void>): Promise<void>;
  /** Removes the schedule with this name, for all processes. */
  never(name: string): Promise<void>;
  /** Stops taking jobs, and closes the connection. */
  close(): Promise<void>;
}
