import { present } from '../../base/json.ts';
import { KINDS_OF_VISIT, type Lease, type VisitKind, type VisitWork } from '../../domain/source.ts';
import { idsIn } from '../agents/queries.ts';
import { type Db, listOf, type RecordsDatabase } from '../database.ts';
import { ascending } from '../locks.ts';
import { type BusyDomains, createRowSelection } from '../row-selection.ts';
import { type DueSourceRow, findDueSources, offerDueSources, PARKED_MS, parkAgents } from './due-sources.ts';
import { offerPending, type PendingItem } from './frontier.ts';
import { isFree, sourceState } from './source-rows.ts';

/** A visit that is due. */
interface DueVisit {
  readonly kind: VisitKind;
  readonly key: string;
  readonly registrableDomain: string;
  /** When it became due, epoch milliseconds. */
  readonly dueAt: number;
  /** Of the visit that found it, while it has not been visited itself. */
  readonly trace?: string;
}

/** A file that is due so soon is visited with the other ones of its domain. */
const TOGETHER_MS = 10 * 60_000;
const NONE_BUSY: BusyDomains = new Set();
/**
 * The longest interval between visits, and an hour for the clock of the process that planned the visit. A visit further ahead
 * was planned by a clock that was wrong, and is due.
 */
const LATEST_MS = PARKED_MS + 3_600_000;
/** Visits that one statement makes due: those of a month would take longer than a statement may. */
const MADE_DUE_AT_ONCE = 1_000;

/** Something to visit. */
interface Candidate {
  readonly key: string;
  readonly depth: number;
}

interface Selected extends Candidate {
  readonly registrable_domain: string;
}

/** The time of a lease, and which sources of a visit it covers. */
interface VisitTerm {
  readonly now: number;
  readonly until: number;
  /** A visit is leased if one of its sources is due by this moment. */
  readonly dueBy: number;
  /** With it come the other sources of the visit that are due by this moment. */
  readonly othersBy: number;
}

/** Leases sources to workers, so that two workers never visit the same one at once. */
export function createLeases(database: RecordsDatabase) {
  async function selectDue(
    kind: VisitKind,
    { limit, now, busy, taken, onlyFreeDomains }: DueSearch,
  ): Promise<readonly DueSourceRow[]> {
    await resetFarFutureVisits(kind, now);
    const { selected, unlisted } = await database.read(async (db) => {
      const selection = createRowSelection<DueSourceRow>(limit, busy, taken);
      return {
        unlisted: await offerDueSources(db, kind, { now, onlyFreeDomains }, selection),
        selected: selection.selected,
      };
    });
    if (unlisted.length > 0) await database.transaction((db) => parkAgents(db, unlisted, now));
    return [...selected.values()];
  }
  async function resetFarFutureVisits(kind: VisitKind, now: number): Promise<void> {
    const last = await database.read((db) => lastPlanned(db, kind));
    const latest = now + LATEST_MS;
    if (last !== undefined && last > latest && !database.readOnly)
      await database.transaction((db) => makeDueBeyond(db, kind, latest, now));
  }
  /** Selects again as long as other processes lease some of the selected visits first: a caller that gets fewer than its limit has all. */
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
  async function lease(
    kind: VisitKind,
    candidates: readonly Candidate[],
    term: VisitTerm,
  ): Promise<readonly VisitWork[]> {
    if (candidates.length === 0) return [];
    return database.transaction((db) => leaseVisits(db, kind, candidates, term));
  }

  return {
    /**
     * Leases sources whose next visit is due, longest overdue first; of the files of a domain only those that are due
     * now or within ten minutes. An agent without a declaration or registration, after its grace period, is not due
     * until it has one again. Leaves busy domains for later. With `busy` a call leases at most ten of one registrable
     * domain: they take turns, and none should wait for its turn longer than its lease.
     */
    takeDue: (kind: VisitKind, limit: number, now: number, leaseMs: number, busy?: BusyDomains) =>
      take(kind, dueTerm(now, leaseMs), async (taken) => {
        const rows = await selectDue(kind, { limit, now, busy, taken, onlyFreeDomains: false });
        return rows.map((row) => ({ ...row, depth: 0 }));
      }),
    /**
     * Takes pending items of the run's frontier, with leases. Leaves items that another process holds, and those of busy
     * domains, for later; `busy` as above.
     */
    takeRun: (
      run: number,
      kind: VisitKind,
      limit: number,
      now: number,
      leaseMs: number,
      busy?: BusyDomains,
    ) =>
      take(kind, anyTime(now, leaseMs), (taken) =>
        database.read(async (db) => {
          const selection = createRowSelection<PendingItem>(limit, busy, taken);
          await offerPending(db, { run, kind, now }, selection);
          return [...selection.selected.values()];
        }),
      ),
    /**
     * What `takeDue` would lease, without leasing it: longest overdue first, each domain or agent once, nothing under
     * lease, at most ten of one registrable domain, and none of a domain that has a turn or has to pause (Politeness),
     * so that a domain with many hosts does not block others. Writes nothing, except that it postpones agents out of
     * the list as `takeDue` does, so that they are not selected again.
     */
    async due(kind: VisitKind, limit: number, now: number): Promise<readonly DueVisit[]> {
      const search = { limit, now, busy: NONE_BUSY, taken: [], onlyFreeDomains: true };
      const rows = await selectDue(kind, search);
      return rows.map(({ key, registrable_domain, at }) => ({
        kind,
        key,
        registrableDomain: registrable_domain,
        dueAt: at,
      }));
    },
    /**
     * Leases those of these visits that are still due and have no lease, under the same rules as `takeDue`, in the
     * order of the keys. Leaves out a domain if none of its files is due now: the ten minutes in advance are only for
     * its other files.
     */
    async takeKeys(kind: VisitKind, keys: readonly string[], now: number, leaseMs: number) {
      if (keys.length === 0) return [];
      // the lease checks that a file is due; an agent has to be in the list, too
      const listed =
        kind === 'agent' ? await database.read((db) => findDueSources(db, kind, keys, now)) : undefined;
      const wanted = [...new Set(keys)].filter((key) => listed?.has(key) !== false);
      return lease(
        kind,
        wanted.map((key) => ({ key, depth: 0 })),
        dueTerm(now, leaseMs),
      );
    },
    /** Gives leases back unused (a clean stop). */
    async release(leases: readonly Lease[]) {
      if (leases.length > 0) await database.transaction((db) => releaseVisits(db, leases));
    },
  };
}

interface DueSearch {
  readonly limit: number;
  readonly now: number;
  readonly busy: BusyDomains | undefined;
  /** Selected before; they count towards the limits. */
  readonly taken: readonly Selected[];
  readonly onlyFreeDomains: boolean;
}

function dueTerm(now: number, leaseMs: number): VisitTerm {
  return { now, until: now + leaseMs, dueBy: now, othersBy: now + TOGETHER_MS };
}

function anyTime(now: number, leaseMs: number): VisitTerm {
  const never = Number.MAX_SAFE_INTEGER;
  return { now, until: now + leaseMs, dueBy: never, othersBy: never };
}

/**
 * Leases the sources of these visits; returns the visits of which any source was due and free, in the order of the
 * candidates.
 */
async function leaseVisits(
  db: Db,
  kind: VisitKind,
  candidates: readonly Candidate[],
  { now, until, dueBy, othersBy }: VisitTerm,
): Promise<readonly VisitWork[]> {
  const kinds = KINDS_OF_VISIT[kind];
  const candidateKeys = candidates.map(({ key }) => key);
  const free = await db
    .selectFrom('source')
    .select(['id', 'key', 'next_visit_at'])
    .where('kind', 'in', kinds)
    .where('key', 'in', listOf(db, candidateKeys))
    .where(isFree(now))
    .where('next_visit_at', '<=', othersBy)
    .orderBy('key') // the order in which all processes lock them
    .orderBy('kind')
    .forUpdate()
    .execute();
  const dueKeys = new Set(free.filter((row) => row.next_visit_at <= dueBy).map(({ key }) => key));
  const ids = free.filter(({ key }) => dueKeys.has(key)).map(({ id }) => id);
  if (ids.length === 0) return [];
  const leased = await db
    .updateTable('source')
    .set((row) => ({ fence: row('fence', '+', 1), lease_until: until }))
    .where('id', 'in', idsIn(db, ids))
    .returningAll()
    .execute();
  const byKey = Map.groupBy(leased, ({ key }) => key);
  return candidates.flatMap(({ key, depth }): VisitWork[] => {
    const rows = byKey.get(key);
    if (rows === undefined) return [];
    rows.sort((a, b) => ascending(a.kind, b.kind));
    const sources = rows.map((row) => ({
      source: sourceState(row),
      lease: { kind: row.kind, key, fence: row.fence, until },
    }));
    const trace = rows.find((row) => row.trace !== null)?.trace;
    return [{ kind, key, depth, sources, ...present({ foundVia: rows[0]?.found_via, trace }) }];
  });
}

async function releaseVisits(db: Db, leases: readonly Lease[]): Promise<void> {
  const ordered = leases.toSorted((a, b) => ascending(a.key, b.key) || ascending(a.kind, b.kind));
  for (const { kind, key, fence } of ordered)
    await db
      .updateTable('source')
      .set((row) => ({ fence: row('fence', '+', 1), lease_until: 0 }))
      .where('kind', '=', kind)
      .where('key', '=', key)
      .where('fence', '=', fence)
      .execute();
}

/** When the last of all visits is planned. */
async function lastPlanned(db: Db, kind: VisitKind): Promise<number | undefined> {
  // not `where at > latest limit 1`: PostgreSQL would expect to find such a row soon, and read all rows
  const row = await db
    .selectFrom('source')
    .select('next_visit_at')
    .where('visit', '=', kind)
    .orderBy('next_visit_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.next_visit_at;
}

async function makeDueBeyond(db: Db, kind: VisitKind, latest: number, now: number): Promise<void> {
  const last = db
    .selectFrom('source')
    .select('id')
    .where('visit', '=', kind)
    .where('next_visit_at', '>', latest)
    .orderBy('next_visit_at', 'desc')
    .limit(MADE_DUE_AT_ONCE);
  const inOrder = db
    .selectFrom('source')
    .select('id')
    .where('id', 'in', last)
    .orderBy('key') // the order in which all processes lock them
    .orderBy('kind')
    .forUpdate();
  await db.updateTable('source').set({ next_visit_at: now }).where('id', 'in', inOrder).execute();
}
