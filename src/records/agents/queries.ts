import type { RawBuilder, SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import { jsonArrayFrom as jsonArrayInPostgres } from 'kysely/helpers/postgres';
import { jsonArrayFrom as jsonArrayInSqlite } from 'kysely/helpers/sqlite';
import { type Db, isPostgres, tableOf } from '../database.ts';

/**
 * The rows of a subquery as one JSON text, to read the first rows of each of many: the limit is in the subquery, and
 * SQLite has no lateral joins. See https://kysely.dev/docs/recipes/relations.
 */
export function jsonRows<DB, TB extends keyof DB, Row>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, Row>,
): RawBuilder<string> {
  return isPostgres(db)
    ? sql<string>`cast(${jsonArrayInPostgres(query)} as text)`
    : sql<string>`${jsonArrayInSqlite(query)}`;
}

/** The bytes of the texts of two columns. */
export function bytesOf(...columns: readonly [string, string]) {
  const [a, b] = columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`);
  return sql<number>`${a} + ${b}`;
}

/** A list of numbers of any length, as one parameter: `where('id', 'in', idsIn(db, ids))`. */
export function idsIn(db: Db, ids: readonly number[]) {
  return db
    .selectFrom(tableOf(db, ids.map(String)))
    .select((row) => row.cast<number>('listed.value', 'bigint').as('id'));
}
