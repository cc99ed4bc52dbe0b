import { hostname } from 'node:os';
import type { NewVisit } from '../../../domain/source.ts';
import type { SourceStore } from '../../../ports/source-store.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';
import { createFrontier } from './frontier.ts';
import { createKnownSources } from './known-sources.ts';

/** A run in which nothing was done for so long is not gone on with: what it visited first is due again. */
const MAX_PAUSE_MS = 24 * 3_600_000;

/** Who works on a run: a process of a machine. */
const THIS_WORKER = `${hostname()} ${process.pid}`;

/** True when another process of this machine works on the run and is alive; one of another machine has its leases. */
function worksElsewhere(worker: string): boolean {
  const [host, pid] = worker.split(' ');
  if (host !== hostname()) return true;
  if (Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The named crawls and what is left of them. */
export function createCrawlRuns(
  database: SqliteDatabase,
): Pick<SourceStore, 'add' | 'openRun' | 'progressOf' | 'closeRun'> {
  const known = createKnownSources(database);
  const frontier = createFrontier(database);
  const selectOpen = prepare(database, openRun);
  const insertRun = prepare(database, newRun);
  const selectPending = prepare(database, pending);
  const close = prepare(database, closeRun);
  const clear = prepare(database, clearFrontier);
  const free = prepare(database, freePending);
  const adopt = prepare(database, adoptRun);

  const addVisit = (visit: NewVisit, now: number): boolean => {
    if (visit.kind === 'agent') known.addAgent(visit.key, now);
    return known.add(visit, now);
  };
  const begin = (fingerprint: string, seeds: readonly NewVisit[], now: number) => {
    const id = insertRun.get({ fingerprint, now, worker: THIS_WORKER })?.id as number;
    const delta = { domains: 0, agents: 0, found: 0, done: 0, at: now };
    for (const seed of seeds) {
      addVisit(seed, now);
      if (frontier.add({ run: id, kind: seed.kind, key: seed.key, depth: 0 })) {
        delta[seed.kind === 'domain' ? 'domains' : 'agents'] += 1;
      }
    }
    frontier.count(id, delta);
    return { id, startedAt: now, resumed: false, joined: false, done: 0 };
  };
  const end = (run: number, now: number): void => {
    close.run({ run, now });
    clear.run({ run });
  };
  return {
    add: async (visits, now) =>
      database.transaction(() => visits.filter((visit) => addVisit(visit, now)).length),
    openRun: async ({ fingerprint, seeds, now }) =>
      database.transaction(() => {
        const open = selectOpen.get({ fingerprint });
        if (open === undefined) return begin(fingerprint, seeds, now);
        if (now - open.progressed_at >= MAX_PAUSE_MS) {
          end(open.id, now);
          return begin(fingerprint, seeds, now);
        }
        const resumed = { id: open.id, startedAt: open.started_at, resumed: true, done: open.done };
        if (worksElsewhere(open.worker)) return { ...resumed, joined: true };
        free.run({ run: open.id });
        adopt.run({ run: open.id, worker: THIS_WORKER });
        return { ...resumed, joined: false };
      }),
    async progressOf(run) {
      const row = database.guard(() => selectPending.get({ run }));
      const pending = { domains: row?.pending_domains ?? 0, agents: row?.pending_agents ?? 0 };
      return { pending, agentsFound: row?.agents_found ?? 0 };
    },
    closeRun: async (run, now) => database.transaction(() => end(run, now)),
  };
}

function openRun(place: Place<{ fingerprint: string }>) {
  return sql
    .selectFrom('crawl_run')
    .select(['id', 'started_at', 'progressed_at', 'done', 'worker'])
    .where('fingerprint', '=', place('fingerprint'))
    .where('finished_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(1);
}

function newRun(place: Place<{ fingerprint: string; now: number; worker: string }>) {
  return sql
    .insertInto('crawl_run')
    .values({
      fingerprint: place('fingerprint'),
      started_at: place('now'),
      progressed_at: place('now'),
      worker: place('worker'),
    })
    .returning('id');
}

function adoptRun(place: Place<{ run: number; worker: string }>) {
  return sql
    .updateTable('crawl_run')
    .set({ worker: place('worker') })
    .where('id', '=', place('run'));
}

function pending(place: Place<{ run: number }>) {
  return sql
    .selectFrom('crawl_run')
    .select(['pending_domains', 'pending_agents', 'agents_found'])
    .where('id', '=', place('run'));
}

function closeRun(place: Place<{ run: number; now: number }>) {
  return sql
    .updateTable('crawl_run')
    .set({ finished_at: place('now') })
    .where('id', '=', place('run'))
    .where('finished_at', 'is', null);
}

/**
 * Takes the leases of a run's unfinished items from whoever holds them: most likely a process that was killed, whose
 * leases nobody should have to wait for. One that is alive after all is kept from writing by the fence.
 */
function freePending(place: Place<{ run: number }>) {
  return sql
    .updateTable('source')
    .set((row) => ({ fence: row('fence', '+', 1), lease_until: 0 }))
    .where('lease_until', '>', 0)
    .where('key', 'in', (item) =>
      item
        .selectFrom('crawl_frontier')
        .select('crawl_frontier.key')
        .where('crawl_frontier.run', '=', place('run'))
        .where('crawl_frontier.done', '=', 0),
    );
}

/** What was not visited waits for its source's next visit; the sums on the run stay. */
function clearFrontier(place: Place<{ run: number }>) {
  return sql.deleteFrom('crawl_frontier').where('run', '=', place('run'));
}
