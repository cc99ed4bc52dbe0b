import { tablesOf } from '../../../query/to-sql.ts';
import type { SqliteDatabase } from '../database.ts';

/**
 * Where the generations of the index stand. `changes` grows with every write that changes which agents a filter
 * finds; the rows of a generation's vocabulary carry the number at which they last changed.
 */
const GENERATIONS = `
  CREATE TABLE IF NOT EXISTS index_generation (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL CHECK (state IN ('building', 'live', 'previous')),
    created_at INTEGER NOT NULL,
    promoted_at INTEGER,
    applied_seq INTEGER NOT NULL DEFAULT 0,
    copied_up_to TEXT,
    changes INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS index_generation_live ON index_generation (state) WHERE state <> 'previous';`;

/** Whether the store has an index at all. */
export function hasGenerations(database: SqliteDatabase): boolean {
  const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'index_generation'";
  return database.statement(sql).get() !== undefined;
}

export function createGenerationTable(database: SqliteDatabase): void {
  database.exec(GENERATIONS);
}

/**
 * The tables of one generation: the documents' groups as JSON text, the ordered lists of the terms, the terms of
 * each agent that has values, the vocabulary, and the versions of dropped agents (an older write that comes late
 * must not bring one back).
 */
export function createTables(database: SqliteDatabase, generation: number): void {
  const { agent, term, held, value, dropped } = tablesOf(generation);
  database.exec(`
    CREATE TABLE ${agent} (
      id INTEGER PRIMARY KEY,
      url TEXT NOT NULL UNIQUE,
      seq INTEGER NOT NULL,
      flags INTEGER NOT NULL,
      base TEXT NOT NULL,
      properties TEXT,
      capabilities TEXT,
      compliance TEXT NOT NULL
    ) STRICT;
    CREATE TABLE ${term} (
      term INTEGER NOT NULL,
      url TEXT NOT NULL,
      flags INTEGER NOT NULL,
      sig INTEGER NOT NULL,
      PRIMARY KEY (term, url)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE ${held} (
      url TEXT PRIMARY KEY,
      flags INTEGER NOT NULL,
      terms TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE ${value} (
      term INTEGER PRIMARY KEY,
      value TEXT NOT NULL,
      agents INTEGER NOT NULL,
      changed INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX ${value}_changed ON ${value} (changed);
    CREATE TABLE ${dropped} (url TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;`);
}

/**
 * Drops the tables of generations that are listed no more, a table a transaction, so that no writer waits long.
 * What a killed process left of it, the next call finishes.
 */
export function dropOrphanedTables(database: SqliteDatabase): void {
  const orphaned = database.statement(`
    SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'index_*_[0-9]*'
      AND CAST(substr(name, instr(substr(name, 7), '_') + 7) AS INTEGER) NOT IN (SELECT id FROM index_generation)`);
  for (const { name } of orphaned.all() as { name: string }[]) database.exec(`DROP TABLE IF EXISTS ${name}`);
}
