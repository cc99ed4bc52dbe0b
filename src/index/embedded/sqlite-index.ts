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
  /** Dates the first generation, which is made with the tables. */
  readonly clock: Clock;
}

/**
 * Opens the embedded index in the records' own SQLite file (tables `index_…`), and makes its tables and an empty live
 * generation if there are none. Any number of processes can read and write it at once; each query reads one consistent
 * state, of the generation that is live at that moment. `close` leaves the database open, which the records close.
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
    // a write is found from its commit on, and the records' version changes with every commit to the file
    settle: async () => {},
    version: async () => '',
    generations: createSqliteGenerations(database),
    check: () => inLive(async () => {}),
    checkWrites: async () => {}, // the same file as the records, who say it
    close: async () => {},
  };
}

async function prepare(database: RecordsDatabase, clock: Clock): Promise<void> {
  if (await database.read(hasGenerationTable)) return;
  if (database.readOnly) throw noIndex();
  await database.transaction(async (db) => {
    if (await hasGenerationTable(db)) return; // another process was faster
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
