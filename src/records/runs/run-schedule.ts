import type { DueRun, RunSchedule, RunWork } from '../../ports/run-schedule.ts';
import type { BusyDomains } from '../../ports/source-store.ts';
import { createRowSelection } from '../row-selection.ts';
import { freedClaims } from '../sources/politeness.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { createAskedRuns } from './asked-runs.ts';
import { createDueCount, createDueRuns, type DueRunRow, type RunOffers } from './due-runs.ts';
import { createReconsideration } from './run-clock.ts';
import { createRunLeases, RUN_OUT } from './run-leases.ts';

const NOBODY: BusyDomains = new Set();

/** Which agents are to be tested, and who tests them now. */
export function createRunSchedule(store: SqlStore): RunSchedule {
  const all = createDueRuns(store, 'all');
  const free = createDueRuns(store, 'free');
  const leases = createRunLeases(store);
  const asking = createAskedRuns(store);
  return {
    /** What others were quicker to lease is made up for: who gets less than asked for has seen the end. */
    async takeDue(limit, now, leaseMs, holder, busy = NOBODY) {
      const works: RunWork[] = [];
      for (;;) {
        const taken = works.map(rowOf);
        const selected = await store.read(() => selectDue(all, limit, now, busy, taken));
        if (selected.length === 0) return works;
        const keys = selected.map(({ key }) => key);
        const leased = await store.transaction(() => leases.take(keys, now, { leaseMs, holder }));
        works.push(...leased);
        if (leased.length === selected.length) return works;
      }
    },
    async due(limit, now) {
      const selected = await store.read(() => selectDue(free, limit, now, NOBODY, []));
      return selected.map(dueRun);
    },
    async takeKeys(keys, now, leaseMs, holder) {
      if (keys.length === 0) return [];
      return store.transaction(() => leases.take(keys, now, { leaseMs, holder }));
    },
    claim: (agent, now, leaseMs, holder) =>
      store.transaction(() => leases.claim(agent, now, { leaseMs, holder })),
    tellSoFar: (lease, soFar) => store.transaction(() => asking.tellSoFar(lease, soFar)),
    async release(given) {
      if (given.length > 0) await store.transaction(() => leases.release(given));
    },
    ask: (wanted, wait, now) => store.durably(() => asking.ask(wanted, wait, now)),
    asked: (agent) => store.read(() => asking.open(agent)),
    heldBy: (agent, now) => store.read(() => leases.heldBy(agent, now)),
    ...createEndedLeases(store),
    ...createDueCount(store),
    ...createReconsideration(store),
  };
}

/** First what was asked for, in half of the places; then what the clock wants; then again what was asked for. */
function* selectDue(
  due: RunOffers,
  limit: number,
  now: number,
  busy: BusyDomains,
  taken: readonly DueRunRow[],
): SqlTask<readonly DueRunRow[]> {
  const half = taken.length + Math.ceil((limit - taken.length) / 2);
  const selected: DueRunRow[] = [];
  for (const [offer, most] of [
    [due.asked, half],
    [due.byClock, limit],
    [due.asked, limit],
  ] as const) {
    const before = [...taken, ...selected];
    if (before.length < most) selected.push(...(yield* selectRows(offer, most, now, busy, before)));
  }
  return selected;
}

function* selectRows(
  offer: RunOffers['asked'],
  limit: number,
  now: number,
  busy: BusyDomains,
  before: readonly DueRunRow[],
): SqlTask<readonly DueRunRow[]> {
  const selection = createRowSelection<DueRunRow>(limit, busy, before);
  const known = new Set(before.map(({ key }) => key));
  yield* offer(now, { ...selection, offer: (row) => known.has(row.key) || selection.offer(row) });
  return [...selection.selected.values()];
}

function rowOf({ key, registrableDomain, dueAt }: RunWork): DueRunRow {
  return { key, registrable_domain: registrableDomain, at: dueAt };
}

function dueRun({ key, registrable_domain, at }: DueRunRow): DueRun {
  return { key, registrableDomain: registrable_domain, dueAt: at };
}

type Holder = { readonly holder: string };

/** Who tests agents now, and what becomes of the agents of one that has ended. */
function createEndedLeases(store: SqlStore): Pick<RunSchedule, 'holders' | 'releaseOf'> {
  const selectHolders = prepare(store, currentHolders);
  const selectHeld = prepare(store, heldRuns);
  const freeRuns = prepare(store, freedRuns);
  const freeClaims = prepare(store, freedClaims);
  function* free(holder: string, now: number): SqlTask<number> {
    const held = yield* selectHeld.all({ holder });
    if (held.length === 0) return 0;
    yield* freeRuns.run({ agents: held.map(({ agent }) => agent) });
    const domains = held.map(({ registrable_domain }) => registrable_domain);
    yield* freeClaims.run({ domains, holder, freeAt: now });
    return held.length;
  }
  return {
    async holders(now) {
      const rows = await store.read(() => selectHolders.all({ now }));
      return rows.flatMap(({ lease_holder }) => lease_holder ?? []);
    },
    releaseOf: (holder, now) => store.transaction(() => free(holder, now)),
  };
}

function currentHolders(param: Param<{ now: number }>) {
  return sql
    .selectFrom('run_schedule')
    .select('lease_holder')
    .distinct()
    .where('lease_holder', 'is not', null)
    .where('lease_until', '>', param('now'))
    .orderBy('lease_holder');
}

/** In one order, and held until they are free: several may see at once that a process has ended. */
function heldRuns(param: Param<Holder>) {
  return sql
    .selectFrom('run_schedule')
    .select(['agent', 'registrable_domain'])
    .where('lease_holder', '=', param('holder'))
    .orderBy('agent')
    .forUpdate();
}

function freedRuns(param: Param<{ readonly agents: readonly string[] }>) {
  return sql
    .updateTable('run_schedule')
    .set((row) => ({
      ...{ fence: row('fence', '+', 1), lease_until: RUN_OUT },
      ...{ lease_holder: null, leased_run: null },
    }))
    .where('agent', 'in', param.list('agents'));
}
