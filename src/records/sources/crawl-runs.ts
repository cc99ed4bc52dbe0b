import { KINDS_OF_VISIT, type NewVisit, type VisitKind } from '../../domain/source.ts';
import type { CrawlRun, SourceStore } from '../../ports/source-store.ts';
import { holderName, isAtWorkElsewhere } from '../../this-process.ts';
import { ascending, lockAlone, lockShared } from '../locks.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { createFrontier } from './frontier.ts';
import { createKnownSources } from './known-sources.ts';

/** A run in which nothing was done for so long is not resumed: what it visited first is due again. */
const MAX_PAUSE_MS = 24 * 3_600_000;

/** The named crawls and what is left of them. */
export function createCrawlRuns(
  store: SqlStore,
): Pick<SourceStore, 'add' | 'openRun' | 'progressOf' | 'closeRun'> {
  const known = createKnownSources(store);
  const frontier = createFrontier(store);
  const selectOpen = prepare(store, openRun);
  const insertRun = prepare(store, newRun);
  const selectPending = prepare(store, pending);
  const close = prepare(store, closeRun);
  const clear = prepare(store, clearFrontier);
  const free = prepare(store, freePending);
  const adopt = prepare(store, adoptRun);

  function* addVisits(visits: readonly NewVisit[], now: number): SqlTask<readonly boolean[]> {
    const added = yield* known.add(visits.map((visit) => ({ visit, at: now })));
    const agents = visits.filter(({ kind }) => kind === 'agent').map(({ key }) => key);
    yield* known.addAgents(agents.sort(ascending).map((agent) => ({ agent, now, trace: null })));
    return added;
  }
  function* begin(fingerprint: string, seeds: readonly NewVisit[], now: number): SqlTask<CrawlRun> {
    const row = yield* insertRun.first({ fingerprint, now, worker: holderName() });
    const run = row?.id as number;
    yield* addVisits(seeds, now);
    const added = yield* frontier.add(seeds.map(({ kind, key }) => ({ run, kind, key, depth: 0 })));
    const isNew = (kind: VisitKind) => (seed: NewVisit, index: number) =>
      seed.kind === kind && added[index] === 1;
    const domains = seeds.filter(isNew('domain')).length;
    const agents = seeds.filter(isNew('agent')).length;
    yield* frontier.count(run, { domains, agents, found: 0, done: 0, at: now });
    return { id: run, startedAt: now, resumed: false, joined: false, done: 0 };
  }
  function* end(run: number, now: number): SqlTask<void> {
    yield* close.run({ run, now });
    yield* clear.run({ run });
  }
  return {
    add: (visits, now) =>
      store.transaction(function* () {
        yield* call((db) => lockShared(db, 'contents')); // or what is known already may be pruned meanwhile
        const added = yield* addVisits(visits, now);
        return added.filter((isNew) => isNew).length;
      }),
    openRun: ({ fingerprint, seeds, now }) =>
      store.transaction(function* () {
        yield* call((db) => lockShared(db, 'contents'));
        yield* call((db) => lockAlone(db, 'openRun')); // of two processes that open the same run, one begins it and the other joins
        const open = yield* selectOpen.first({ fingerprint });
        if (open === undefined) return yield* begin(fingerprint, seeds, now);
        if (now - open.progressed_at >= MAX_PAUSE_MS) {
          yield* end(open.id, now);
          return yield* begin(fingerprint, seeds, now);
        }
        const resumed = { id: open.id, startedAt: open.started_at, resumed: true, done: open.done };
        if (isAtWorkElsewhere(open.worker)) return { ...resumed, joined: true };
        yield* free.run({ run: open.id });
        yield* adopt.run({ run: open.id, worker: holderName() });
        return { ...resumed, joined: false };
      }),
    async progressOf(run) {
      const row = await store.read(() => selectPending.first({ run }));
      const pending = { domains: row?.pending_domains ?? 0, agents: row?.pending_agents ?? 0 };
      return { pending, agentsFound: row?.agents_found ?? 0 };
    },
    closeRun: (run, now) => store.transaction(() => end(run, now)),
  };
}

function openRun(param: Param<{ fingerprint: string }>) {
  return sql
    .selectFrom('crawl_run')
    .select(['id', 'started_at', 'progressed_at', 'done', 'worker'])
    .where('fingerprint', '=', param('fingerprint'))
    .where('finished_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(1);
}

function newRun(param: Param<{ fingerprint: string; now: number; worker: string }>) {
  return sql
    .insertInto('crawl_run')
    .values({
      fingerprint: param('fingerprint'),
      started_at: param('now'),
      progressed_at: param('now'),
      worker: param('worker'),
    })
    .returning('id');
}

function adoptRun(param: Param<{ run: number; worker: string }>) {
  return sql
    .updateTable('crawl_run')
    .set({ worker: param('worker') })
    .where('id', '=', param('run'));
}

function pending(param: Param<{ run: number }>) {
  return sql
    .selectFrom('crawl_run')
    .select(['pending_domains', 'pending_agents', 'agents_found'])
    .where('id', '=', param('run'));
}

function closeRun(param: Param<{ run: number; now: number }>) {
  return sql
    .updateTable('crawl_run')
    .set({ finished_at: param('now') })
    .where('id', '=', param('run'))
    .where('finished_at', 'is', null);
}

/**
 * Takes the leases of a run's unfinished items from their holder: most likely a process that was killed, whose
 * leases nobody should have to wait for. One that is alive after all is kept from writing by the fence.
 */
function freePending(param: Param<{ run: number }>) {
  return sql
    .updateTable('source')
    .set((row) => ({ fence: row('fence', '+', 1), lease_until: 0 }))
    .where('lease_until', '>', 0)
    .where('kind', 'in', Object.values(KINDS_OF_VISIT).flat()) // all there are: the index of keys begins with it
    .where('key', 'in', (item) =>
      item
        .selectFrom('crawl_frontier')
        .select('crawl_frontier.key')
        .where('crawl_frontier.run', '=', param('run'))
        .where('crawl_frontier.done', '=', 0),
    );
}

/** What was not visited waits for its source's next visit; the sums on the run stay. */
function clearFrontier(param: Param<{ run: number }>) {
  return sql.deleteFrom('crawl_frontier').where('run', '=', param('run'));
}
