import {
  KINDS_OF_VISIT,
  type Lease,
  type LeasedSource,
  type SourceKind,
  type VisitKind,
  type VisitWork,
} from '../../../domain/source.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';
import { sourceState } from './source-state.ts';

interface Term {
  readonly now: number;
  readonly until: number;
}

/** Takes work with leases, so that two workers never visit one thing together. */
export interface Leases {
  takeDue(kind: VisitKind, limit: number, now: number, leaseMs: number): readonly VisitWork[];
  takeRun(run: number, kind: VisitKind, limit: number, now: number, leaseMs: number): readonly VisitWork[];
  release(leases: readonly Lease[]): void;
}

/** What a call takes or gives back, it does in one transaction. */
export function createLeases(database: SqliteDatabase): Leases {
  const selectDue = prepare(database, dueKeys);
  const selectPending = prepare(database, pendingItems);
  const lease = prepare(database, leaseOne);
  const giveBack = prepare(database, releaseOne);

  /** The sources that one visit covers, without those that somebody still holds. */
  const leaseVisit = (kind: VisitKind, key: string, depth: number, { now, until }: Term): VisitWork => {
    const sources = KINDS_OF_VISIT[kind].flatMap((sourceKind): LeasedSource[] => {
      const row = lease.get({ kind: sourceKind, key, now, until });
      return row === undefined
        ? []
        : [{ source: sourceState(row), lease: { kind: sourceKind, key, fence: row.fence, until } }];
    });
    return { kind, key, depth, sources };
  };
  /** Looking for work needs no lock: whoever leases an item first has it, and the other gets fewer. */
  const leaseAll = (
    kind: VisitKind,
    items: readonly (readonly [key: string, depth: number])[],
    term: Term,
  ): VisitWork[] => {
    if (items.length === 0) return [];
    const works = database.transaction(() => items.map(([key, depth]) => leaseVisit(kind, key, depth, term)));
    return works.filter((work) => work.sources.length > 0);
  };

  return {
    takeDue(kind, limit, now, leaseMs) {
      // a domain stands once for each of its files that is due
      const rows = database.guard(() =>
        selectDue.all({ visit: kind, now, limit: limit * KINDS_OF_VISIT[kind].length }),
      );
      const keys = [...new Set(rows.map((row) => row.key))].slice(0, limit);
      return leaseAll(
        kind,
        keys.map((key) => [key, 0] as const),
        { now, until: now + leaseMs },
      );
    },
    takeRun(run, kind, limit, now, leaseMs) {
      const firstKind = KINDS_OF_VISIT[kind][0] as SourceKind;
      const rows = database.guard(() => selectPending.all({ run, kind, firstKind, now, limit }));
      return leaseAll(
        kind,
        rows.map((row) => [row.key, row.depth] as const),
        { now, until: now + leaseMs },
      );
    },
    release(leases) {
      if (leases.length === 0) return;
      database.transaction(() => {
        for (const { kind, key, fence } of leases) giveBack.run({ kind, key, fence });
      });
    },
  };
}

function dueKeys(place: Place<{ visit: VisitKind; now: number; limit: number }>) {
  return sql
    .selectFrom('source')
    .select('key')
    .where('visit', '=', place('visit'))
    .where('next_visit_at', '<=', place('now'))
    .where('lease_until', '<=', place('now'))
    .orderBy('next_visit_at')
    .limit(place('limit'));
}

function pendingItems(
  place: Place<{ run: number; kind: VisitKind; firstKind: SourceKind; now: number; limit: number }>,
) {
  return sql
    .selectFrom('crawl_frontier as item')
    .innerJoin('source', (join) =>
      join.onRef('source.key', '=', 'item.key').on('source.kind', '=', place('firstKind')),
    )
    .select(['item.key', 'item.depth'])
    .where('item.run', '=', place('run'))
    .where('item.kind', '=', place('kind'))
    .where('item.done', '=', 0)
    .where('source.lease_until', '<=', place('now'))
    .orderBy('item.id')
    .limit(place('limit'));
}

function leaseOne(place: Place<Term & { kind: SourceKind; key: string }>) {
  return sql
    .updateTable('source')
    .set((row) => ({ fence: row('fence', '+', 1), lease_until: place('until') }))
    .where('kind', '=', place('kind'))
    .where('key', '=', place('key'))
    .where('lease_until', '<=', place('now'))
    .returningAll();
}

function releaseOne(place: Place<Pick<Lease, 'kind' | 'key' | 'fence'>>) {
  return sql
    .updateTable('source')
    .set((row) => ({ fence: row('fence', '+', 1), lease_until: 0 }))
    .where('kind', '=', place('kind'))
    .where('key', '=', place('key'))
    .where('fence', '=', place('fence'));
}
