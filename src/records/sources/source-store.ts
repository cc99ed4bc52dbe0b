import { sql } from 'kysely';
import type { DeclaredFacts } from '../../domain/declared-facts.ts';
import type { SourceKey, SourceTally, VisitKind } from '../../domain/source.ts';
import type { StoredDeclaration } from '../../domain/visit.ts';
import type { BodyStore } from '../../ports/body-store.ts';
import type { Db, RecordsDatabase } from '../database.ts';
import { selectDeclarations, storedDeclaration } from '../visits/declaration-rows.ts';
import { commitRederivation } from '../visits/rederivation.ts';
import type { VisitCommits } from '../visits/visit-commits.ts';
import { createCrawlRuns } from './crawl-runs.ts';
import { createFileTexts } from './file-texts.ts';
import { readJourney } from './journey.ts';
import { createLeases } from './leases.ts';
import { spendProbe } from './probe-budget.ts';
import { isOwnFault, type SourceRow, sourceState } from './source-rows.ts';

/**
 * Counting 5 million due visits takes PostgreSQL 8 s, the usual statement limit. Both counts must fit into the 90 s of a
 * shutdown.
 */
const COUNT_LIMITS = { longMs: 50_000 };

/** Sources with their next visit, the leases on them, captures and declaration versions. */
export function createSourceStore(database: RecordsDatabase, visits: VisitCommits, bodies?: BodyStore) {
  return {
    ...createCrawlRuns(database),
    ...createRederivations(database),
    ...createLeases(database),
    ...createFileTexts(database, bodies),
    get: (key: SourceKey) =>
      database.read(async (db) => {
        const row = await findSource(db, key);
        return row && sourceState(row);
      }),
    countDue: (now: number) =>
      database.read(
        async (db) => ({
          domains: await countDue(db, 'domain', now),
          agents: await countDue(db, 'agent', now),
        }),
        COUNT_LIMITS,
      ),
    /** Counts the next sources behind an id, `limit` of them, for figures over all; empty when there are no more. */
    tally: (after: number, limit: number, now: number) =>
      database.read((db) => tallySources(db, after, limit, now)),
    /**
     * Writes one visit of a domain in one transaction: captures, schedule, the new
     * declaration version with its facts, agents made dirty, and what was found. `accepted` is false, and nothing is
     * written, when a lease was lost meanwhile.
     */
    commitDomainVisit: visits.domain,
    commitProbe: visits.probe,
    /**
     * Counts one probe against the budget of a registrable domain for the running hour; false when it is used up, or when
     * what is left is kept for agents that others have named.
     *
     * @param referrer who first named the agent, as `namerOf` says
     */
    async spendProbe(domain: string, now: number, perHour: number, referrer: string) {
      if (perHour <= 0) return false;
      return database.transaction((db) => spendProbe(db, domain, { now, perHour, referrer }));
    },
    /** The live declaration of a source. */
    declaration: ({ kind, key }: SourceKey) =>
      database.read(async (db) => {
        const row = await selectDeclarations(db)
          .whereRef('source.declaration', '=', 'declaration.id')
          .where('source.kind', '=', kind)
          .where('source.key', '=', key)
          .executeTakeFirst();
        return row && storedDeclaration(row);
      }),
    /** Everything for `explain` of a source and the content of its file, newest first, each list at most `limit`. */
    journey: (key: SourceKey, limit: number) =>
      database.read(async (db) => {
        const row = await findSource(db, key);
        return row && readJourney(db, row, limit);
      }),
  };
}

export type SourceStore = ReturnType<typeof createSourceStore>;

function findSource(db: Db, { kind, key }: SourceKey): Promise<SourceRow | undefined> {
  return db
    .selectFrom('source')
    .selectAll()
    .where('kind', '=', kind)
    .where('key', '=', key)
    .executeTakeFirst();
}

async function countDue(db: Db, visit: VisitKind, now: number): Promise<number> {
  const { due } = await db
    .selectFrom('source')
    .select((row) => row.fn.count<number>('key').distinct().as('due'))
    .where('visit', '=', visit)
    .where('next_visit_at', '<=', now)
    .executeTakeFirstOrThrow();
  return due;
}

async function tallySources(
  db: Db,
  after: number,
  limit: number,
  now: number,
): Promise<readonly SourceTally[]> {
  const part = db
    .selectFrom('source')
    .select(['id', 'kind', 'last_outcome'])
    .select([
      sql<number | null>`CAST((${now} - last_success_at) / 60000 AS BIGINT)`.as('minutes'),
      sql<number>`CASE WHEN declaration IS NULL THEN 0 ELSE 1 END`.as('valid'),
      sql<number>`CASE WHEN ${isOwnFault} THEN 1 ELSE 0 END`.as('own'),
    ])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .as('part');
  const rows = await db
    .selectFrom(part)
    .select(({ fn }) => [
      'kind',
      'last_outcome',
      'minutes',
      'valid',
      'own',
      fn.countAll<number>().as('n'),
      fn.max('id').as('last'),
    ])
    .groupBy(['kind', 'last_outcome', 'minutes', 'valid', 'own'])
    .execute();
  return rows.map((row) => ({
    kind: row.kind,
    outcome: row.last_outcome,
    counts: row.valid === 1,
    isOwnFault: row.own === 1,
    minutes: row.minutes === null ? null : Math.max(0, row.minutes),
    n: row.n,
    last: row.last,
  }));
}

/** Declarations that say something else as time passes (`effective_until`): their facts are derived again, with no request. */
function createRederivations(database: RecordsDatabase) {
  return {
    /** Adagents/brand sources whose `rederiveAt` has come: their facts must be derived anew, with no request. */
    dueRederivations: (now: number, limit: number) =>
      database.read(async (db) => {
        const due = await selectDeclarations(db)
          .whereRef('source.declaration', '=', 'declaration.id')
          .where('source.rederive_at', '<=', now)
          .orderBy('source.rederive_at')
          .limit(limit)
          .execute();
        return due.map(storedDeclaration);
      }),
    /** Leaves a declaration whose facts cannot be derived until then, or until another version of it comes. */
    async putOffRederivation(declaration: StoredDeclaration, until: number) {
      await database.transaction((db) => scheduleRederivation(db, declaration, until));
    },
    commitRederivation: (declaration: StoredDeclaration, facts: DeclaredFacts, now: number) =>
      commitRederivation(database, declaration, facts, now),
  };
}

/** A source with a newer declaration is left alone: that has facts of its own. */
async function scheduleRederivation(db: Db, { kind, key, id }: StoredDeclaration, at: number): Promise<void> {
  await db
    .updateTable('source')
    .set({ rederive_at: at })
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('declaration', '=', id)
    .execute();
}
