import type { AgentFilter, AgentQuery } from '../../../domain/agent-query.ts';
import { RegistryError } from '../../../errors.ts';
import type { AgentIndex } from '../../../ports/agent-index.ts';
import type { SavedDocument } from '../../../ports/agent-store.ts';
import type { Clock } from '../../../ports/clock.ts';
import { canonicalFilter } from '../../../query/cursor.ts';
import type { SqliteDatabase } from '../database.ts';
import { countAgents } from './count-agents.ts';
import { findAgents, type OpenGeneration, openGeneration } from './find-agents.ts';
import { createGenerationTable, hasGenerations } from './generation-tables.ts';
import { snapshot } from './snapshot.ts';
import { addGeneration, createGenerations, type GenerationRow, LIVE } from './sqlite-generations.ts';
import { writeDocuments } from './write-documents.ts';

export interface SqliteIndexOptions {
  /** Dates the first generation, which is made with the tables. */
  readonly clock: Clock;
}

/** Generations whose vocabulary is kept in memory: live, previous, building. */
const MAX_OPENED = 3;
/** Counts kept for one state of the lists; a change of the lists makes them void. */
const MAX_COUNTS = 1_000;

/**
 * The embedded index, in the records' own SQLite file (tables `index_…`). Makes its tables and an empty live
 * generation when there are none. Any number of processes may read and write it at once; each query sees one
 * consistent state, of the generation that is live at that moment. `close` leaves the database open: it is the
 * records' to close.
 */
export function createSqliteIndex(database: SqliteDatabase, { clock }: SqliteIndexOptions): AgentIndex {
  prepare(database, clock);
  const opened = new Map<number, OpenGeneration>();
  let counts = { state: '', known: new Map<string, number>() };

  const open = ({ id, changes }: GenerationRow): OpenGeneration => {
    const generation = opened.get(id) ?? openGeneration(database, id);
    opened.set(id, generation);
    if (opened.size > MAX_OPENED) opened.delete(Math.min(...opened.keys()));
    generation.vocabulary.refresh(changes);
    return generation;
  };
  const search = (row: GenerationRow, query: AgentQuery) => findAgents(database, open(row), query);
  const count = (row: GenerationRow, filter: AgentFilter) => {
    const state = `${row.id}.${row.changes}`;
    if (counts.state !== state || counts.known.size >= MAX_COUNTS) counts = { state, known: new Map() };
    const key = canonicalFilter(filter);
    const known = counts.known.get(key) ?? countAgents(database, open(row), filter);
    counts.known.set(key, known);
    return known;
  };
  const write = (row: GenerationRow, documents: readonly SavedDocument[]) =>
    writeDocuments(database, { ...row, vocabulary: open(row).vocabulary }, documents);

  return {
    search: async (query) => snapshot(database, () => search(live(database), query)),
    count: async (filter) => snapshot(database, () => count(live(database), filter)),
    put: async (documents) =>
      database.transaction(() => {
        for (const row of written(database)) write(row, documents);
      }),
    generations: createGenerations(database, { write, search }),
    check: async () => void live(database),
    close: async () => opened.clear(),
  };
}

function prepare(database: SqliteDatabase, clock: Clock): void {
  if (hasGenerations(database)) return;
  if (database.readOnly) throw noIndex(database.path);
  database.transaction(() => {
    if (hasGenerations(database)) return;
    createGenerationTable(database);
    addGeneration(database, 'live', clock.now());
  });
}

function live(database: SqliteDatabase): GenerationRow {
  const row = database.guard(() => database.statement(LIVE).get()) as unknown as GenerationRow | undefined;
  if (row === undefined) throw noIndex(database.path);
  return row;
}

/** The generations that every write goes to. */
function written(database: SqliteDatabase): readonly GenerationRow[] {
  const sql = "SELECT * FROM index_generation WHERE state <> 'previous'";
  return database.statement(sql).all() as unknown as GenerationRow[];
}

function noIndex(path: string): RegistryError {
  return new RegistryError('store_missing', `the store ${path} has no index`, {
    hint: 'open it once with a command that may write, for example registry serve',
  });
}
