import type { DueRun, RunSchedule, RunWork } from '../../../../ports/run-schedule.ts';
import type { BusyDomains } from '../../../../ports/source-store.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';

import { createPicking } from '../picking.ts';
import { createAskedRuns } from './asked-runs.ts';
import { createDueRuns, type DueRunRow, type DueRuns } from './due-runs.ts';
import { createEndedLeases } from './ended-leases.ts';
import { createRunCounts } from './run-counts.ts';
import { createRunLeases } from './run-leases.ts';

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
        const picked = await store.read(() => pick(all, limit, now, busy, taken));
        if (picked.length === 0) return works;
        const keys = picked.map(({ key }) => key);
        const leased = await store.transaction(() => leases.take(keys, now, { leaseMs, holder }));
        works.push(...leased);
        if (leased.length === picked.length) return works;
      }
    },
    async due(limit, now) {
      const picked = await store.read(() => pick(free, limit, now, NOBODY, []));
      return picked.map(dueRun);
    },
    async takeKeys(keys, now, leaseMs, holder) {
      if (keys.length === 0) return [];
      return store.transaction(() => leases.take(keys, now, { leaseMs, holder }));
    },
    claim: (agent, now, leaseMs, holder) =>
      store.transaction(() => leases.claim(agent, now, { leaseMs, holder })),
    async release(given) {
      if (given.length > 0) await store.transaction(() => leases.release(given));
    },
    ask: (wanted, wait, now) => store.durably(() => asking.ask(wanted, wait, now)),
    asked: (agent) => store.read(() => asking.open(agent)),
    heldBy: (agent, now) => store.read(() => leases.heldBy(agent, now)),
    ...createEndedLeases(store),
    ...createRunCounts(store),
  };
}

/** First what was asked for, in half of the places; then what the clock wants; then again what was asked for. */
function* pick(
  due: DueRuns,
  limit: number,
  now: number,
  busy: BusyDomains,
  taken: readonly DueRunRow[],
): SqlTask<readonly DueRunRow[]> {
  const half = taken.length + Math.ceil((limit - taken.length) / 2);
  const picked: DueRunRow[] = [];
  for (const [offer, most] of [
    [due.asked, half],
    [due.byClock, limit],
    [due.asked, limit],
  ] as const) {
    const before = [...taken, ...picked];
    if (before.length < most) picked.push(...(yield* pickFrom(offer, most, now, busy, before)));
  }
  return picked;
}

function* pickFrom(
  offer: DueRuns['asked'],
  limit: number,
  now: number,
  busy: BusyDomains,
  before: readonly DueRunRow[],
): SqlTask<readonly DueRunRow[]> {
  const picking = createPicking<DueRunRow>(limit, busy, before);
  const known = new Set(before.map(({ key }) => key));
  yield* offer(now, { ...picking, offer: (row) => known.has(row.key) || picking.offer(row) });
  return [...picking.picked.values()];
}

function rowOf({ key, registrableDomain, dueAt }: RunWork): DueRunRow {
  return { key, registrable_domain: registrableDomain, at: dueAt };
}

function dueRun({ key, registrable_domain, at }: DueRunRow): DueRun {
  return { key, registrableDomain: registrable_domain, dueAt: at };
}
