import { hash } from 'node:crypto';
import type { SqliteDatabase } from '../../records/sqlite/sqlite-database.ts';

/** The tables of one generation. */
export function tablesOf(generation: number) {
  return {
    agent: `index_agent_${generation}`,
    record: `index_record_${generation}`,
    term: `index_term_${generation}`,
    held: `index_held_${generation}`,
    value: `index_value_${generation}`,
    dropped: `index_dropped_${generation}`,
    text: `index_text_${generation}`,
    found: `index_found_${generation}`,
    word: `index_word_${generation}`,
    facet: `index_facet_${generation}`,
  } as const;
}

const LAYOUT = 'layout INTEGER NOT NULL DEFAULT 1';

/**
 * Where the generations of the index stand. `changes` grows with every write that changes which agents a filter
 * finds; the rows of a generation's vocabulary carry the number at which they last changed. `layout` is INDEX_LAYOUT as
 * of the program that built it; there was none before the second.
 */
const COLUMNS = `(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL CHECK (state IN ('building', 'built', 'live', 'previous')),
    created_at INTEGER NOT NULL,
    promoted_at INTEGER,
    applied_seq INTEGER NOT NULL DEFAULT 0,
    copied_up_to TEXT,
    changes INTEGER NOT NULL DEFAULT 0,
    ${LAYOUT}
  ) STRICT`;

const ONE_OF_A_STATE =
  "CREATE UNIQUE INDEX index_generation_state ON index_generation (state) WHERE state <> 'built'";

/** From the first release's table, which did not know `built`; its numbers are never given again. */
const UPGRADE = `
  CREATE TABLE index_generation_next ${COLUMNS};
  INSERT INTO index_generation_next (id, state, created_at, promoted_at, applied_seq, copied_up_to, changes)
    SELECT id, state, created_at, promoted_at, applied_seq, copied_up_to, changes FROM index_generation;
  UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'index_generation')
    WHERE name = 'index_generation_next';
  DROP TABLE index_generation;
  ALTER TABLE index_generation_next RENAME TO index_generation;
  ${ONE_OF_A_STATE};`;

/** The table of generations: not there, as an older program made it, or as this program wants it. */
export function generationTable(database: SqliteDatabase): 'none' | 'old' | 'current' {
  const sql = tableSql(database);
  if (sql === undefined) return 'none';
  return sql.includes(LAYOUT) ? 'current' : 'old';
}

function tableSql(database: SqliteDatabase): string | undefined {
  const sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'index_generation'";
  return (database.statement(sql).get() as { sql: string } | undefined)?.sql;
}

export function createGenerationTable(database: SqliteDatabase): void {
  database.exec(`CREATE TABLE index_generation ${COLUMNS}; ${ONE_OF_A_STATE};`);
}

export function upgradeGenerationTable(database: SqliteDatabase): void {
  const knowsBuilt = tableSql(database)?.includes("'built'");
  database.exec(knowsBuilt ? `ALTER TABLE index_generation ADD COLUMN ${LAYOUT}` : UPGRADE);
}

/**
 * Makes the tables of one generation: the agents in their order, so that a page is one range; the groups of their
 * documents as JSON text; the ordered lists of the terms; the terms of each agent that has values, the values with how many hold them and the flags with how many have just these (under
 * numbers below all terms), and the versions of dropped agents (an older write that comes late
 * must not bring one back). For the search: `text` has the words and marks of each agent, `found` what is scored, counted and
 * shown of it, `word` how many agents have each word, and `facet` how many each value of a filter.
 */
export function createTables(database: SqliteDatabase, generation: number): void {
  const { agent, record, term, held, value, dropped, text, found, word, facet } = tablesOf(generation);
  database.exec(`
    CREATE TABLE ${agent} (
      url TEXT PRIMARY KEY,
      id INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      flags INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE ${record} (
      id INTEGER PRIMARY KEY,
      url TEXT NOT NULL,
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
    CREATE TABLE ${dropped} (url TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE VIRTUAL TABLE ${text} USING fts5(
      tokens, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
    );
    CREATE TABLE ${found} (
      id INTEGER PRIMARY KEY,
      url TEXT NOT NULL,
      digest TEXT NOT NULL,
      factor REAL NOT NULL,
      properties INTEGER NOT NULL,
      words TEXT NOT NULL,
      facets TEXT NOT NULL,
      card TEXT NOT NULL
    ) STRICT;
    CREATE TABLE ${word} (word TEXT PRIMARY KEY, agents INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE ${facet} (
      id INTEGER PRIMARY KEY,
      parameter TEXT NOT NULL,
      value TEXT NOT NULL,
      agents INTEGER NOT NULL,
      UNIQUE (parameter, value)
    ) STRICT;
    CREATE INDEX ${facet}_agents ON ${facet} (parameter, agents);`);
}

// the tables behind `index_text_…` are dropped with it
const ORPHANED = `
  SELECT name, CAST(substr(name, instr(substr(name, 7), '_') + 7) AS INTEGER) AS id FROM sqlite_schema
  WHERE type = 'table' AND name GLOB 'index_*_[0-9]*' AND name NOT GLOB 'index_text_*_*' AND id NOT IN (SELECT id FROM index_generation)`;

/** The numbers of generations that are listed no more and have tables left: a process was killed while it dropped them. */
export function orphanedGenerations(database: SqliteDatabase): readonly number[] {
  const rows = database.statement(`SELECT DISTINCT id FROM (${ORPHANED}) ORDER BY id`).all();
  return (rows as { id: number }[]).map(({ id }) => id);
}

/** Layouts before 10 had these triggers on tables of the records, named after the table that they write to. */
const OLD_TRIGGERS = ['agent', 'source'].flatMap((table) =>
  ['insert', 'update', 'delete'].map((event) => `${table}_${event}`),
);

/**
 * Drops the tables of generations that are listed no more, a table a transaction, so that no writer waits long.
 * What a killed process left of it, the next call finishes.
 */
export function dropOrphanedTables(database: SqliteDatabase): void {
  const names = database.guard(() => database.statement(ORPHANED).all()) as { name: string }[];
  for (const { name } of names) {
    // without its table, a trigger would fail each write to the records
    const triggers = OLD_TRIGGERS.map((trigger) => `DROP TRIGGER IF EXISTS ${name}_${trigger};`);
    database.transaction(() => database.exec(`${triggers.join(' ')} DROP TABLE IF EXISTS ${name}`));
  }
}

/** The rows of the table of words that count agents, and the length of their texts: no word is one of these. */
export const AGENTS_ROW = '';
export const LENGTH_ROW = ' ';

/**
 * The token of a mark. Words have no underscore, so that no word of a user is one; a digest, because FTS5 folds the case of a
 * token and marks tell it apart.
 */
export function markToken(mark: string): string {
  return `_${hash('sha256', mark.toWellFormed()).slice(0, 24)}`;
}
