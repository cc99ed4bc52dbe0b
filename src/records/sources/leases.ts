import type { Lease, VisitKind, VisitWork } from '../../domain/source.ts';
import type { BusyDomains, DueVisit, SourceStore } from '../../ports/source-store.ts';
import { ascending } from '../locks.ts';
import { createRowSelection } from '../row-selection.ts';
import type { SqlStore } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { createDueSources, type DueSourceRow } from './due-sources.ts';
import { createPendingItems, type PendingItem } from './frontier.ts';
import { type Candidate, createVisitLeaser, type VisitTerm } from './lease-visits.ts';
import { createParkedAgents, PARKED_MS } from './parked-agents.ts';

/** A file that is due so soon is visited with the other one of its domain. */
const TOGETHER_MS = 10 * 60_000;
const NOBODY: BusyDomains = new Set();
/**
 * The longest rhythm, and an hour for the clock of the process that planned a visit. A visit further ahead was planned by a
 * clock that was wrong, and is due.
 */
const LATEST_MS = PARKED_MS + 3_600_000;
/** Visits that one statement makes due: all of a month would take longer than a statement may. */
const BACK_AT_ONCE = 1_000;

/** Takes work with leases, so that two workers never visit one thing together. */
export type Leases = Pick<SourceStore, 'takeDue' | 'takeRun' | 'due' | 'takeKeys' | 'release'>;

interface Selected extends Candidate {
  readonly registrable_domain: string;
}

export function createLeases(store: SqlStore): Leases {
  const due = createDueSources(store);
  const parked = createParkedAgents(store);
  const lastVisit = prepare(store, selectLast);
  const bringBack = prepare(store, makeDue);
  const pending = createPendingItems(store);
  const lease = createVisitLeaser(store);
  const giveBack = prepare(store, releaseOne, { kinds: { fence: 'number' } });

  async function selectDue(
    kind: VisitKind,
    limit: number,
    now: number,
    busy: BusyDomains | undefined,
    taken: readonly Selected[] = [],
  ): Promise<readonly DueSourceRow[]> {
    await makeStraysDue(kind, now);
    const { selected, unlisted } = await store.read(function* () {
      const selection = createRowSelection<DueSourceRow>(limit, busy, taken);
      return { unlisted: yield* due.offerDue(kind, now, selection), selected: selection.selected };
    });
    if (unlisted.length > 0) await store.transaction(() => parked.park(unlisted, now));
    return [...selected.values()];
  }
  async function makeStraysDue(kind: VisitKind, now: number): Promise<void> {
    const latest = now + LATEST_MS;
    const last = await store.read(() => lastVisit.first({ kind }));
    if (last !== undefined && last.at > latest && !store.readOnly)
      await store.transaction(() => bringBack.run({ kind, now, latest }));
  }
  /** What others were quicker to lease is made up for by what comes next: who gets less than asked for has seen the end. */
  async function take(
    kind: VisitKind,
    term: VisitTerm,
    select: (taken: readonly Selected[]) => Promise<readonly Selected[]>,
  ): Promise<readonly VisitWork[]> {
    const taken: Selected[] = [];
    const works: VisitWork[] = [];
    for (;;) {
      const selected = await select(taken);
      const leased = await lease(kind, selected, term);
      works.push(...leased);
      if (leased.length === selected.length) return works;
      const keys = new Set(leased.map((work) => work.key));
      taken.push(...selected.filter(({ key }) => keys.has(key)));
    }
  }

  return {
    takeDue: (kind, limit, now, leaseMs, busy) =>
      take(kind, dueTerm(now, leaseMs), async (taken) =>
        (await selectDue(kind, limit, now, busy, taken)).map((row) => ({ ...row, depth: 0 })),
      ),
    takeRun: (run, kind, limit, now, leaseMs, busy) =>
      take(kind, anyTime(now, leaseMs), (taken) =>
        store.read(function* () {
          const selection = createRowSelection<PendingItem>(limit, busy, taken);
          yield* pending(run, kind, now, selection);
          return [...selection.selected.values()];
        }),
      ),
    async due(kind, limit, now) {
      await makeStraysDue(kind, now);
      const { selected, unlisted } = await store.read(function* () {
        const selection = createRowSelection<DueSourceRow>(limit, NOBODY, []);
        return { unlisted: yield* due.offerFree(kind, now, selection), selected: selection.selected };
      });
      if (unlisted.length > 0) await store.transaction(() => parked.park(unlisted, now));
      return [...selected.values()].map((row) => dueVisit(kind, row));
    },
    async takeKeys(kind, keys, now, leaseMs) {
      if (keys.length === 0) return [];
      // the lease itself looks whether a file is due; an agent has to be in the list, too
      const listed = kind === 'agent' ? await store.read(() => due.among(kind, keys, now)) : undefined;
      const wanted = [...new Set(keys)].filter((key) => listed?.has(key) !== false);
      const candidates = wanted.map((key) => ({ key, depth: 0 }));
      return lease(kind, candidates, dueTerm(now, leaseMs));
    },
    async release(leases) {
      if (leases.length === 0) return;
      const ordered = leases.toSorted((a, b) => ascending(a.key, b.key) || ascending(a.kind, b.kind));
      await store.transaction(() => giveBack.runEach(ordered));
    },
  };
}

function dueTerm(now: number, leaseMs: number): VisitTerm {
  return { now, until: now + leaseMs, dueBy: now, othersBy: now + TOGETHER_MS };
}

function anyTime(now: number, leaseMs: number): VisitTerm {
  const never = Number.MAX_SAFE_INTEGER;
  return { now, until: now + leaseMs, dueBy: never, othersBy: never };
}

function dueVisit(kind: VisitKind, row: DueSourceRow): DueVisit {
  return { kind, key: row.key, registrableDomain: row.registrable_domain, dueAt: row.at };
}

/** The last one in the index: PostgreSQL would believe that it finds one beyond a parameter in any row. */
function selectLast(param: Param<{ kind: VisitKind }>) {
  return sql
    .selectFrom('visit_due')
    .select('at')
    .where('visit', '=', param('kind'))
    .orderBy('at', 'desc')
    .limit(1);
}

function makeDue(param: Param<{ kind: VisitKind; now: number; latest: number }>) {
  return sql
    .updateTable('source')
    .set({ next_visit_at: param('now') })
    .where('id', 'in', (row) =>
      row
        .selectFrom('visit_due')
        .select('visit_due.source')
        .where('visit_due.visit', '=', param('kind'))
        .where('visit_due.at', '>', param('latest'))
        .orderBy('visit_due.at', 'desc')
        .limit(BACK_AT_ONCE),
    );
}

function releaseOne(param: Param<Pick<Lease, 'kind' | 'key' | 'fence'>>) {
  return sql
    .updateTable('source')
    .set((row) => ({ fence: row('fence', '+', 1), lease_until: 0 }))
    .where('kind', '=', param('kind'))
    .where('key', '=', param('key'))
    .where('fence', '=', param('fence'));
}
