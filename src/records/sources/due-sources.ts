import type { SelectQueryBuilder } from 'kysely';
import { KINDS_OF_VISIT, type VisitKind } from '../../domain/source.ts';
import { DECLARATION_GRACE_MS } from '../../domain/stitch.ts';
import { LONGEST_LEASE_MS } from '../locks.ts';
import { PAGE_ROWS, pageByPage, type RowSelection } from '../row-selection.ts';
import type { Tables } from '../schema.ts';
import { call, type Prepared, runTask, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { createDueFront } from './due-front.ts';

export interface DueSourceRow {
  readonly source: number;
  readonly key: string;
  readonly registrable_domain: string;
  /** When the visit is due. */
  readonly at: number;
  /** 0 for an agent out of the list. */
  readonly listed: number;
}

interface DueAt {
  readonly now: number;
  /** What neither a lease nor a turn can reach from now. */
  readonly far: number;
  /** An agent whose last declaration ended later is still in the list. */
  readonly graceFrom: number;
}

interface AfterRow {
  readonly afterAt: number;
  readonly afterSource: number;
  /** Registrable domains that are passed over: of one with 100,000 due hosts all would be read for ten. */
  readonly without: readonly string[];
  readonly withoutFiles: readonly string[];
}

type Pages = Readonly<Record<VisitKind, Prepared<DueAt & AfterRow, DueSourceRow>>>;

/** Sources whose next visit has come and that nobody holds; a domain stands once for each of its files. */
interface DueSources {
  /** Offers them, longest overdue first, until the selection is full; returns agents out of the list on the way. */
  offerDue(kind: VisitKind, now: number, selection: RowSelection<DueSourceRow>): SqlTask<readonly string[]>;
  /** The same without those whose registrable domain somebody has the turn of, or that has to pause. */
  offerFree(kind: VisitKind, now: number, selection: RowSelection<DueSourceRow>): SqlTask<readonly string[]>;
  /** Those of these domains or agents that are due. */
  among(kind: VisitKind, keys: readonly string[], now: number): SqlTask<ReadonlyMap<string, DueSourceRow>>;
}

/** Inside the caller's transaction. */
export function createDueSources(store: SqlStore): DueSources {
  const pages = (from: (param: Param<DueAt & AfterRow>) => FromDue): Pages => ({
    domain: prepare(store, (param) => dueDomains(param, from(param)).limit(PAGE_ROWS)),
    agent: prepare(store, (param) => dueAgents(param, from(param)).limit(PAGE_ROWS)),
  });
  const [all, free] = [pages(behind), pages(freeBehind)];
  const those: Record<VisitKind, Prepared<DueAt & { readonly keys: readonly string[] }, DueSourceRow>> = {
    domain: prepare(store, (param) => dueDomains(param, named('domain', param))),
    agent: prepare(store, (param) => dueAgents(param, named('agent', param))),
  };
  const frontOf = createDueFront(store);
  function* offerRows(pages: Pages, kind: VisitKind, now: number, selection: RowSelection<DueSourceRow>) {
    const unlisted: string[] = [];
    const from = yield* frontOf(kind, now);
    const page = (last: DueSourceRow | undefined) =>
      pages[kind].all({
        ...dueAt(now),
        afterAt: (last ?? from).at,
        afterSource: (last ?? from).source,
        ...{ without: selection.refused(), withoutFiles: selection.withoutFiles },
      });
    const take = (row: DueSourceRow) => {
      if (row.listed === 1) return selection.offer(row);
      unlisted.push(row.key);
      return true;
    };
    yield* call((db) => pageByPage<DueSourceRow>((last) => runTask(db, page(last)), take));
    return unlisted;
  }
  return {
    offerDue: (...wanted) => offerRows(all, ...wanted),
    offerFree: (...wanted) => offerRows(free, ...wanted),
    *among(kind, keys, now) {
      const rows = yield* those[kind].all({ ...dueAt(now), keys });
      return new Map(rows.filter((row) => row.listed === 1).map((row) => [row.key, row]));
    },
  };
}

function dueAt(now: number): DueAt {
  return { now, far: now + LONGEST_LEASE_MS, graceFrom: now - DECLARATION_GRACE_MS };
}

function due(kind: VisitKind, param: Param<DueAt>, from: FromDue) {
  return from
    .select(['visit_due.source', 'visit_due.key', 'visit_due.registrable_domain', 'visit_due.at'])
    .where('visit_due.visit', '=', kind)
    .where('visit_due.at', '<=', param('now'))
    .where((row) => row.or([row('lease_until', '<=', param('now')), row('lease_until', '>', param('far'))]))
    .orderBy('visit_due.at')
    .orderBy('visit_due.source');
}

type FromDue = SelectQueryBuilder<Tables, 'visit_due', object>;

/** What comes behind a row in the order of the due times. */
function behind(param: Param<AfterRow>): FromDue {
  return sql
    .selectFrom('visit_due')
    .where((row) =>
      row(
        row.refTuple('visit_due.at', 'visit_due.source'),
        '>',
        row.tuple(param('afterAt'), param('afterSource')),
      ),
    )
    .where('visit_due.registrable_domain', 'not in', param.list('without'))
    .where('visit_due.found_via', 'not in', param.list('withoutFiles'));
}

/**
 * A turn that ran out is nobody's; one that pauses is kept as a turn of nobody until it may be had again. A turn that work
 * for a caller holds keeps no visit from being tried: that is how it learns to yield. The turns are read once for a page,
 * not for each of its rows.
 */
function freeBehind(param: Param<DueAt & AfterRow>): FromDue {
  return behind(param).where('visit_due.registrable_domain', 'not in', (row) =>
    row
      .selectFrom('domain_turn')
      .select('domain_turn.registrable_domain')
      .where('domain_turn.until', '>', param('now'))
      .where('domain_turn.until', '<=', param('far'))
      .where('domain_turn.yields', '=', 0),
  );
}

/** By name, from the sources: the due times are not ordered by it. */
function named(visit: VisitKind, param: Param<{ keys: readonly string[] }>): FromDue {
  const those = sql
    .selectFrom('source')
    .select(['id as source', 'next_visit_at as at', 'visit', 'lease_until', 'key'])
    .select(['registrable_domain', 'found_via'])
    .where('kind', 'in', KINDS_OF_VISIT[visit])
    .where('key', 'in', param.list('keys'));
  return sql.selectFrom(those.as('visit_due')) as FromDue;
}

function dueDomains(param: Param<DueAt>, from: FromDue) {
  return due('domain', param, from).select((row) => row.lit(1).as('listed'));
}

/** With whether the list has them: declared, registered, or within the grace after the last declaration. */
function dueAgents(param: Param<DueAt>, from: FromDue) {
  return due('agent', param, from)
    .leftJoin('agent', 'agent.agent', 'visit_due.key')
    .leftJoin('registration', 'registration.agent', 'visit_due.key')
    .select((row) =>
      row
        .case()
        .when('registration.agent', 'is not', null)
        .then(1)
        .when(row('agent.authorisation_count', '+', row.ref('agent.mention_count')), '>', 0)
        .then(1)
        .when(row.fn.coalesce('agent.declaration_ended_at', 'agent.first_seen_at'), '<=', param('graceFrom'))
        .then(0)
        .else(1)
        .end()
        .as('listed'),
    );
}
