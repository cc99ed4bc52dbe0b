import { PgBoss, type Queue } from 'pg-boss';
import { pause } from '../../base/back-off.ts';
import { RegistryError } from '../../errors.ts';
import { JOB_KINDS, type Job, type JobKind, type JobQueue, type QueueDepth } from '../../ports/job-queue.ts';
import { isRefused } from '../../records/postgres/postgres-error.ts';
import { liveAddress } from '../live-address.ts';
import { bossOptions, QUEUE_SCHEMA } from './boss-options.ts';
import { createHeldJobs } from './held-jobs.ts';
import { badCron, guarded, queueUnavailable } from './queue-error.ts';

export interface PgBossQueueOptions {
  /** `postgres://…`, the same database as the records. */
  readonly address: string;
  /** Reads the address again, for one that may change while the process runs. */
  readonly readAddress?: () => string | undefined;
  /** Whether to run schedules; for schedulers only. Default false. */
  readonly cron?: boolean;
  /** Called for background errors; the next attempt is automatic. */
  readonly onFault: (error: unknown) => void;
  /** Jobs are redelivered after this time without a heartbeat, seconds, at least 10. */
  readonly aliveSeconds: number;
  /** How often expired jobs are looked for, seconds. */
  readonly superviseSeconds: number;
}

/** A job whose process hangs is redelivered after this, which is twice as long as any visit may wait and take. */
const VISIT_EXPIRY_SECONDS = 30 * 60;
/** The most that the library allows; stitching everything may take hours. */
const PIPELINE_EXPIRY_SECONDS = 24 * 60 * 60 - 1;
/** Pause before a returned job is redelivered. */
const RETRY_SECONDS = 5;
/** Jobs are never given up: the records decide what is due. */
const RETRIES = 1_000_000_000;
const CLOSE_MS = 5_000;

/**
 * Opens the job queue in PostgreSQL. Rejects with `queue_unavailable` if the database does not answer. The first call creates its
 * tables; many processes may open it at once.
 */
export async function openPgBossQueue(options: PgBossQueueOptions): Promise<JobQueue> {
  const { onFault, aliveSeconds } = options;
  const address = liveAddress(options.address, options.readAddress);
  const boss = new PgBoss(bossOptions(options, address));
  const onBackground = (error: unknown) => {
    // the address has changed since, and the next attempt of the library uses it
    if (isRefused(error) && address.cooldown() === undefined) return;
    onFault(error instanceof RegistryError ? error : queueUnavailable(error));
  };
  boss.on('error', onBackground);
  try {
    await boss.start();
    for (const kind of JOB_KINDS) await ensureQueue(boss, kind, aliveSeconds);
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {}); // `error` is the cause
    throw queueUnavailable(error);
  }
  const held = createHeldJobs(
    (kind, ids) => guarded(() => boss.touch(kind, ids)),
    (aliveSeconds * 1_000) / 4,
    onBackground,
  );
  return {
    add: (kind, jobs) => guarded(() => addJobs(boss, kind, jobs)),
    async take(kind, limit) {
      const jobs = await guarded(() => takeJobs(boss, kind, limit));
      held.add(kind, idsOf(jobs));
      return jobs;
    },
    async done(kind, ids) {
      if (ids.length === 0) return;
      // deleted instead of completed: the records are the history, and a completed row would have to be deleted later
      await guarded(() => boss.deleteJob(kind, [...ids]));
      held.drop(kind, ids);
    },
    async putBack(kind, ids) {
      if (ids.length === 0) return;
      held.drop(kind, ids); // first: if returning them fails, they are redelivered when the heartbeat expires
      await guarded(() => boss.fail(kind, [...ids]));
    },
    depth: (kind) => guarded(() => depthOf(boss, kind)),
    every: (name, cron, tick) =>
      every(boss, { name, cron, aliveSeconds }, () =>
        tick().catch((error) => {
          if (!isInterrupted(error)) onFault(error);
          throw error; // the queue redelivers it
        }),
      ),
    never: (name) => guarded(() => boss.unschedule(cronQueue(name))),
    async close() {
      held.stop();
      await Promise.race([boss.stop({ timeout: CLOSE_MS }), pause(CLOSE_MS, undefined, { unref: true })]);
    },
  };
}

async function ensureQueue(boss: PgBoss, kind: JobKind, aliveSeconds: number): Promise<void> {
  const isVisit = kind === 'crawl' || kind === 'probe';
  const settings = {
    retryLimit: RETRIES,
    retryDelay: RETRY_SECONDS,
    heartbeatSeconds: aliveSeconds,
    expireInSeconds: isVisit ? VISIT_EXPIRY_SECONDS : PIPELINE_EXPIRY_SECONDS,
  } satisfies Partial<Queue>;
  await boss.createQueue(kind, { policy: 'exclusive', ...settings });
  await boss.updateQueue(kind, settings); // an existing queue keeps its policy and gets these settings
}

interface JobData {
  readonly key: string;
  readonly trace: string;
}

async function addJobs(boss: PgBoss, kind: JobKind, jobs: Parameters<JobQueue['add']>[1]): Promise<number> {
  if (jobs.length === 0) return 0;
  // sorted: two schedulers that add the same keys in another order would wait for each other
  const ordered = jobs.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const rows = ordered.map(({ key, traceId }) => ({
    singletonKey: key,
    data: { key, trace: traceId } satisfies JobData,
  }));
  const added = await boss.insert(kind, rows, { returnId: true });
  return added?.length ?? 0;
}

async function takeJobs(boss: PgBoss, kind: JobKind, limit: number): Promise<readonly Job[]> {
  const rows = await boss.fetch<JobData>(kind, { batchSize: limit });
  return rows.map(({ id, data }) => ({ id, kind, key: data.key, traceId: data.trace }));
}

async function depthOf(boss: PgBoss, kind: JobKind): Promise<QueueDepth> {
  const { rows } = await boss.getDb().executeSql(
    `SELECT count(*) FILTER (WHERE state < 'active')::int AS waiting,
       count(*) FILTER (WHERE state = 'active')::int AS active,
       min(created_on) FILTER (WHERE state < 'active') AS oldest
     FROM ${QUEUE_SCHEMA}.job WHERE name = $1 AND state <= 'active' AND policy = 'exclusive'`,
    [kind],
  );
  const { waiting, active, oldest } = rows[0] as {
    readonly waiting: number;
    readonly active: number;
    readonly oldest: Date | null;
  };
  return { waiting, active, ...(oldest !== null && { oldestAt: oldest.getTime() }) };
}

interface CronTick {
  readonly name: string;
  readonly cron: string;
  readonly aliveSeconds: number;
}

async function every(
  boss: PgBoss,
  { name, cron, aliveSeconds }: CronTick,
  tick: () => Promise<void>,
): Promise<void> {
  if (cron.trim().split(/\s+/).length !== 5) throw badCron(name, cron);
  const queue = cronQueue(name);
  const settings = {
    ...{ retryLimit: RETRIES, retryDelay: RETRY_SECONDS, heartbeatSeconds: aliveSeconds },
    ...{ expireInSeconds: PIPELINE_EXPIRY_SECONDS, deleteAfterSeconds: 3_600 },
  } satisfies Partial<Queue>;
  await guarded(() => boss.createQueue(queue, { policy: 'exclusive', ...settings }));
  await guarded(() => boss.updateQueue(queue, settings)); // as above
  try {
    await boss.schedule(queue, cron, {}, { tz: 'UTC' });
  } catch (error) {
    // errors of the database have a code, those of the cron parser have none
    if (error instanceof Error && 'code' in error) await guarded(() => Promise.reject(error));
    throw badCron(name, cron, error);
  }
  await guarded(() => boss.work(queue, { pollingIntervalSeconds: 2 }, () => tick()));
}

function isInterrupted(error: unknown): boolean {
  return error instanceof RegistryError && error.code === 'interrupted';
}

function cronQueue(name: string): string {
  return `cron-${name}`;
}

function idsOf(jobs: readonly Job[]): string[] {
  return jobs.map((job) => job.id);
}
