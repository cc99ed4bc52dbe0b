import { KINDS_OF_VISIT, type NewVisit } from '../../domain/source.ts';
import { holderName, isAtWorkElsewhere } from '../../this-process.ts';
import type { Db, RecordsDatabase } from '../database.ts';
import { lockAlone, lockShared } from '../locks.ts';
import { addToFrontier } from '../visits/found.ts';
import { addAgents, addSources, namedAgents } from './known-sources.ts';

interface CrawlRun {
  readonly id: number;
  readonly startedAt: number;
  readonly resumed: boolean;
  /** Another process works on the same run: its leases count, and it closes the run. */
  readonly joined: boolean;
  /** Items of the frontier already done, when resumed. */
  readonly done: number;
}

export interface RunProgress {
  /** Items that are not done yet, including leased ones. */
  readonly pending: { readonly domains: number; readonly agents: number };
  /** Agents that the run has come across, new or known. */
  readonly agentsFound: number;
}

/** A run without progress for this long is not resumed, because its first visits are due again. */
const MAX_PAUSE_MS = 24 * 3_600_000;

interface NewRun {
  readonly fingerprint: string;
  readonly seeds: readonly NewVisit[];
  readonly now: number;
}

/** The named crawls, which can be resumed. */
export function createCrawlRuns(database: RecordsDatabase) {
  return {
    /**
     * Adds what is not known yet, due at once or at its `dueAt`; returns how many domains and agents were new. A known source
     * keeps its schedule, but its first visit may be moved forward.
     */
    add: (visits: readonly NewVisit[], now: number) =>
      database.transaction(async (db) => {
        await lockShared(db, 'contents'); // or known sources may be pruned meanwhile
        const added = await addVisits(db, visits, now);
        return added.filter((isNew) => isNew).length;
      }),
    /**
     * Opens the run of a named crawl, or resumes an unfinished one of the same fingerprint. One in which nothing was done
     * for a day is closed, and a new one opened. The seeds become its frontier at depth 0. Resuming a run takes the leases of
     * its unfinished items from their holders.
     */
    openRun: (wanted: NewRun) => database.transaction((db) => openRun(db, wanted)),
    /** How far a run is. */
    progressOf: (run: number) => database.read((db) => readProgress(db, run)),
    closeRun: (run: number, now: number) => database.transaction((db) => closeRun(db, run, now)),
  };
}

async function addVisits(db: Db, visits: readonly NewVisit[], now: number): Promise<readonly boolean[]> {
  const named = visits.map((visit) => ({ ...visit, at: now }));
  const added = await addSources(db, named);
  await addAgents(db, namedAgents(named));
  return added;
}

async function openRun(db: Db, wanted: NewRun): Promise<CrawlRun> {
  const { fingerprint, now } = wanted;
  await lockShared(db, 'contents');
  await lockAlone(db, 'openRun'); // of two processes that open the same run, one begins it and the other joins
  const open = await db
    .selectFrom('crawl_run')
    .select(['id', 'started_at', 'progressed_at', 'done', 'worker'])
    .where('fingerprint', '=', fingerprint)
    .where('finished_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (open === undefined) return beginRun(db, wanted);
  if (now - open.progressed_at >= MAX_PAUSE_MS) {
    await closeRun(db, open.id, now);
    return beginRun(db, wanted);
  }
  const resumed = { id: open.id, startedAt: open.started_at, resumed: true, done: open.done };
  if (isAtWorkElsewhere(open.worker)) return { ...resumed, joined: true };
  await freePending(db, open.id);
  await db.updateTable('crawl_run').set({ worker: holderName() }).where('id', '=', open.id).execute();
  return { ...resumed, joined: false };
}

async function beginRun(db: Db, { fingerprint, seeds, now }: NewRun): Promise<CrawlRun> {
  const { id } = await db
    .insertInto('crawl_run')
    .values({ fingerprint, started_at: now, progressed_at: now, worker: holderName() })
    .returning('id')
    .executeTakeFirstOrThrow();
  await addVisits(db, seeds, now);
  const added = await addToFrontier(
    db,
    id,
    seeds.map(({ kind, key }) => ({ kind, key, depth: 0 })),
  );
  await db
    .updateTable('crawl_run')
    .set({ pending_domains: added.domain, pending_agents: added.agent })
    .where('id', '=', id)
    .execute();
  return { id, startedAt: now, resumed: false, joined: false, done: 0 };
}

async function readProgress(db: Db, run: number): Promise<RunProgress> {
  const row = await db
    .selectFrom('crawl_run')
    .select(['pending_domains', 'pending_agents', 'agents_found'])
    .where('id', '=', run)
    .executeTakeFirst();
  const pending = { domains: row?.pending_domains ?? 0, agents: row?.pending_agents ?? 0 };
  return { pending, agentsFound: row?.agents_found ?? 0 };
}

/** Pending items wait for the next visits of their sources; the sums on the run stay. */
async function closeRun(db: Db, run: number, now: number): Promise<void> {
  await db
    .updateTable('crawl_run')
    .set({ finished_at: now })
    .where('id', '=', run)
    .where('finished_at', 'is', null)
    .execute();
  await db.deleteFrom('crawl_frontier').where('run', '=', run).execute();
}

/**
 * Ends the leases of a run's pending items: their holder is most likely a process that was killed. If it is alive after
 * all, the fence keeps it from writing.
 */
async function freePending(db: Db, run: number): Promise<void> {
  await db
    .updateTable('source')
    .set((row) => ({ fence: row('fence', '+', 1), lease_until: 0 }))
    .where('id', 'in', (row) =>
      row
        .selectFrom('source')
        .select('source.id')
        .where('source.lease_until', '>', 0)
        .where('source.kind', 'in', Object.values(KINDS_OF_VISIT).flat()) // the index of keys begins with the kind
        .where('source.key', 'in', (item) =>
          item
            .selectFrom('crawl_frontier')
            .select('crawl_frontier.key')
            .where('crawl_frontier.run', '=', run)
            .where('crawl_frontier.done', '=', item.lit(0)),
        )
        .orderBy('source.key') // the order in which all processes lock them
        .orderBy('source.kind')
        .forUpdate(),
    )
    .execute();
}
