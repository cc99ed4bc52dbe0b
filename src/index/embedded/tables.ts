import { sql } from 'kysely';
import type { Db } from '../../records/database.ts';
import { TEXT_NAMES } from '../query/search-document.ts';

/** The generations. At most one is live, and one is previous. */
export async function createGenerationTable(db: Db): Promise<void> {
  await sql`
    CREATE TABLE index_generation (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      state TEXT NOT NULL CHECK (state IN ('building', 'built', 'live', 'previous')),
      created_at INTEGER NOT NULL,
      promoted_at INTEGER,
      applied_seq INTEGER NOT NULL DEFAULT 0,
      layout INTEGER NOT NULL
    ) STRICT`.execute(db);
  await sql`
    CREATE UNIQUE INDEX index_generation_state ON index_generation (state) WHERE state IN ('live', 'previous')`.execute(
    db,
  );
}

/**
 * The tables of one generation. Each generation has its own, so that dropping one is fast, and bm25() and the vocabulary count
 * the words of one only.
 */
export function tablesOf(generation: number) {
  const table = (name: string) => sql.table(`index_${name}_${generation}`);
  return {
    /** The agents, with the columns that a search sorts by. */
    agent: table('agent'),
    /** The version of each record, and its groups as JSON texts. */
    document: table('document'),
    /** The search card of each agent as a JSON text. Without it, two records fit on one page of the database. */
    card: table('card'),
    /** The distinct values of all agents, by the parameter of the search that filters by them. */
    term: table('term'),
    /** The agents that have each term, for filters. */
    value: table('value'),
    /** The terms that each agent has, for facets. */
    facet: table('facet'),
    /** The metric ids of each agent in lower case, for `q`. */
    metric: table('metric'),
    /** The accreditations of each agent, each with its metric. */
    claim: table('claim'),
    /** The versions of dropped agents: an older write that arrives late must not bring one back. */
    dropped: table('dropped'),
    /** The full-text index. The number of a row is the id of the agent. */
    text: table('text'),
    /** The words of the full-text index, and how many agents have each. */
    word: table('word'),
  };
}

export type IndexTables = ReturnType<typeof tablesOf>;

export async function createTables(db: Db, generation: number): Promise<void> {
  const { agent, document, card, term, value, facet, metric, claim, dropped, text, word } =
    tablesOf(generation);
  const index = (name: string) => sql.table(`index_${name}_${generation}`);
  await sql`
    CREATE TABLE ${agent} (
      id INTEGER PRIMARY KEY,
      url TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      property_count INTEGER NOT NULL,
      publisher_count INTEGER NOT NULL,
      factor REAL NOT NULL
    ) STRICT`.execute(db);
  await sql`CREATE INDEX ${index('agent_name')} ON ${agent} (name, url)`.execute(db);
  await sql`CREATE INDEX ${index('agent_properties')} ON ${agent} (property_count DESC, url)`.execute(db);
  await sql`CREATE INDEX ${index('agent_publishers')} ON ${agent} (publisher_count DESC, url)`.execute(db);
  await sql`
    CREATE TABLE ${document} (
      id INTEGER PRIMARY KEY,
      version INTEGER NOT NULL,
      base TEXT NOT NULL,
      properties TEXT,
      capabilities TEXT,
      compliance TEXT NOT NULL
    ) STRICT`.execute(db);
  await sql`CREATE TABLE ${card} (id INTEGER PRIMARY KEY, card TEXT NOT NULL) STRICT`.execute(db);
  await sql`
    CREATE TABLE ${term} (
      id INTEGER PRIMARY KEY,
      field TEXT NOT NULL,
      value TEXT NOT NULL,
      UNIQUE (field, value)
    ) STRICT`.execute(db);
  await sql`
    CREATE TABLE ${value} (term INTEGER NOT NULL, url TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (term, url))
    STRICT, WITHOUT ROWID`.execute(db);
  // three small integers: a search may count 150,000 of these rows
  await sql`
    CREATE TABLE ${facet} (id INTEGER NOT NULL, counted INTEGER NOT NULL, term INTEGER NOT NULL,
      PRIMARY KEY (id, counted, term)) STRICT, WITHOUT ROWID`.execute(db);
  await sql`
    CREATE TABLE ${metric} (url TEXT NOT NULL, lower_id TEXT NOT NULL, PRIMARY KEY (url, lower_id))
    STRICT, WITHOUT ROWID`.execute(db);
  await sql`
    CREATE TABLE ${claim} (
      url TEXT NOT NULL,
      metric_id TEXT NOT NULL,
      lower_id TEXT NOT NULL,
      body TEXT NOT NULL,
      valid_until TEXT NOT NULL,
      id INTEGER NOT NULL,
      PRIMARY KEY (url, metric_id, body, valid_until)
    ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`CREATE INDEX ${index('claim_body')} ON ${claim} (body, valid_until)`.execute(db);
  await sql`CREATE INDEX ${index('claim_end')} ON ${claim} (valid_until)`.execute(db);
  await sql`CREATE TABLE ${dropped} (url TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT, WITHOUT ROWID`.execute(
    db,
  );
  // words arrive in normal form (wordsOf) with spaces between them; an underscore marks words that are written as one
  await sql`
    CREATE VIRTUAL TABLE ${text} USING fts5(
      ${sql.join(TEXT_NAMES.map((name) => sql.ref(name)))},
      content = '', contentless_delete = 1, prefix = '3', tokenize = "ascii tokenchars '_'"
    )`.execute(db);
  await sql`CREATE VIRTUAL TABLE ${word} USING fts5vocab(${text}, 'row')`.execute(db);
}

/** Drops the tables of a generation of any layout. */
export async function dropTables(db: Db, generation: number): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ${`index_*_${generation}`}`.execute(db);
  for (const { name } of rows) await sql`DROP TABLE ${sql.table(name)}`.execute(db);
}
