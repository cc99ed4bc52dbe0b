import { setImmediate } from 'node:timers/promises';
import { sql as rawSql, type SelectQueryBuilder } from 'kysely';
import { lockAlone } from '../locks.ts';
import type { Tables } from '../schema.ts';
import { call, type Prepared, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

/** Found by one search through everything that may refer to a content. */
const FOUND_AT_ONCE = 50_000;
/** Deleted in one transaction: visits that are to be kept wait for it. */
const CHUNK = 1_000;
/** A search through all captures may take minutes. Nobody waits for it. */
const SEARCH_LIMITS = { longMs: 60 * 60_000 };

interface Found {
  readonly hash: string;
}
interface Hashes {
  readonly hashes: readonly string[];
}
/** The newest rows that refer to contents: whatever refers to one later has a higher number. */
interface Newest {
  readonly newest: number;
  readonly newestOther: number;
}

/** How contents of one kind are found that nothing refers to, deleted, and what may refer to them. */
interface Kind {
  readonly newest: Prepared<object, Newest>;
  readonly unused: Prepared<object, Found>;
  /** Of these hashes those that nothing newer refers to. */
  readonly stillUnused: Prepared<Hashes & Newest, Found>;
  readonly drop: Prepared<Hashes, unknown>;
  /** Before they are deleted, in the same transaction. */
  readonly remember?: (hashes: readonly string[]) => SqlTask<unknown>;
}

/**
 * Deletes bodies that neither a capture nor a declaration refers to; returns their number. Those that are beside the
 * records are remembered, to be deleted there.
 */
export function pruneBodies(store: SqlStore, now: number): Promise<number> {
  const remember = prepare(store, unusedBodies);
  return pruneUnused(store, {
    remember: (hashes) => remember.run({ hashes, now }),
    newest: prepare(store, () => newestOf('capture', 'declaration')),
    unused: prepare(store, () =>
      limited(sql.selectFrom('body').select('hash').except(captured()).except(read())),
    ),
    stillUnused: prepare(store, (param: Param<Hashes & Newest>) =>
      listed(param)
        .except(captured().where('id', '>', param('newest')))
        .except(read().where('declaration', '>', param('newestOther'))),
    ),
    drop: prepare(store, (param: Param<Hashes>) =>
      sql.deleteFrom('body').where('hash', 'in', param.list('hashes')),
    ),
  });
}

/** Deletes what agents exposed and neither a probe that is kept nor the last good result refers to; returns the number. */
export function pruneExposed(store: SqlStore): Promise<number> {
  return pruneUnused(store, {
    newest: prepare(store, () => newestOf('probe_change', 'probe_change')),
    unused: prepare(store, () =>
      limited(sql.selectFrom('exposed').select('hash').except(observed()).except(good())),
    ),
    stillUnused: prepare(store, (param: Param<Hashes & Newest>) =>
      listed(param)
        .except(observed().where('id', '>', param('newest')))
        .except(good()),
    ),
    drop: prepare(store, (param: Param<Hashes>) =>
      sql.deleteFrom('exposed').where('hash', 'in', param.list('hashes')),
    ),
  });
}

/**
 * Searches everything once, without locks. Visits wait only while some of what was found is deleted; that transaction
 * reads only what was kept since the search.
 */
async function pruneUnused(store: SqlStore, kind: Kind): Promise<number> {
  for (let total = 0; ; ) {
    const newest = await store.transaction(() => newestRows(kind));
    const found = await store.read(() => kind.unused.all({}), SEARCH_LIMITS);
    let deleted = 0;
    for (let from = 0; from < found.length; from += CHUNK) {
      const hashes = found.slice(from, from + CHUNK).map((row) => row.hash);
      deleted += await store.transaction(() => dropUnused(kind, { hashes, ...newest }));
      await setImmediate();
    }
    total += deleted;
    if (found.length < FOUND_AT_ONCE || deleted === 0) return total;
  }
}

/** Alone: every transaction that has begun to refer to contents has then committed, and its rows are seen. */
function* newestRows(kind: Kind): SqlTask<Newest> {
  yield* call((db) => lockAlone(db, 'contents'));
  return (yield* kind.newest.first({})) as Newest;
}

function* dropUnused(kind: Kind, searched: Hashes & Newest): SqlTask<number> {
  yield* call((db) => lockAlone(db, 'contents'));
  const hashes = (yield* kind.stillUnused.all(searched)).map((row) => row.hash);
  if (kind.remember !== undefined) yield* kind.remember(hashes);
  return yield* kind.drop.run({ hashes });
}

function unusedBodies(param: Param<Hashes & { readonly now: number }>) {
  return sql
    .insertInto('body_unused')
    .columns(['hash', 'at'])
    .expression(
      sql
        .selectFrom('body')
        .select(['hash', rawSql<number>`cast(${param('now')} as bigint)`.as('at')])
        .where('hash', 'in', param.list('hashes'))
        .where('packing', '=', 'moved'),
    )
    .onConflict((known) => known.column('hash').doNothing());
}

function newestOf(table: 'capture' | 'probe_change', other: 'declaration' | 'probe_change') {
  const newest = (name: 'capture' | 'probe_change' | 'declaration') =>
    sql.selectFrom(name).select((row) => row.fn.coalesce(row.fn.max<number>('id'), row.lit(0)).as('id'));
  return sql
    .selectFrom([newest(table).as('one'), newest(other).as('other')])
    .select(['one.id as newest', 'other.id as newestOther']);
}

function limited<Table extends keyof Tables>(unused: SelectQueryBuilder<Tables, Table, Found>) {
  return sql.selectFrom(unused.as('unused')).select('unused.hash').limit(FOUND_AT_ONCE);
}

function listed(param: Param<Hashes & Newest>) {
  return sql.selectFrom(param.listed('hashes')).select('listed.value as hash');
}

function captured() {
  return sql
    .selectFrom('capture')
    .select((row) => row.ref('body_hash').$castTo<string>().as('hash'))
    .where('body_hash', 'is not', null);
}

function read() {
  return sql.selectFrom('declaration_body').select('hash');
}

function observed() {
  return sql
    .selectFrom('probe_change')
    .select((row) => row.ref('exposed').$castTo<string>().as('hash'))
    .where('exposed', 'is not', null);
}

function good() {
  return sql
    .selectFrom('agent')
    .select((row) => row.ref('good_exposed').$castTo<string>().as('hash'))
    .where('good_exposed', 'is not', null);
}
