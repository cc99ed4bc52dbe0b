import { sql as rawSql } from 'kysely';
import type { SourceKind, SourceTally, VisitKind } from '../../domain/source.ts';
import type { BodyStore } from '../../ports/body-store.ts';
import type { SourceStore } from '../../ports/source-store.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { all, type Param, prepare, sql } from '../statements.ts';
import { selectDeclarations, storedDeclaration } from '../visits/declaration-rows.ts';
import { commitRederivation } from '../visits/rederivation.ts';
import type { VisitCommits } from '../visits/visit-commits.ts';
import { createCrawlRuns } from './crawl-runs.ts';
import { createFileTexts } from './file-texts.ts';
import { readJourney } from './journey.ts';
import { createLeases } from './leases.ts';
import { createProbeBudget } from './probe-budget.ts';
import { sourceState } from './source-rows.ts';

/**
 * PostgreSQL takes 8 s for five million due visits: as long as a statement may usually take. Metrics and figures do not wait
 * for the count, and want it most when that much is due. But a process that ends does: both counts fit into its 90 s.
 */
const COUNT_LIMITS = { longMs: 50_000 };

/** The sources of a store. */
export function createSourceStore(store: SqlStore, visits: VisitCommits, bodies?: BodyStore): SourceStore {
  const selectSource = prepare(store, sourceByKey);
  const selectCounts = prepare(store, dueCounts);
  const selectDeclaration = prepare(store, liveDeclaration);
  function* countOf(visit: VisitKind, now: number): SqlTask<number> {
    return (yield* selectCounts.first({ visit, now }))?.due ?? 0;
  }
  return {
    ...createCrawlRuns(store),
    ...createRederivations(store),
    ...createLeases(store),
    ...createFileTexts(store, bodies),
    async get({ kind, key }) {
      const row = await store.read(() => selectSource.first({ kind, key }));
      return row && sourceState(row);
    },
    countDue(now) {
      return store.read(function* () {
        // one after the other: the time of a statement runs while it waits for one before it on the connection
        const domains = yield* countOf('domain', now);
        return { domains, agents: yield* countOf('agent', now) };
      }, COUNT_LIMITS);
    },
    tally: (after, limit, now) => store.read(() => tallied(store, after, limit, now)),
    commitDomainVisit: visits.domain,
    commitProbe: visits.probe,
    spendProbe: createProbeBudget(store),
    async declaration({ kind, key }) {
      const row = await store.read(() => selectDeclaration.first({ kind, key }));
      return row && storedDeclaration(row);
    },
    journey: ({ kind, key }, limit) =>
      store.read(function* () {
        const row = yield* selectSource.first({ kind, key });
        return row && (yield* readJourney(store, row, limit));
      }),
  };
}

function sourceByKey(param: Param<{ kind: SourceKind; key: string }>) {
  return sql
    .selectFrom('source')
    .selectAll()
    .where('kind', '=', param('kind'))
    .where('key', '=', param('key'));
}

function dueCounts(param: Param<{ visit: VisitKind; now: number }>) {
  return sql
    .selectFrom('visit_due')
    .select((row) => row.fn.count<number>('key').distinct().as('due'))
    .where('visit', '=', param('visit'))
    .where('at', '<=', param('now'));
}

function* tallied(store: SqlStore, after: number, limit: number, now: number): SqlTask<SourceTally[]> {
  const part = sql
    .selectFrom('source')
    .select(['id', 'kind', 'last_outcome', 'last_success_at', 'declaration', 'last_error'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .as('part');
  const minutes = rawSql<number | null>`CAST((${now} - last_success_at) / 60000 AS BIGINT)`;
  const valid = rawSql<number>`CASE WHEN declaration IS NULL THEN 0 ELSE 1 END`;
  const own = rawSql<number>`CASE WHEN last_error LIKE '{"code":"own_network"%' THEN 1 ELSE 0 END`;
  const rows = yield* all(
    store,
    sql
      .selectFrom(part)
      .select((row) => [
        'kind',
        'last_outcome',
        row.fn.count<number>('id').as('n'),
        row.fn.max('id').as('last'),
      ])
      .select([minutes.as('minutes'), valid.as('valid'), own.as('own')])
      .groupBy(['kind', 'last_outcome', rawSql`5`, rawSql`6`, rawSql`7`]),
  );
  return rows.map((row) => ({
    kind: row.kind,
    outcome: row.last_outcome,
    counts: row.valid === 1,
    isOwnFault: row.own === 1,
    minutes: row.minutes === null ? null : Math.max(0, Number(row.minutes)),
    n: Number(row.n),
    last: Number(row.last),
  }));
}

function liveDeclaration(param: Param<{ kind: SourceKind; key: string }>) {
  return selectDeclarations()
    .whereRef('source.declaration', '=', 'declaration.id')
    .where('source.kind', '=', param('kind'))
    .where('source.key', '=', param('key'));
}

type Rederivations = Pick<SourceStore, 'dueRederivations' | 'commitRederivation' | 'putOffRederivation'>;

/** Declarations that say something else as time passes (`effective_until`), read anew with no request. */
function createRederivations(store: SqlStore): Rederivations {
  const selectDue = prepare(store, dueDeclarations);
  const schedule = prepare(store, rederiveNext);
  return {
    async dueRederivations(now, limit) {
      const due = await store.read(() => selectDue.all({ now, limit }));
      return due.map(storedDeclaration);
    },
    async putOffRederivation({ id }, until) {
      await store.transaction(() => schedule.run({ id, rederiveAt: until }));
    },
    commitRederivation: (declaration, facts, now) => commitRederivation(store, declaration, facts, now),
  };
}

function dueDeclarations(param: Param<{ now: number; limit: number }>) {
  return selectDeclarations()
    .whereRef('source.declaration', '=', 'declaration.id')
    .where('source.rederive_at', '<=', param('now'))
    .orderBy('source.rederive_at')
    .limit(param('limit'));
}

function rederiveNext(param: Param<{ id: number; rederiveAt: number | null }>) {
  return sql
    .updateTable('source')
    .set({ rederive_at: param('rederiveAt') })
    .where('declaration', '=', param('id'))
    .where('id', '=', (row) => row.selectFrom('declaration').select('source').where('id', '=', param('id')));
}
