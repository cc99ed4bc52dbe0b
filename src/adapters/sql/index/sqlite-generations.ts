import type { AgentPage, AgentQuery } from '../../../domain/agent-query.ts';
import { RegistryError } from '../../../errors.ts';
import type { Generation, GenerationState, Generations } from '../../../ports/agent-index.ts';
import type { SavedDocument } from '../../../ports/agent-store.ts';
import { ALL_AGENTS } from '../../../query/terms.ts';
import { tablesOf } from '../../../query/to-sql.ts';
import type { SqliteDatabase } from '../database.ts';
import { createTables, dropOrphanedTables } from './generation-tables.ts';
import { snapshot } from './snapshot.ts';

/** How the generations write and read; the index itself lends it to them. */
export interface GenerationAccess {
  write(generation: GenerationRow, documents: readonly SavedDocument[]): void;
  search(generation: GenerationRow, query: AgentQuery): AgentPage;
}

export interface GenerationRow {
  readonly id: number;
  readonly state: GenerationState;
  readonly created_at: number;
  readonly promoted_at: number | null;
  readonly applied_seq: number;
  readonly copied_up_to: string | null;
  readonly changes: number;
}

export const LIVE = "SELECT * FROM index_generation WHERE state = 'live'";
const OF_ID = 'SELECT * FROM index_generation WHERE id = ?';
const BUILDING = "SELECT * FROM index_generation WHERE state = 'building'";

/** The generations of the embedded index: one set of tables each, and a row that says which one is live. */
export function createGenerations(database: SqliteDatabase, access: GenerationAccess): Generations {
  const row = (id: number): GenerationRow => {
    const found = database.statement(OF_ID).get(id) as unknown as GenerationRow | undefined;
    if (found === undefined) throw noGeneration(id);
    return found;
  };
  return {
    async list() {
      const rows = database.statement('SELECT * FROM index_generation ORDER BY id').all();
      return (rows as unknown as GenerationRow[]).map((one) => generation(database, one));
    },
    async begin(now) {
      dropOrphanedTables(database);
      return database.transaction(() => {
        const building = database.statement(BUILDING).get() as unknown as GenerationRow | undefined;
        return generation(database, building ?? row(addGeneration(database, 'building', now)));
      });
    },
    async copy(id, documents, copiedUpTo) {
      database.transaction(() => {
        access.write(row(id), documents);
        if (copiedUpTo === undefined) return;
        database.statement('UPDATE index_generation SET copied_up_to = ? WHERE id = ?').run(copiedUpTo, id);
      });
    },
    async applied(id, seq) {
      const sql = 'UPDATE index_generation SET applied_seq = max(applied_seq, ?) WHERE id = ?';
      database.transaction(() => database.statement(sql).run(seq, row(id).id));
    },
    searchIn: async (id, query) => snapshot(database, () => access.search(row(id), query)),
    async promote(id, now) {
      database.transaction(() => promote(database, row(id), now));
      dropOrphanedTables(database);
    },
    async drop(id) {
      database.transaction(() => {
        if (row(id).state === 'live') throw dropsLive(id);
        database.statement('DELETE FROM index_generation WHERE id = ?').run(id);
      });
      dropOrphanedTables(database);
    },
  };
}

/** Inside a write transaction; returns the number of the new generation. */
export function addGeneration(database: SqliteDatabase, state: 'building' | 'live', now: number): number {
  const sql = 'INSERT INTO index_generation (state, created_at, promoted_at) VALUES (?, ?, ?) RETURNING id';
  const made = database.statement(sql).get(state, now, state === 'live' ? now : null) as { id: number };
  createTables(database, made.id);
  return made.id;
}

function promote(database: SqliteDatabase, { id, state }: GenerationRow, now: number): void {
  if (state === 'live') return;
  database.statement("DELETE FROM index_generation WHERE state = 'previous' AND id <> ?").run(id);
  database.statement("UPDATE index_generation SET state = 'previous' WHERE state = 'live'").run();
  database.statement("UPDATE index_generation SET state = 'live', promoted_at = ? WHERE id = ?").run(now, id);
}

function generation(database: SqliteDatabase, row: GenerationRow): Generation {
  const sql = `SELECT agents FROM ${tablesOf(row.id).value} WHERE term = ?`;
  const all = database.statement(sql).get(ALL_AGENTS) as { agents: number } | undefined;
  return {
    id: row.id,
    state: row.state,
    createdAt: row.created_at,
    ...(row.promoted_at !== null && { promotedAt: row.promoted_at }),
    documents: all?.agents ?? 0,
    appliedSeq: row.applied_seq,
    ...(row.copied_up_to !== null && { copiedUpTo: row.copied_up_to }),
  };
}

function noGeneration(id: number): RegistryError {
  return new RegistryError('not_found', `the index has no generation ${id}`, {
    hint: 'registry index status lists the generations there are',
  });
}

function dropsLive(id: number): RegistryError {
  return new RegistryError('usage', `generation ${id} is live and cannot be dropped`, {
    hint: 'promote another generation first',
  });
}
