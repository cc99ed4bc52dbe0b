import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { VisitKind } from '../../../../domain/source.ts';
import { DECLARATION_GRACE_MS } from '../../../../domain/stitch.ts';
import { LONGEST_LEASE_MS } from '../../locks.ts';
import type { Tables } from '../../schema.ts';
import { type SqlStore, type SqlTask, together } from '../../sql-tasks.ts';
import { type Param, type Prepared, prepare, sql } from '../../statements.ts';
import { PAGE_ROWS, pageByPage, type RowSelection } from '../row-selection.ts';
import { PARKED_MS } from '../upkeep/stray-times.ts';

const DAY_MS = 86_400_000;

export interface DueSourceRow {
  readonly id: number;
  readonly key: string;
  readonly registrable_domain: string;
  readonly next_visit_at: number;
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
  readonly afterId: number;
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
  /** Puts the visits of agents that are out of the list off, so that nobody comes across them again every time. */
  park(agents: readonly string[], now: number): SqlTask<void>;
  /** Makes an agent due that had left the list and is declared again; any other keeps its next visit. */
  unpark(agent: string, now: number): SqlTask<void>;
}

/** Inside the caller's transaction. */
export function createDueSources(store: SqlStore): DueSources {
  const all: Pages = {
    domain: prepare(store, (param) => dueDomains(param, behind(param)).limit(PAGE_ROWS)),
    agent: prepare(store, (param) => dueAgents(param, behind(param)).limit(PAGE_ROWS)),
  };
  const free: Pages = {
    domain: prepare(store, (param) => dueDomains(param, freeBehind(param)).limit(PAGE_ROWS)),
    agent: prepare(store, (param) => dueAgents(param, freeBehind(param)).limit(PAGE_ROWS)),
  };
  const those: Record<VisitKind, Prepared<DueAt & { readonly keys: readonly string[] }, DueSourceRow>> = {
    domain: prepare(store, (param) => dueDomains(param, named(param))),
    agent: prepare(store, (param) => dueAgents(param, named(param))),
  };
  const putOff = prepare(store, parkedAgent);
  const bringBack = prepare(store, unparkedAgent);
  function* offerRows(pages: Pages, kind: VisitKind, now: number, selection: RowSelection<DueSourceRow>) {
    const unlisted: string[] = [];
    const page = (last: DueSourceRow | undefined) =>
      pages[kind].all({
        ...dueAt(now),
        afterAt: last?.next_visit_at ?? -1,
        afterId: last?.id ?? 0,
        ...{ without: selection.refused(), withoutFiles: selection.withoutFiles },
      });
    yield* pageByPage(page, (row) => {
      if (row.listed === 1) return selection.offer(row);
      unlisted.push(row.key);
      return true;
    });
    return unlisted;
  }
  return {
    offerDue: (...wanted) => offerRows(all, ...wanted),
    offerFree: (...wanted) => offerRows(free, ...wanted),
    *among(kind, keys, now) {
      const rows = yield* those[kind].all({ ...dueAt(now), keys });
      return new Map(rows.filter((row) => row.listed === 1).map((row) => [row.key, row]));
    },
    *park(agents, now) {
      yield* together(agents.toSorted().map((agent) => putOff.run({ agent, now, until: now + PARKED_MS })));
    },
    *unpark(agent, now) {
      yield* bringBack.run({ agent, now, latest: now + DAY_MS });
    },
  };
}

function dueAt(now: number): DueAt {
  return { now, far: now + LONGEST_LEASE_MS, graceFrom: now - DECLARATION_GRACE_MS };
}

type Narrowed = (row: ExpressionBuilder<Tables, 'source'>) => Expression<SqlBool>;

function due(kind: VisitKind, param: Param<DueAt>, narrowed: Narrowed) {
  return sql
    .selectFrom('source')
    .select(['source.id', 'source.key', 'source.registrable_domain', 'source.next_visit_at'])
    .where('source.visit', '=', kind)
    .where('source.next_visit_at', '<=', param('now'))
    .where((row) =>
      row.or([row('source.lease_until', '<=', param('now')), row('source.lease_until', '>', param('far'))]),
    )
    .where(narrowed)
    .orderBy('source.next_visit_at')
    .orderBy('source.id');
}

function behind(param: Param<AfterRow>): Narrowed {
  return (row) =>
    row.and([
      row(
        row.refTuple('source.next_visit_at', 'source.id'),
        '>',
        row.tuple(param('afterAt'), param('afterId')),
      ),
      row('source.registrable_domain', 'not in', param.list('without')),
      row('source.found_via', 'not in', param.list('withoutFiles')),
    ]);
}

/**
 * A turn that ran out is nobody's; one that pauses is kept as a turn of nobody until it may be had again. The turns are
 * read once for a page, not for each of its rows.
 */
function freeBehind(param: Param<DueAt & AfterRow>): Narrowed {
  return (row) =>
    row.and([
      behind(param)(row),
      row(
        'source.registrable_domain',
        'not in',
        row
          .selectFrom('domain_turn')
          .select('domain_turn.registrable_domain')
          .where('domain_turn.until', '>', param('now'))
          .where('domain_turn.until', '<=', param('far')),
      ),
    ]);
}

function named(param: Param<{ keys: readonly string[] }>): Narrowed {
  return (row) => row('source.key', 'in', param.list('keys'));
}

function dueDomains(param: Param<DueAt>, narrowed: Narrowed) {
  return due('domain', param, narrowed).select((row) => row.lit(1).as('listed'));
}

/** With whether the list has them: declared, registered, or within the grace after the last declaration. */
function dueAgents(param: Param<DueAt>, narrowed: Narrowed) {
  return due('agent', param, narrowed)
    .leftJoin('agent', 'agent.agent', 'source.key')
    .leftJoin('registration', 'registration.agent', 'source.key')
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

function parkedAgent(param: Param<{ agent: string; now: number; until: number }>) {
  return sql
    .updateTable('source')
    .set({ next_visit_at: param('until') })
    .where('kind', '=', 'agent')
    .where('key', '=', param('agent'))
    .where('next_visit_at', '<=', param('now'));
}

/** No schedule puts a visit off for more than a day: what is later was parked. */
function unparkedAgent(param: Param<{ agent: string; now: number; latest: number }>) {
  return sql
    .updateTable('source')
    .set({ next_visit_at: param('now') })
    .where('kind', '=', 'agent')
    .where('key', '=', param('agent'))
    .where('next_visit_at', '>', param('latest'));
}
