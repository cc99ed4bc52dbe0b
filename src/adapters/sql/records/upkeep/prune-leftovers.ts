import { setImmediate } from 'node:timers/promises';
import { type SqlStore, UNHURRIED } from '../../sql-tasks.ts';
import { all, type Param, prepare, run, sql } from '../../statements.ts';
import { LAB_REPORT_DAYS } from '../sources/lab-reports.ts';
import { hourOf } from '../sources/probe-budget.ts';

const DAY_MS = 86_400_000;
/** Of visits that were asked for. */
const REQUEST_DAYS = 7;
/** Of a named crawl in which nothing was done any more. */
const CRAWL_DAYS = 30;
/** Rows deleted in one transaction, so that other writers and the event loop get their turn. */
const CHUNK = 10_000;

/** Tables with a row for each site: their text key, and the time from which on a row says nothing. */
const OF_SITES = [
  ['robots', 'origin', 'expires_at'],
  ['domain_turn', 'registrable_domain', 'until'],
] as const;

/**
 * Deletes claims, rules, spendings, nonces, sessions and abandoned crawls that are long past, each kind by itself: one
 * that takes long undoes no other.
 */
export async function pruneLeftovers(store: SqlStore, now: number): Promise<void> {
  for (const sites of OF_SITES) await pruneSites(store, sites, now - DAY_MS);
  const before = (days: number) => now - days * DAY_MS;
  const abandoned = sql.selectFrom('crawl_run').select('id').where('progressed_at', '<', before(CRAWL_DAYS));
  const kinds = [
    sql.deleteFrom('probe_budget').where('hour', '<', hourOf(now) - 1),
    sql.deleteFrom('signature_nonce').where('until', '<', Math.floor(now / 1_000)),
    sql.deleteFrom('session').where('ends_at', '<=', now),
    sql.deleteFrom('crawl_request').where('asked_at', '<', before(REQUEST_DAYS)),
    sql.deleteFrom('lab_report').where('asked_at', '<', before(LAB_REPORT_DAYS)),
    sql.deleteFrom('crawl_frontier').where('run', 'in', abandoned),
    sql.deleteFrom('crawl_run').where('id', 'in', abandoned),
  ];
  for (const kind of kinds) await store.transaction(() => run(store, kind), UNHURRIED);
}

/**
 * In the order of the keys, each chunk behind the one before, so that all of them read the table once. A row that is
 * written meanwhile is asked for its time again, and stays.
 */
async function pruneSites(
  store: SqlStore,
  [table, keyName, timeName]: (typeof OF_SITES)[number],
  before: number,
): Promise<void> {
  const [key, time] = [sql.dynamic.ref<string>(keyName), sql.dynamic.ref<string>(timeName)];
  const drop = prepare(store, (param: Param<{ keys: readonly string[] }>) =>
    sql.deleteFrom(table).where(key, 'in', param.list('keys')).where(time, '<', before),
  );
  for (let after = ''; ; ) {
    const old = sql.selectFrom(table).select(key).where(key, '>', after).where(time, '<', before);
    const rows: unknown = await store.read(() => all(store, old.orderBy(key).limit(CHUNK)), UNHURRIED);
    const keys = (rows as readonly Readonly<Record<string, string>>[]).map((row) => row[keyName] ?? '');
    await store.transaction(() => drop.run({ keys }));
    if (keys.length < CHUNK) return;
    after = keys.at(-1) ?? '';
    await setImmediate();
  }
}
