import type { SelectQueryBuilder } from 'kysely';
import { KINDS_OF_VISIT, type VisitKind } from '../../domain/source.ts';
import { DECLARATION_GRACE_MS } from '../../domain/stitch.ts';
import { type Db, listOf } from '../database.ts';
import { LONGEST_LEASE_MS } from '../locks.ts';
import { PAGE_ROWS, pageByPage, type RowSelection } from '../row-selection.ts';
import type { Tables } from '../schema.ts';

/** Sources whose next visit has come and that are under no lease; a domain has one row for each of its files. */

export interface DueSourceRow {
  readonly source: number;
  readonly key: string;
  readonly registrable_domain: string;
  /** When the visit is due. */
  readonly at: number;
  /** 0 for an agent that is not in the list any more. */
  readonly listed: number;
}

type FromDue = SelectQueryBuilder<Tables, 'visit_due', object>;

/**
 * Offers the sources that are due at `now`, longest overdue first, to a selection until it is full. Returns the agents that
 * it met and that are not in the list any more.
 *
 * @param onlyFreeDomains leaves out registrable domains that another process has the turn of, or that have to pause
 */
export async function offerDueSources(
  db: Db,
  kind: VisitKind,
  {
    now,
    fronts,
    onlyFreeDomains,
  }: { readonly now: number; readonly fronts: DueFronts; readonly onlyFreeDomains: boolean },
  selection: RowSelection<DueSourceRow>,
): Promise<readonly string[]> {
  const unlisted: string[] = [];
  const front = await moveFront(db, fronts, kind, now);
  await pageByPage(
    (last: DueSourceRow | undefined) => {
      const { at, source } = last ?? front;
      const page = db
        .selectFrom('visit_due')
        .where((row) => row(row.refTuple('visit_due.at', 'visit_due.source'), '>', row.tuple(at, source)))
        // or all due hosts of a domain would be read to select ten of 100,000
        .where('visit_due.registrable_domain', 'not in', listOf(db, selection.refused()))
        .where('visit_due.found_via', 'not in', listOf(db, selection.withoutFiles))
        .limit(PAGE_ROWS);
      return readDue(onlyFreeDomains ? withoutTakenTurns(page, now) : page, kind, now);
    },
    (row) => {
      if (row.listed === 1) return selection.offer(row);
      unlisted.push(row.key);
      return true;
    },
  );
  return unlisted;
}

/** Those of these domains or agents that are due. They are looked up in the sources: the due times are not ordered by key. */
export async function findDueSources(
  db: Db,
  kind: VisitKind,
  keys: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, DueSourceRow>> {
  const named = db
    .selectFrom('source')
    .select(['id as source', 'next_visit_at as at', 'visit', 'lease_until', 'key'])
    .select(['registrable_domain', 'found_via'])
    .where('kind', 'in', KINDS_OF_VISIT[kind])
    .where('key', 'in', listOf(db, keys));
  const rows = await readDue(db.selectFrom(named.as('visit_due')) as FromDue, kind, now);
  return new Map(rows.filter((row) => row.listed === 1).map((row) => [row.key, row]));
}

async function readDue(from: FromDue, kind: VisitKind, now: number): Promise<readonly DueSourceRow[]> {
  const due = from
    .select(['visit_due.source', 'visit_due.key', 'visit_due.registrable_domain', 'visit_due.at'])
    .where('visit_due.visit', '=', kind)
    .where('visit_due.at', '<=', now)
    .where((row) =>
      row.or([
        row('visit_due.lease_until', '<=', now),
        row('visit_due.lease_until', '>', now + LONGEST_LEASE_MS),
      ]),
    )
    .orderBy('visit_due.at')
    .orderBy('visit_due.source');
  if (kind === 'domain') return due.select((row) => row.lit(1).as('listed')).execute();
  // in the list are agents that are declared, registered, or within the grace after their last declaration
  return due
    .leftJoin('agent', 'agent.agent', 'visit_due.key')
    .leftJoin('registration', 'registration.agent', 'visit_due.key')
    .select((row) =>
      row
        .case()
        .when('registration.agent', 'is not', null)
        .then(1)
        .when(row('agent.authorisation_count', '+', row.ref('agent.mention_count')), '>', 0)
        .then(1)
        .when(
          row.fn.coalesce('agent.declaration_ended_at', 'agent.first_seen_at'),
          '<=',
          now - DECLARATION_GRACE_MS,
        )
        .then(0)
        .else(1)
        .end()
        .as('listed'),
    )
    .execute();
}

/**
 * A pause is kept as a turn without a holder until the domain is free again. A turn that work for a caller has does not
 * keep visits from being tried: this is how the work learns to yield.
 */
function withoutTakenTurns(from: FromDue, now: number): FromDue {
  return from.where('visit_due.registrable_domain', 'not in', (row) =>
    row
      .selectFrom('domain_turn')
      .select('domain_turn.registrable_domain')
      .where('domain_turn.until', '>', now)
      .where('domain_turn.until', '<=', now + LONGEST_LEASE_MS)
      .where('domain_turn.yields', '=', 0),
  );
}

/** So often a search begins with the very first row: it finds visits that were planned for a time that was past already. */
const WHOLE_MS = 10 * 60_000;
/** Other processes plan visits for their now, which is at most this far behind ours: clocks differ, and a commit takes time. */
const BEHIND_MS = 60_000;

/** A place in the order of the due times. */
interface DuePlace {
  readonly at: number;
  readonly source: number;
}

/** The first row that is due, under a lease or not, and when the last search from the very beginning was. */
type DueFront = DuePlace & { readonly wholeAt: number };

/**
 * Where the last search for due visits found its first row: the next one begins there. Each visit moves its row back, and
 * PostgreSQL keeps the old index entry before those that are due until it cleans up, which may be a million visits later.
 * To skip those entries takes longer than to read a batch.
 */
export type DueFronts = Map<VisitKind, DueFront>;

/** Moves the front to the first due row; returns the place after which a search begins. */
async function moveFront(db: Db, fronts: DueFronts, kind: VisitKind, now: number): Promise<DuePlace> {
  const safe = { at: now - BEHIND_MS, source: 0 };
  const justBefore = ({ at, source }: DuePlace) => (at < safe.at ? { at, source: source - 1 } : safe);
  const last = fronts.get(kind);
  // after a clock was put back, the search is whole
  const known = last !== undefined && last.wholeAt <= now && now < last.wholeAt + WHOLE_MS ? last : undefined;
  const from = known ? justBefore(known) : { at: 0, source: 0 };
  const first = await db
    .selectFrom('visit_due')
    .select(['at', 'source'])
    .where('visit', '=', kind)
    .where((row) => row(row.refTuple('at', 'source'), '>', row.tuple(from.at, from.source)))
    .orderBy('at')
    .orderBy('source')
    .limit(1)
    .executeTakeFirst();
  const front = { ...(first ?? { at: now, source: 0 }), wholeAt: known?.wholeAt ?? now };
  fronts.set(kind, front);
  return justBefore(front);
}

const DAY_MS = 86_400_000;
/** By then an agent that has left the list, and was not declared again, is pruned. */
export const PARKED_MS = 30 * DAY_MS;

/** Puts off the visits of agents that are not in the list any more, so that no search finds them each time. In a transaction. */
export async function parkAgents(db: Db, agents: readonly string[], now: number): Promise<void> {
  const due = await db
    .selectFrom('source')
    .select('key')
    .where('kind', '=', 'agent')
    .where('key', 'in', listOf(db, agents))
    .where('next_visit_at', '<=', now)
    .orderBy('key') // the order in which all processes lock them
    .forUpdate()
    .execute();
  const keys = due.map(({ key }) => key);
  await db
    .updateTable('source')
    .set({ next_visit_at: now + PARKED_MS })
    .where('kind', '=', 'agent')
    .where('key', 'in', listOf(db, keys))
    .execute();
}

/** Makes an agent due that had left the list and is declared again; any other keeps its next visit. In a transaction. */
export async function unparkAgent(db: Db, agent: string, now: number): Promise<void> {
  await db
    .updateTable('source')
    .set({ next_visit_at: now })
    .where('kind', '=', 'agent')
    .where('key', '=', agent)
    .where('next_visit_at', '>', now + DAY_MS) // no schedule puts a visit off for more than a day
    .execute();
}
