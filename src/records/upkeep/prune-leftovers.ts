import { setImmediate } from 'node:timers/promises';
import type { Expression } from 'kysely';
import { LAB_REPORT_DAYS } from '../sources/lab-reports.ts';
import { hourOf } from '../sources/probe-budget.ts';
import { type SqlStore, UNHURRIED } from '../sql-tasks.ts';
import { all, run, sql } from '../statements.ts';

const DAY_MS = 86_400_000;
/** Of visits that were asked for. */
const REQUEST_DAYS = 7;
/** Of a named crawl in which nothing was done any more. */
const CRAWL_DAYS = 30;
/** Rows deleted in one transaction, so that other writers and the event loop get their turn. */
const CHUNK = 10_000;

/** Tables that may have millions of rows, each with the key by whose order they are gone through. */
type LongTable =
  | readonly ['robots' | 'domain_turn' | 'probe_budget', key: string, before: '']
  | readonly ['crawl_frontier', key: 'id', before: 0];

/**
 * Deletes claims, rules, spendings, nonces, sessions and abandoned crawls that are long past, each kind by itself: one
 * that fails keeps no other from it. Rejects at the end with what failed first.
 */
export async function pruneLeftovers(store: SqlStore, now: number): Promise<void> {
  const before = (days: number) => now - days * DAY_MS;
  const few = [
    sql.deleteFrom('signature_nonce').where('until', '<', Math.floor(now / 1_000)),
    sql.deleteFrom('session').where('ends_at', '<=', now),
    sql.deleteFrom('crawl_request').where('asked_at', '<', before(REQUEST_DAYS)),
    sql.deleteFrom('lab_report').where('asked_at', '<', before(LAB_REPORT_DAYS)),
    sql.deleteFrom('budget_use').where('expire', '<', now),
  ];
  const kinds: readonly (() => Promise<unknown>)[] = [
    () => pruneInOrder(store, ['robots', 'origin', ''], ['expires_at', '<', before(1)]),
    () => pruneInOrder(store, ['domain_turn', 'registrable_domain', ''], ['until', '<', before(1)]),
    () => pruneInOrder(store, ['probe_budget', 'registrable_domain', ''], ['hour', '<', hourOf(now) - 1]),
    ...few.map((kind) => () => store.transaction(() => run(store, kind), UNHURRIED)),
    () => pruneCrawls(store, before(CRAWL_DAYS)),
  ];
  const faults: unknown[] = [];
  for (const kind of kinds) await kind().catch((fault: unknown) => faults.push(fault));
  if (faults.length > 0) throw faults[0];
}

/** Those in which nothing was done since, with what they had before them. */
async function pruneCrawls(store: SqlStore, since: number): Promise<void> {
  const abandoned = sql.selectFrom('crawl_run').select('id').where('progressed_at', '<', since);
  await pruneInOrder(store, ['crawl_frontier', 'id', 0], ['run', 'in', abandoned]);
  await store.transaction(
    () => run(store, sql.deleteFrom('crawl_run').where('id', 'in', abandoned)),
    UNHURRIED,
  );
}

type Old =
  | readonly [column: string, operator: '<', value: number]
  | readonly [column: string, operator: 'in', values: Expression<unknown>];

/**
 * In the order of the keys, each chunk behind the one before, so that all of them read the table once. A chunk is deleted
 * by its first and last key: asked for thousands of keys, PostgreSQL reads the whole table. A row that is written meanwhile
 * is asked for its time again, and stays.
 */
async function pruneInOrder(
  store: SqlStore,
  [table, keyName, before]: LongTable,
  [column, operator, value]: Old,
): Promise<void> {
  const [key, said] = [sql.dynamic.ref<string>(keyName), sql.dynamic.ref<string>(column)];
  const old = sql.selectFrom(table).select(key).where(said, operator, value).orderBy(key).limit(CHUNK);
  const drop = sql.deleteFrom(table).where(said, operator, value);
  for (let after: unknown = before; ; ) {
    const next = old.where(key, '>', after);
    const rows: unknown = await store.read(() => all(store, next), UNHURRIED);
    const keys = (rows as readonly Readonly<Record<string, unknown>>[]).map((row) => row[keyName]);
    const last = keys.at(-1) ?? after;
    const chunk = drop.where(key, '>', after).where(key, '<=', last);
    await store.transaction(() => run(store, chunk), UNHURRIED);
    if (keys.length < CHUNK) return;
    after = last;
    await setImmediate();
  }
}
