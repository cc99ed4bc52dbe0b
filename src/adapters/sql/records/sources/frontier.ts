import type { VisitKind } from '../../../../domain/source.ts';
import { type Place, prepare, sql } from '../../prepared.ts';
import type { SqlStore } from '../../sql-store.ts';
import type { Work } from '../../work.ts';

export interface FrontierItem {
  readonly run: number;
  readonly kind: VisitKind;
  readonly key: string;
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
export interface Frontier {
  /** Returns whether the item is new in this run. */
  add(item: FrontierItem & { readonly depth: number }): Work<boolean>;
  /** Returns whether the item was pending. */
  markDone(item: FrontierItem): Work<boolean>;
  count(run: number, delta: RunDelta): Work<void>;
}

/** Inside the caller's transaction. */
export function createFrontier(store: SqlStore): Frontier {
  const insert = prepare(store, newItem);
  const done = prepare(store, doneItem);
  const count = prepare(store, countItems);
  return {
    *add(item) {
      return (yield* insert.run(item)) > 0;
    },
    *markDone(item) {
      return (yield* done.run(item)) > 0;
    },
    *count(run, delta) {
      yield* count.run({ run, ...delta });
    },
  };
}

function newItem(place: Place<FrontierItem & { readonly depth: number }>) {
  return sql
    .insertInto('crawl_frontier')
    .values({ run: place('run'), kind: place('kind'), key: place('key'), depth: place('depth') })
    .onConflict((known) => known.columns(['run', 'kind', 'key']).doNothing());
}

function doneItem(place: Place<FrontierItem>) {
  return sql
    .updateTable('crawl_frontier')
    .set({ done: 1 })
    .where('run', '=', place('run'))
    .where('kind', '=', place('kind'))
    .where('key', '=', place('key'))
    .where('done', '=', 0);
}

function countItems(place: Place<RunDelta & { readonly run: number }>) {
  return sql
    .updateTable('crawl_run')
    .set((row) => ({
      pending_domains: row('pending_domains', '+', place('domains')),
      pending_agents: row('pending_agents', '+', place('agents')),
      agents_found: row('agents_found', '+', place('found')),
      done: row('done', '+', place('done')),
      progressed_at: place.greater(row.ref('progressed_at'), row.val(place('at'))),
    }))
    .where('id', '=', place('run'));
}
