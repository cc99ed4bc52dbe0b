import { sql } from 'kysely';
import { RegistryError } from '../../errors.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Db, RecordsDatabase } from '../../records/database.ts';
import { facetCounts } from './facets.ts';
import { findAgents } from './find-agents.ts';
import { addGeneration, createSqliteGenerations, liveGeneration, snapshot } from './generations.ts';
import { countAgents, listAgents } from './list-agents.ts';
import { createGenerationTable, tablesOf } from './tables.ts';

export interface SqliteIndexOptions {
  /** Dates the first generation. */
  readonly clock: Clock;
}

/**
 * Opens the embedded index in the SQLite file of the records (tables `index_…`), and creates its tables and an empty live
 * generation if they are missing. Any number of processes can read and write it at once; each query reads one consistent
 * state, of the generation that is live at that moment. `close` does nothing: the records close the database.
 */
export async function openSqliteIndex(
  database: RecordsDatabase,
  { clock }: SqliteIndexOptions,
): Promise<AgentIndex> {
  await prepare(database, clock);
  const inLive = <T>(work: (db: Db, generation: number) => Promise<T>): Promise<T> =>
    snapshot(database, async (db) => work(db, await liveGeneration(db)));
  return {
    search: (query) => inLive((db, generation) => listAgents(db, generation, query)),
    find: (query) => inLive((db, generation) => findAgents(db, generation, query)),
    facet: (name, most) => inLive((db, generation) => facetCounts(db, tablesOf(generation), name, most)),
    count: (filter) => inLive((db, generation) => countAgents(db, generation, filter)),
    // a write is visible from its commit on, and the version of the records changes with every commit to the file
    settle: async () => {},
    version: async () => '',
    generations: createSqliteGenerations(database),
    check: () => inLive(async () => {}),
    checkWrites: async () => {}, // the records check the same file
    close: async () => {},
  };
}

async function prepare(database: RecordsDatabase, clock: Clock): Promise<void> {
  if (await database.read(hasGenerationTable)) return;
  if (database.readOnly) throw noIndex();
  await database.transaction(async (db) => {
    if (await hasGenerationTable(db)) return; // another process created it first
    await createGenerationTable(db);
    await addGeneration(db, 'live', clock.now());
  });
}

async function hasGenerationTable(db: Db): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM sqlite_schema WHERE name = 'index_generation'`.execute(db);
  return rows.length > 0;
}

function noIndex(): RegistryError {
  return new RegistryError('index_missing', 'the store has no index', {
    hint: 'run a command that can write to it once, for example agent-registry serve',
  });
}
