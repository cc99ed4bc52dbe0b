import { type ExpressionBuilder, sql } from 'kysely';
import { KINDS_OF_VISIT, type VisitKind } from '../../domain/source.ts';
import { DECLARATION_GRACE_MS } from '../../domain/stitch.ts';
import { type Db, listOf } from '../database.ts';
import { LONGEST_LEASE_MS } from '../locks.ts';
import { PAGE_ROWS, pageByPage, type RowSelection } from '../row-selection.ts';
import type { Tables } from '../tables.ts';
import { isFree } from './source-rows.ts';

/** Sources whose next visit has come and that are under no lease; a domain has one row for each of its files. */

export interface DueSourceRow {
  readonly id: number;
  readonly key: string;
  readonly registrable_domain: string;
  /** When the visit is due. */
  readonly at: number;
  /** 0 for an agent that is not in the list any more. */
  readonly listed: number;
}

/**
 * Offers the sources that are due at `now`, longest overdue first, to a selection until it is full. Returns the agents that
 * it met and that are not in the list any more.
 *
 * @param onlyFreeDomains leaves out registrable domains that another process has the turn of, or that have to pause
 */
export async function offerDueSources(
  db: Db,
  kind: VisitKind,
  { now, onlyFreeDomains }: { readonly now: number; readonly onlyFreeDomains: boolean },
  selection: RowSelection<DueSourceRow>,
): Promise<readonly string[]> {
  const unlisted: string[] = [];
  await pageByPage(
    (last: DueSourceRow | undefined) => {
      const page = freeSources(db, kind, now)
        .where('source.visit', '=', kind)
        .where('source.next_visit_at', '<=', now)
        // or all due hosts of a domain would be read to select ten of 100,000
        .where('source.registrable_domain', 'not in', listOf(db, selection.refused()))
        .where('source.found_via', 'not in', listOf(db, selection.withoutFiles))
        .orderBy('source.next_visit_at')
        .orderBy('source.id')
        .limit(PAGE_ROWS);
      const after = (row: ExpressionBuilder<Tables, 'source'>) =>
        row(row.refTuple('source.next_visit_at', 'source.id'), '>', row.tuple(last?.at ?? 0, last?.id ?? 0));
      return page
        .$if(last !== undefined, (query) => query.where(after))
        .$if(onlyFreeDomains, (query) =>
          query.where('source.registrable_domain', 'not in', takenDomains(db, now)),
        )
        .execute();
    },
    (row) => {
      if (row.listed === 1) return selection.offer(row);
      unlisted.push(row.key);
      return true;
    },
  );
  return unlisted;
}

/** Those of these domains or agents that are due. */
export async function findDueSources(
  db: Db,
  kind: VisitKind,
  keys: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, DueSourceRow>> {
  const rows = await freeSources(db, kind, now)
    .where('source.kind', 'in', KINDS_OF_VISIT[kind])
    .where('source.key', 'in', listOf(db, keys))
    .orderBy('source.next_visit_at')
    .orderBy('source.id')
    .execute();
  const due = rows.filter(({ at, listed }) => at <= now && listed === 1);
  return new Map(due.map((row) => [row.key, row]));
}

/** The sources that are under no lease. In the list are agents that are declared, registered, or within the grace after their last declaration. */
function freeSources(db: Db, kind: VisitKind, now: number) {
  return db
    .selectFrom('source')
    .where(isFree(now))
    .$if(kind === 'agent', (query) =>
      query
        .leftJoin('agent', 'agent.agent', 'source.key')
        .leftJoin('registration', 'registration.agent', 'source.key'),
    )
    .select(['source.id', 'source.key', 'source.registrable_domain', 'source.next_visit_at as at'])
    .select(() =>
      kind === 'domain'
        ? sql<number>`1`.as('listed')
        : sql<number>`CASE WHEN registration.agent IS NOT NULL THEN 1
            WHEN agent.authorisation_count + agent.mention_count > 0 THEN 1
            WHEN coalesce(agent.declaration_ended_at, agent.first_seen_at) <= ${now - DECLARATION_GRACE_MS} THEN 0
            ELSE 1 END`.as('listed'),
    );
}

/**
 * Domains that a process visits, or that have to pause: a pause is kept as a turn without a holder. Turns of work for
 * callers are not excluded: a visit that tries to claim one makes that work yield.
 */
function takenDomains(db: Db, now: number) {
  return db
    .selectFrom('domain_turn')
    .select('domain_turn.registrable_domain')
    .where('domain_turn.until', '>', now)
    .where('domain_turn.until', '<=', now + LONGEST_LEASE_MS)
    .where('domain_turn.yields', '=', 0);
}

const DAY_MS = 86_400_000;
/** By then an agent that has left the list, and was not declared again, is pruned. */
export const PARKED_MS = 30 * DAY_MS;

/** Puts off the visits of agents that are not in the list any more, so that no search finds them each time. In a transaction. */
export async function parkAgents(db: Db, agents: readonly string[], now: number): Promise<void> {
  const locked = await db
    .selectFrom('source')
    .select('key')
    .where('kind', '=', 'agent')
    .where('key', 'in', listOf(db, agents))
    .orderBy('key') // the order in which all processes lock them
    .forUpdate()
    .execute();
  // after the lock: an agent may have been declared, registered or visited since the search
  const rows = await freeSources(db, 'agent', now)
    .where('source.kind', '=', 'agent')
    .where(
      'source.key',
      'in',
      listOf(
        db,
        locked.map(({ key }) => key),
      ),
    )
    .where('source.next_visit_at', '<=', now)
    .execute();
  const unlisted = rows.filter(({ listed }) => listed === 0).map(({ key }) => key);
  await db
    .updateTable('source')
    .set({ next_visit_at: now + PARKED_MS })
    .where('kind', '=', 'agent')
    .where('key', 'in', listOf(db, unlisted))
    .execute();
}
