import type { Lease, VisitKind, VisitWork } from '../../../../domain/source.ts';
import type { BusyDomains, DueVisit, SourceStore } from '../../../../ports/source-store.ts';
import { ascending } from '../../locks.ts';
import { type SqlStore, together } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';
import { createPicking } from '../picking.ts';
import { createDueSources, type DueSource } from './due-sources.ts';
import { type Candidate, createVisitLeaser, type Term } from './lease-visits.ts';
import { createPendingItems, type PendingItem } from './pending-items.ts';

/** A file that is due so soon is visited with the other one of its domain. */
const TOGETHER_MS = 10 * 60_000;
const NOBODY: BusyDomains = new Set();

/** Takes work with leases, so that two workers never visit one thing together. */
export type Leases = Pick<SourceStore, 'takeDue' | 'takeRun' | 'due' | 'takeKeys' | 'release'>;

export function createLeases(store: SqlStore): Leases {
  const due = createDueSources(store);
  const pending = createPendingItems(store);
  const lease = createVisitLeaser(store);
  const giveBack = prepare(store, releaseOne);

  async function pickDue(
    kind: VisitKind,
    limit: number,
    now: number,
    busy: BusyDomains | undefined,
    taken: readonly Candidate[] = [],
  ): Promise<readonly DueSource[]> {
    const { picked, gone } = await store.read(function* () {
      const picking = createPicking<DueSource>(limit, busy, taken);
      return { gone: yield* due.pick(kind, now, picking), picked: picking.picked };
    });
    if (gone.length > 0) await store.transaction(() => due.park(gone, now));
    return [...picked.values()];
  }
  /** What others were quicker to lease is made up for by what comes next: who gets less than asked for has seen the end. */
  async function take(
    kind: VisitKind,
    term: Term,
    pick: (taken: readonly Candidate[]) => Promise<readonly Candidate[]>,
  ): Promise<readonly VisitWork[]> {
    const taken: Candidate[] = [];
    const works: VisitWork[] = [];
    for (;;) {
      const picked = await pick(taken);
      const leased = await lease(kind, picked, term);
      works.push(...leased);
      if (leased.length === picked.length) return works;
      const keys = new Set(leased.map((work) => work.key));
      taken.push(...picked.filter(({ key }) => keys.has(key)));
    }
  }

  return {
    takeDue: (kind, limit, now, leaseMs, busy) =>
      take(kind, dueTerm(now, leaseMs), async (taken) =>
        (await pickDue(kind, limit, now, busy, taken)).map(atDepth0),
      ),
    takeRun: (run, kind, limit, now, leaseMs, busy) =>
      take(kind, anyTime(now, leaseMs), (taken) =>
        store.read(function* () {
          const picking = createPicking<PendingItem>(limit, busy, taken);
          yield* pending(run, kind, now, picking);
          return [...picking.picked.values()];
        }),
      ),
    async due(kind, limit, now) {
      const { picked, gone } = await store.read(function* () {
        const picking = createPicking<DueSource>(limit, NOBODY, []);
        return { gone: yield* due.pickFree(kind, now, picking), picked: picking.picked };
      });
      if (gone.length > 0) await store.transaction(() => due.park(gone, now));
      return [...picked.values()].map((row) => dueVisit(kind, row));
    },
    async takeKeys(kind, keys, now, leaseMs) {
      if (keys.length === 0) return [];
      const stillDue = await store.read(() => due.among(kind, keys, now));
      const wanted = new Set(keys.filter((key) => stillDue.has(key)));
      const candidates = [...wanted].map((key) => atDepth0(stillDue.get(key) as DueSource));
      return lease(kind, candidates, dueTerm(now, leaseMs));
    },
    async release(leases) {
      if (leases.length === 0) return;
      const ordered = leases.toSorted((a, b) => ascending(a.key, b.key) || ascending(a.kind, b.kind));
      await store.transaction(() =>
        together(ordered.map(({ kind, key, fence }) => giveBack.run({ kind, key, fence }))),
      );
    },
  };
}

function dueTerm(now: number, leaseMs: number): Term {
  return { now, until: now + leaseMs, dueBy: now, othersBy: now + TOGETHER_MS };
}

function anyTime(now: number, leaseMs: number): Term {
  const never = Number.MAX_SAFE_INTEGER;
  return { now, until: now + leaseMs, dueBy: never, othersBy: never };
}

function atDepth0({ key, registrable_domain }: DueSource): Candidate {
  return { key, registrable_domain, depth: 0 };
}

function dueVisit(kind: VisitKind, row: DueSource): DueVisit {
  return { kind, key: row.key, registrableDomain: row.registrable_domain, dueAt: row.next_visit_at };
}

function releaseOne(param: Param<Pick<Lease, 'kind' | 'key' | 'fence'>>) {
  return sql
    .updateTable('source')
    .set((row) => ({ fence: row('fence', '+', 1), lease_until: 0 }))
    .where('kind', '=', param('kind'))
    .where('key', '=', param('key'))
    .where('fence', '=', param('fence'));
}
