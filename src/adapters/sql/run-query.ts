import type { SQLInputValue } from 'node:sqlite';
import type { Compilable } from 'kysely';
import type { SqliteDatabase } from './database.ts';

/** Builds and runs a query that returns rows: for cold paths, where its shape depends on what is asked. */
export function all<Row>(database: SqliteDatabase, query: Compilable<Row>): Row[] {
  const { sql, parameters } = query.compile();
  return database.guard(() => database.statement(sql).all(...(parameters as SQLInputValue[])) as Row[]);
}

/** The first row of such a query. */
export function first<Row>(database: SqliteDatabase, query: Compilable<Row>): Row | undefined {
  return all(database, query)[0];
}

/** Runs such a query that writes; returns the number of rows changed. */
export function run(database: SqliteDatabase, query: Compilable): number {
  const { sql, parameters } = query.compile();
  return database.guard(() =>
    Number(database.statement(sql).run(...(parameters as SQLInputValue[])).changes),
  );
}
