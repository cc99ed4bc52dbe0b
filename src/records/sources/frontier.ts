import { KINDS_OF_VISIT, type SourceKind, type VisitKind } from '../../domain/source.ts';
import { LONGEST_LEASE_MS } from '../locks.ts';
import { PAGE_ROWS, pageByPage, type RowSelection } from '../row-selection.ts';
import { call, runTask, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

export interface FrontierItem {
  readonly run: number;
  readonly kind: VisitKind;
  readonly key: string;
}

export interface FoundItem extends FrontierItem {
  readonly depth: number;
}

/** How much a run's sums change. */
export interface RunDelta {
  domains: number;
  agents: number;
  /** Agents that are new in the run; only grows. */
  found: number;
  done: number;
  /** When it was last visited for, epoch milliseconds; 0 when it was not. */
  at: number;
}

/** The items of the crawl runs, with running sums on the run, so that asking what is left costs nothing. */
interface Frontier {
  /** Returns of each item 1 when it is new in its run, else 0. */
  add(items: readonly FoundItem[]): SqlTask<readonly number[]>;
  /** Returns of each item 1 when it was pending, else 0. */
  markDone(items: readonly FrontierItem[]): SqlTask<readonly number[]>;
  count(run: number, delta: RunDelta): SqlTask<void>;
}

/** Inside the caller's transaction. */
export function createFrontier(store: SqlStore): Frontier {
  const insert = prepare(store, newItem, { kinds: { run: 'number', depth: 'number' } });
  const done = prepare(store, doneItem, { kinds: { run: 'number' } });
  const count = prepare(store, countItems);
  return {
    add: insert.runEach,
    markDone: done.runEach,
    *count(run, delta) {
      yield* count.run({ run, ...delta });
    },
  };
}

function newItem(param: Param<FoundItem>) {
  return sql
    .insertInto('crawl_frontier')
    .values({ run: param('run'), kind: param('kind'), key: param('key'), depth: param('depth') })
    .onConflict((known) => known.columns(['run', 'kind', 'key']).doNothing());
}

function doneItem(param: Param<FrontierItem>) {
  return sql
    .updateTable('crawl_frontier')
    .set({ done: 1 })
    .where('run', '=', param('run'))
    .where('kind', '=', param('kind'))
    .where('key', '=', param('key'))
    .where('done', '=', 0);
}

function countItems(param: Param<RunDelta & { readonly run: number }>) {
  return sql
    .updateTable('crawl_run')
    .set((row) => ({
      pending_domains: row('pending_domains', '+', param('domains')),
      pending_agents: row('pending_agents', '+', param('agents')),
      agents_found: row('agents_found', '+', param('found')),
      done: row('done', '+', param('done')),
      progressed_at: param.greater(row.ref('progressed_at'), row.val(param('at'))),
    }))
    .where('id', '=', param('run'));
}

export interface PendingItem {
  readonly id: number;
  readonly key: string;
  readonly registrable_domain: string;
  readonly depth: number;
}

interface Pending {
  readonly run: number;
  readonly kind: VisitKind;
  readonly firstKind: SourceKind;
  readonly now: number;
  readonly far: number;
  readonly after: number;
  /** Registrable domains that are passed over. */
  readonly without: readonly string[];
  readonly withoutFiles: readonly string[];
}

/** Offers the items of a run that are not done and that nobody holds, in the order they were found, until the selection is full. */
type PendingItems = (
  run: number,
  kind: VisitKind,
  now: number,
  selection: RowSelection<PendingItem>,
) => SqlTask<void>;

export function createPendingItems(store: SqlStore): PendingItems {
  const select = prepare(store, pendingItems);
  return (run, kind, now, selection) => {
    const firstKind = KINDS_OF_VISIT[kind][0] as SourceKind;
    const page = (last: PendingItem | undefined) =>
      select.all({
        ...{ run, kind, firstKind, now, far: now + LONGEST_LEASE_MS },
        ...{ after: last?.id ?? 0, without: selection.refused(), withoutFiles: selection.withoutFiles },
      });
    return call((db) =>
      pageByPage<PendingItem>(
        (last) => runTask(db, page(last)),
        (item) => selection.offer(item),
      ),
    );
  };
}

function pendingItems(param: Param<Pending>) {
  return sql
    .selectFrom('crawl_frontier as item')
    .innerJoin('source', (join) =>
      join.onRef('source.key', '=', 'item.key').on('source.kind', '=', param('firstKind')),
    )
    .select(['item.id', 'item.key', 'source.registrable_domain', 'item.depth'])
    .where('item.run', '=', param('run'))
    .where('item.kind', '=', param('kind'))
    .where('item.done', '=', 0)
    .where('item.id', '>', param('after'))
    .where((row) =>
      row.or([row('source.lease_until', '<=', param('now')), row('source.lease_until', '>', param('far'))]),
    )
    .where('source.registrable_domain', 'not in', param.list('without'))
    .where('source.found_via', 'not in', param.list('withoutFiles'))
    .orderBy('item.id')
    .limit(PAGE_ROWS);
}
