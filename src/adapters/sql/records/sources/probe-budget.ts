import { type Place, prepare, sql } from '../../prepared.ts';
import type { SqlStore } from '../../sql-store.ts';

const HOUR_MS = 3_600_000;

interface Spending {
  readonly domain: string;
  readonly hour: number;
  readonly perHour: number;
}

/** The hour of a moment, counted from the epoch: what `probe_budget.hour` holds. */
export function hourOf(now: number): number {
  return Math.floor(now / HOUR_MS);
}

/** Spends one probe of a domain's hour; the answer is false, and nothing is spent, when none is left. */
export function createProbeBudget(store: SqlStore) {
  const spend = prepare(store, spendOne);
  return async (domain: string, now: number, perHour: number): Promise<boolean> => {
    if (perHour <= 0) return false;
    const spent = await store.transaction(() => spend.get({ domain, hour: hourOf(now), perHour }));
    return spent !== undefined;
  };
}

function spendOne(place: Place<Spending>) {
  return sql
    .insertInto('probe_budget')
    .values({ registrable_domain: place('domain'), hour: place('hour'), spent: 1 })
    .onConflict((known) =>
      known
        .columns(['registrable_domain', 'hour'])
        .doUpdateSet((row) => ({ spent: row('probe_budget.spent', '+', 1) }))
        .where('probe_budget.spent', '<', place('perHour')),
    )
    .returning('spent');
}
