import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import { RegistryError } from '../../errors.ts';
import type { Generation, GenerationState, Generations } from '../../ports/agent-index.ts';
import type { Db, RecordsDatabase } from '../../records/database.ts';
import { dropsLive, noGeneration, otherLayout, REBUILD_HINT } from '../generation-errors.ts';
import { INDEX_LAYOUT } from '../query/index-fields.ts';
import { listAgents } from './list-agents.ts';
import { createTables, dropTables, tablesOf } from './tables.ts';
import { writeDocuments } from './write-documents.ts';

interface GenerationRow {
  readonly id: number;
  readonly state: GenerationState;
  readonly created_at: number;
  readonly promoted_at: number | null;
  readonly applied_seq: number;
  readonly layout: number;
}

/**
 * Documents written in one transaction. SQLite blocks the event loop, so requests wait for it, about 60 ms for 100 documents; and
 * other processes wait for its lock.
 */
const WRITTEN_AT_ONCE = 100;

/** The generations of the embedded index: each has its own tables, and a row with its state. */
export function createSqliteGenerations(database: RecordsDatabase): Generations {
  const update = (id: number, change: (db: Db) => Promise<unknown>) =>
    database.transaction(async (db) => {
      await generationRow(db, id);
      await change(db);
    });
  return {
    list: () => snapshot(database, listed),
    begin: (now) => database.transaction((db) => addGeneration(db, 'building', now)),
    async write(id, documents) {
      for (let from = 0; from < documents.length; from += WRITTEN_AT_ONCE) {
        await database.transaction(async (db) => {
          ensureLayout(await generationRow(db, id));
          await writeDocuments(db, id, documents.slice(from, from + WRITTEN_AT_ONCE));
        });
        await yieldToEventLoop();
      }
    },
    built: (id) =>
      update(id, (db) =>
        sql`UPDATE index_generation SET state = 'built' WHERE id = ${id} AND state = 'building'`.execute(db),
      ),
    applied: (id, seq) =>
      update(id, (db) =>
        sql`UPDATE index_generation SET applied_seq = max(applied_seq, ${seq}) WHERE id = ${id}`.execute(db),
      ),
    searchIn: (id, query) =>
      snapshot(database, async (db) => {
        ensureLayout(await generationRow(db, id));
        return listAgents(db, id, query);
      }),
    foreign: async () => undefined, // they share one file with their records
    promote: (id, now) => database.transaction((db) => promote(db, id, now)),
    drop: (id) =>
      database.transaction(async (db) => {
        const { state } = await generationRow(db, id);
        if (state === 'live') throw dropsLive(id);
        await remove(db, id);
      }),
  };
}

/** Runs queries on one state of the database: without it, another process could drop a table between two of them. */
export function snapshot<T>(database: RecordsDatabase, work: (db: Db) => Promise<T>): Promise<T> {
  return database.read((db) => db.transaction().setAccessMode('read only').execute(work));
}

/** The generation that is live, if there is one of this layout. */
export async function liveGeneration(db: Db): Promise<number> {
  const { rows } = await sql<GenerationRow>`SELECT * FROM index_generation WHERE state = 'live'`.execute(db);
  const [live] = rows;
  if (live === undefined) throw noLiveGeneration();
  ensureLayout(live);
  return live.id;
}

/** Creates an empty generation and returns its number. */
export async function addGeneration(db: Db, state: 'building' | 'live', now: number): Promise<number> {
  const promotedAt = state === 'live' ? now : null;
  const { rows } = await sql<{ id: number }>`
    INSERT INTO index_generation (state, created_at, promoted_at, layout)
    VALUES (${state}, ${now}, ${promotedAt}, ${INDEX_LAYOUT}) RETURNING id`.execute(db);
  const id = rows[0]?.id ?? 0;
  await createTables(db, id);
  return id;
}

/** The states change one after the other, because there is never more than one of each. */
async function promote(db: Db, id: number, now: number): Promise<void> {
  const generation = await generationRow(db, id);
  ensureLayout(generation);
  if (generation.state === 'live') return;
  await sql`UPDATE index_generation SET state = 'built' WHERE id = ${id}`.execute(db);
  const { rows } = await sql<GenerationRow>`SELECT * FROM index_generation WHERE state = 'previous'`.execute(
    db,
  );
  for (const previous of rows) await remove(db, previous.id);
  await sql`UPDATE index_generation SET state = 'previous' WHERE state = 'live'`.execute(db);
  await sql`UPDATE index_generation SET state = 'live', promoted_at = ${now} WHERE id = ${id}`.execute(db);
}

async function remove(db: Db, id: number): Promise<void> {
  await sql`DELETE FROM index_generation WHERE id = ${id}`.execute(db);
  await dropTables(db, id);
}

async function generationRow(db: Db, id: number): Promise<GenerationRow> {
  const { rows } = await sql<GenerationRow>`SELECT * FROM index_generation WHERE id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw noGeneration(id);
  return row;
}

/** A generation of another layout would find the wrong agents. */
function ensureLayout(row: GenerationRow): void {
  const fault = layoutFault(row);
  if (fault !== undefined) throw fault;
}

function layoutFault({ id, layout }: GenerationRow): RegistryError | undefined {
  return layout === INDEX_LAYOUT ? undefined : otherLayout(id, layout, INDEX_LAYOUT);
}

async function listed(db: Db): Promise<readonly Generation[]> {
  const { rows } = await sql<GenerationRow>`SELECT * FROM index_generation ORDER BY id`.execute(db);
  const generations: Generation[] = [];
  for (const row of rows) generations.push(await generationOf(db, row));
  return generations;
}

async function generationOf(db: Db, row: GenerationRow): Promise<Generation> {
  const fault = layoutFault(row);
  const documents = await countDocuments(db, row.id);
  return {
    id: row.id,
    state: row.state,
    createdAt: row.created_at,
    ...(row.promoted_at !== null && { promotedAt: row.promoted_at }),
    ...(documents !== undefined && { documents }),
    appliedSeq: row.applied_seq,
    ...(fault && { fault }),
  };
}

/** Undefined if the layout of the generation has no such table. */
async function countDocuments(db: Db, id: number): Promise<number | undefined> {
  const { agent } = tablesOf(id);
  const { rows: tables } = await sql`
    SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ${`index_agent_${id}`}`.execute(db);
  if (tables.length === 0) return undefined;
  const { rows } = await sql<{ documents: number }>`SELECT count(*) AS documents FROM ${agent}`.execute(db);
  return rows[0]?.documents;
}

function noLiveGeneration(): RegistryError {
  return new RegistryError('index_missing', 'the index has no live generation', { hint: REBUILD_HINT });
}
