import { hash } from 'node:crypto';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

const HOUR_MS = 3_600_000;
/** Namers are counted in so many groups, so that their number makes no more rows. */
const GROUPS = 32;

/** The hour of a moment, counted from the epoch: what `probe_budget.hour` holds. */
export function hourOf(now: number): number {
  return Math.floor(now / HOUR_MS);
}

interface Spending {
  readonly domain: string;
  readonly hour: number;
  readonly perHour: number;
}

/**
 * Spends one probe of a domain's hour; the answer is false, and nothing is spent, when none is left. Of the hour each
 * namer may have what the others leave: for every other one is kept what it has wished for in this hour and the last, and
 * no more than an equal share. So a stranger who names a thousand agents of a domain keeps none of the others' from
 * being looked at, and a namer that is alone has the whole hour.
 */
export function createProbeBudget(store: SqlStore) {
  const spend = prepare(store, spendOne);
  const read = prepare(store, wishes);
  function* left(domain: string, hour: number, perHour: number, namer: string): SqlTask<boolean> {
    const own = groupOf(domain, hour, namer);
    const wished = (yield* spend.first({ domain: own, hour, perHour: Number.MAX_SAFE_INTEGER }))?.spent ?? 1;
    const domains = Array.from({ length: GROUPS }, (_, group) => keyOf(domain, group));
    const rows = yield* read.all({ domains, last: hour - 1, hour });
    const ownBefore = groupOf(domain, hour - 1, namer);
    const others = [
      rows.filter((row) => row.hour === hour && row.registrable_domain !== own),
      rows.filter((row) => row.hour !== hour && row.registrable_domain !== ownBefore),
    ];
    const kept = others.map((group) => {
      const share = Math.floor(perHour / (group.length + 1));
      return group.reduce((sum, { spent }) => sum + Math.min(spent, share), 0);
    });
    return wished <= perHour - Math.max(...kept);
  }
  return async (domain: string, now: number, perHour: number, namer = ''): Promise<boolean> => {
    if (perHour <= 0) return false;
    const hour = hourOf(now);
    const spent = await store.transaction(function* () {
      if (!(yield* left(domain, hour, perHour, namer))) return undefined;
      return yield* spend.first({ domain, hour, perHour });
    });
    return spent !== undefined;
  };
}

/** Another group in each hour: whoever has found a name that falls together with the victim's has it for an hour. */
function groupOf(domain: string, hour: number, namer: string): string {
  return keyOf(domain, Number.parseInt(hash('sha256', `${hour} ${namer}`, 'hex').slice(0, 8), 16) % GROUPS);
}

/** No domain name has a blank. */
function keyOf(domain: string, group: number): string {
  return `${domain} ${group}`;
}

function wishes(param: Param<{ domains: readonly string[]; hour: number; last: number }>) {
  return sql
    .selectFrom('probe_budget')
    .select(['registrable_domain', 'hour', 'spent'])
    .where('registrable_domain', 'in', param.list('domains'))
    .where((row) => row.or([row('hour', '=', param('hour')), row('hour', '=', param('last'))]));
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
