import { LRUCache } from 'lru-cache';
import type { AgentFilter, AgentPage, AgentQuery } from '../../domain/agent-query.ts';
import { RegistryError } from '../../errors.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { SavedDocument } from '../../ports/agent-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SqliteDatabase } from '../../records/sqlite/sqlite-database.ts';
import { otherLayout } from '../generation-errors.ts';
import { INDEX_LAYOUT } from '../query/index-fields.ts';
import { canonicalFilter } from '../query/list-query.ts';
import { facetCounts } from './count-facets.ts';
import { countAgents, findAgents, type OpenGeneration, openGeneration } from './find-agents.ts';
import { findByWords } from './find-by-words.ts';
import { addGeneration, createSqliteGenerations, type GenerationRow, LIVE } from './generations.ts';
import { createGenerationTable, generationTable, upgradeGenerationTable } from './tables.ts';
import { writeDocuments } from './write-documents.ts';

export interface SqliteIndexOptions {
  /** Dates the first generation, which is made with the tables. */
  readonly clock: Clock;
}

/** Generations whose vocabulary is kept in memory: live, previous, building, built. */
const MAX_OPENED = 4;
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
  const opened = new LRUCache<number, OpenGeneration>({ max: MAX_OPENED });
  let file = database.opened();
  const counts = new LRUCache<string, number>({ max: MAX_COUNTS });
  let countedState = '';

  const open = (row: GenerationRow): OpenGeneration => {
    if (file !== database.opened()) {
      // another file may be in the place of the one that they were read from
      opened.clear();
      file = database.opened();
    }
    ensureKnown(row);
    const { id, changes } = row;
    const generation = opened.get(id) ?? openGeneration(database, id);
    opened.set(id, generation);
    generation.vocabulary.refresh(changes);
    return generation;
  };
  const count = (row: GenerationRow, filter: AgentFilter) => {
    const state = `${database.opened()}.${row.id}.${row.changes}`;
    if (countedState !== state) counts.clear();
    countedState = state;
    const key = `${canonicalFilter(filter)} ${filter.accreditedOn}`;
    const known = counts.get(key) ?? countAgents(database, open(row), filter);
    counts.set(key, known);
    return known;
  };
  const search = (row: GenerationRow, query: AgentQuery): AgentPage => {
    const page = { ...findAgents(database, open(row), query, row), generation: String(row.id) };
    return query.total ? { ...page, total: count(row, query.filter) } : page;
  };
  const write = (row: GenerationRow, documents: readonly SavedDocument[]) =>
    writeDocuments(database, { ...row, vocabulary: open(row).vocabulary }, documents);

  const snapshot = <T>(read: () => T): T =>
    database.guard(() => {
      database.statement('SAVEPOINT index_read').run();
      try {
        return read();
      } finally {
        database.statement('RELEASE index_read').run();
      }
    });

  return {
    search: async (query) => snapshot(() => search(live(database), query)),
    find: async (query) =>
      snapshot(() => {
        const row = live(database);
        ensureKnown(row);
        return findByWords(database, row.id, query);
      })(),
    facet: async (name, most) =>
      snapshot(() => {
        const row = live(database);
        ensureKnown(row);
        return facetCounts(database, row.id, name, most);
      }),
    count: async (filter) => snapshot(() => count(live(database), filter)),
    // a write is found from its commit on, and the records' version changes with every commit to the file
    settle: async () => {},
    version: async () => '',
    generations: createSqliteGenerations(database, { write, search, ensureKnown, snapshot }),
    check: async () => ensureKnown(live(database)),
    checkWrites: async () => {}, // the same file as the records, who say it
    close: async () => opened.clear(),
  };
}

function prepare(database: SqliteDatabase, clock: Clock): void {
  const found = generationTable(database);
  if (found === 'current') return;
  if (database.readOnly) {
    if (found === 'old') return; // what it lacks is only written
    throw noIndex(database.path);
  }
  database.transaction(() => {
    const now = generationTable(database); // another process may have been here first
    if (now === 'old') upgradeGenerationTable(database);
    if (now !== 'none') return;
    createGenerationTable(database);
    addGeneration(database, 'live', clock.now());
  });
}

/** A generation of another layout would find the wrong agents. */
function ensureKnown({ id, layout = 1 }: GenerationRow): void {
  if (layout !== INDEX_LAYOUT) throw otherLayout(id, layout, INDEX_LAYOUT);
}

function live(database: SqliteDatabase): GenerationRow {
  const row = database.guard(() => database.statement(LIVE).get()) as unknown as GenerationRow | undefined;
  if (row === undefined) throw noLive(database.path);
  return row;
}

function noLive(path: string): RegistryError {
  return new RegistryError('index_missing', `the index in the store ${path} has no live generation`, {
    hint: '"agent-registry index rebuild --yes" builds one from the records',
  });
}

function noIndex(path: string): RegistryError {
  return new RegistryError('index_missing', `the store ${path} has no index`, {
    hint: 'run a command that can write to it once, for example agent-registry serve',
  });
}
