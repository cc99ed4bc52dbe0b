import type { SqlStore } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

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
    const spent = await store.transaction(() => spend.first({ domain, hour: hourOf(now), perHour }));
    return spent !== undefined;
  };
}

function spendOne(param: Param<Spending>) {
  return sql
    .insertInto('probe_budget')
    .values({ registrable_domain: param('domain'), hour: param('hour'), spent: 1 })
    .onConflict((known) =>
      known
        .columns(['registrable_domain', 'hour'])
        .doUpdateSet((row) => ({ spent: row('probe_budget.spent', '+', 1) }))
        .where('probe_budget.spent', '<', param('perHour')),
    )
    .returning('spent');
}
