import {
  KINDS_OF_VISIT,
  type Lease,
  type LeasedSource,
  type SourceKind,
  type VisitKind,
  type VisitWork,
} from '../../../domain/source.ts';
import type { BusyDomains } from '../../../ports/source-store.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';
import { createDueSources } from './due-sources.ts';
import { sourceState } from './source-state.ts';

/** Taken of one registrable domain in one call: they are visited one after the other, all within their lease. */
const MAX_OF_ONE_DOMAIN = 10;
/** A file that is due so soon is visited with the other one of its domain. */
const TOGETHER_MS = 10 * 60_000;

interface Term {
  readonly now: number;
  readonly until: number;
  /** Sources whose next visit is later are left out. */
  readonly dueBy: number;
}

interface Candidate {
  readonly key: string;
  readonly registrable_domain: string;
  readonly depth: number;
}

/** Takes work with leases, so that two workers never visit one thing together. */
export interface Leases {
  takeDue(kind: VisitKind, limit: number, now: number, leaseMs: number, busy?: BusyDomains): VisitWork[];
  takeRun(
    run: number,
    kind: VisitKind,
    limit: number,
    now: number,
    leaseMs: number,
    busy?: BusyDomains,
  ): VisitWork[];
  release(leases: readonly Lease[]): void;
}

/** What a call takes or gives back, it does in one transaction. */
export function createLeases(database: SqliteDatabase): Leases {
  const due = createDueSources(database);
  const selectPending = prepare(database, pendingItems);
  const lease = prepare(database, leaseOne);
  const giveBack = prepare(database, releaseOne);

  /** The sources that one visit covers, without those that somebody still holds. */
  const leaseVisit = (kind: VisitKind, { key, depth }: Candidate, term: Term): VisitWork => {
    const sources = KINDS_OF_VISIT[kind].flatMap((sourceKind): LeasedSource[] => {
      const row = lease.get({ kind: sourceKind, key, ...term });
      if (row === undefined) return [];
      const held = { kind: sourceKind, key, fence: row.fence, until: term.until };
      return [{ source: sourceState(row), lease: held }];
    });
    return { kind, key, depth, sources };
  };
  /** Looking for work needs no lock: whoever leases an item first has it, and the other gets fewer. */
  const leaseAll = (kind: VisitKind, candidates: readonly Candidate[], term: Term): VisitWork[] => {
    if (candidates.length === 0) return [];
    const works = database.transaction(() =>
      candidates.map((candidate) => leaseVisit(kind, candidate, term)),
    );
    return works.filter((work) => work.sources.length > 0);
  };

  return {
    takeDue(kind, limit, now, leaseMs, busy) {
      const gone: string[] = [];
      const picked = database.guard(() => pick(due.of(kind, now, gone), limit, busy));
      due.park(gone, now);
      return leaseAll(kind, picked, { now, until: now + leaseMs, dueBy: now + TOGETHER_MS });
    },
    takeRun(run, kind, limit, now, leaseMs, busy) {
      const firstKind = KINDS_OF_VISIT[kind][0] as SourceKind;
      const picked = database.guard(() =>
        pick(selectPending.each({ run, kind, firstKind, now }), limit, busy),
      );
      return leaseAll(kind, picked, { now, until: now + leaseMs, dueBy: Number.MAX_SAFE_INTEGER });
    },
    release(leases) {
      if (leases.length === 0) return;
      database.transaction(() => {
        for (const { kind, key, fence } of leases) giveBack.run({ kind, key, fence });
      });
    },
  };
}

/** The first of the candidates, each once; none of a busy domain, and of any only as many as come to their turn soon. */
function pick(candidates: Iterable<Candidate>, limit: number, busy: BusyDomains | undefined): Candidate[] {
  const maxOfDomain = busy === undefined ? limit : MAX_OF_ONE_DOMAIN;
  const picked = new Map<string, Candidate>();
  const ofDomain = new Map<string, number>();
  for (const candidate of candidates) {
    const { key, registrable_domain: domain } = candidate;
    const count = ofDomain.get(domain) ?? 0;
    if (count >= maxOfDomain || picked.has(key) || busy?.has(domain)) continue;
    ofDomain.set(domain, count + 1);
    picked.set(key, candidate);
    if (picked.size >= limit) break;
  }
  return [...picked.values()];
}

function pendingItems(place: Place<{ run: number; kind: VisitKind; firstKind: SourceKind; now: number }>) {
  return sql
    .selectFrom('crawl_frontier as item')
    .innerJoin('source', (join) =>
      join.onRef('source.key', '=', 'item.key').on('source.kind', '=', place('firstKind')),
    )
    .select(['item.key', 'source.registrable_domain', 'item.depth'])
    .where('item.run', '=', place('run'))
    .where('item.kind', '=', place('kind'))
    .where('item.done', '=', 0)
    .where('source.lease_until', '<=', place('now'))
    .orderBy('item.id');
}

function leaseOne(place: Place<Term & { kind: SourceKind; key: string }>) {
  return sql
    .updateTable('source')
    .set((row) => ({ fence: row('fence', '+', 1), lease_until: place('until') }))
    .where('kind', '=', place('kind'))
    .where('key', '=', place('key'))
    .where('lease_until', '<=', place('now'))
    .where('next_visit_at', '<=', place('dueBy'))
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
