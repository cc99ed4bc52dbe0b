import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AgentPage, AgentQuery } from '../../domain/agent-query.ts';
import type { Generation, GenerationState, Generations } from '../../ports/agent-index.ts';
import type { SavedDocument } from '../../ports/agent-store.ts';
import type { SqliteDatabase } from '../../records/sqlite/sqlite-database.ts';
import { dropsLive, noGeneration } from '../generation-errors.ts';
import { INDEX_LAYOUT } from '../query/index-fields.ts';
import { createTables, dropOrphanedTables, orphanedGenerations, tablesOf } from './tables.ts';

/** How the generations write and read; the index itself lends it to them. */
export interface GenerationAccess {
  write(generation: GenerationRow, documents: readonly SavedDocument[]): void;
  search(generation: GenerationRow, query: AgentQuery): AgentPage;
  /** Throws `index_missing` for a generation of another layout; so do the others. */
  ensureKnown(generation: GenerationRow): void;
  /** Several reads of one state of the database. */
  snapshot<T>(read: () => T): T;
}

export interface GenerationRow {
  readonly id: number;
  readonly state: GenerationState;
  readonly created_at: number;
  readonly promoted_at: number | null;
  readonly applied_seq: number;
  readonly copied_up_to: string | null;
  readonly changes: number;
  /** Absent in a table of an older program that may not be written to. */
  readonly layout?: number;
}

export const LIVE = "SELECT * FROM index_generation WHERE state = 'live'";
const OF_ID = 'SELECT * FROM index_generation WHERE id = ?';
const BUILDING = "SELECT * FROM index_generation WHERE state = 'building'";

/** The generations of the embedded index: one set of tables each, and a row that says which one is live. */
export function createSqliteGenerations(database: SqliteDatabase, access: GenerationAccess): Generations {
  const row = (id: number): GenerationRow => {
    const found = database.statement(OF_ID).get(id) as unknown as GenerationRow | undefined;
    if (found === undefined) throw noGeneration(id);
    return found;
  };
  const set = (id: number, assignment: string, ...values: readonly (string | number)[]) =>
    database.transaction(() => {
      const sql = `UPDATE index_generation SET ${assignment} WHERE id = ?`;
      database.statement(sql).run(...values, row(id).id);
    });
  return {
    list: async () => access.snapshot(() => listed(database)),
    async begin(now) {
      const begun = database.transaction(() => {
        const building = database.statement(BUILDING).get() as unknown as GenerationRow | undefined;
        if (building?.layout === INDEX_LAYOUT) return generation(database, building);
        if (building !== undefined) remove(database, building.id);
        return generation(database, row(addGeneration(database, 'building', now)));
      });
      dropOrphanedTables(database);
      return begun;
    },
    write: async (id, documents) => database.transaction(() => access.write(row(id), documents)),
    copied: async (id, upTo) => set(id, 'copied_up_to = ?', upTo),
    async built(id) {
      if (row(id).state === 'building') await joinSegments(database, id);
      set(id, "state = CASE state WHEN 'building' THEN 'built' ELSE state END");
    },
    applied: async (id, seq) => set(id, 'applied_seq = max(applied_seq, ?)', seq),
    searchIn: async (id, query) => access.snapshot(() => access.search(row(id), query)),
    foreign: async () => undefined, // they share one file with their records
    async promote(id, now) {
      database.transaction(() => {
        access.ensureKnown(row(id));
        promote(database, row(id), now);
      });
      dropOrphanedTables(database);
    },
    async drop(id) {
      database.transaction(() => {
        if (orphanedGenerations(database).includes(id)) return;
        if (row(id).state === 'live') throw dropsLive(id);
        remove(database, id);
      });
      dropOrphanedTables(database);
    },
  };
}

/** Its tables are dropped by whoever changes the generations next. */
function remove(database: SqliteDatabase, id: number): void {
  database.statement('DELETE FROM index_generation WHERE id = ?').run(id);
}

/** Pages of the full-text index that are written at once: other writers wait so long, some 40 ms. */
const JOINED_PAGES = 250;

/**
 * A copy leaves the list of each word in many pieces. In one it is walked in two thirds of the time (FTS5, 6.8: the 'merge'
 * command; a negative number takes in the pieces that would be left as they are, and less than two changes are none).
 */
async function joinSegments(database: SqliteDatabase, id: number): Promise<void> {
  const { text } = tablesOf(id);
  const sql = `INSERT INTO ${text} (${text}, rank) VALUES ('merge', ?)`;
  const changes = () => Number(database.statement('SELECT total_changes() AS n').get()?.n);
  const join = (pages: number) =>
    database.transaction(() => {
      const before = changes();
      database.statement(sql).run(pages);
      return changes() - before;
    });
  for (let pages = -JOINED_PAGES; join(pages) >= 2; pages = JOINED_PAGES) await yieldToEventLoop();
}

/** Inside a write transaction; returns the number of the new generation. */
export function addGeneration(database: SqliteDatabase, state: 'building' | 'live', now: number): number {
  const sql = `INSERT INTO index_generation (state, created_at, promoted_at, layout) VALUES (?, ?, ?, ?)
    RETURNING id`;
  const promotedAt = state === 'live' ? now : null;
  const created = database.statement(sql).get(state, now, promotedAt, INDEX_LAYOUT) as { id: number };
  createTables(database, created.id);
  return created.id;
}

/** The states change one after the other, because there is never more than one of each. */
function promote(database: SqliteDatabase, { id, state }: GenerationRow, now: number): void {
  if (state === 'live') return;
  database.statement("UPDATE index_generation SET state = 'built' WHERE id = ?").run(id);
  database.statement("DELETE FROM index_generation WHERE state = 'previous'").run();
  database.statement("UPDATE index_generation SET state = 'previous' WHERE state = 'live'").run();
  database.statement("UPDATE index_generation SET state = 'live', promoted_at = ? WHERE id = ?").run(now, id);
}

function listed(database: SqliteDatabase): readonly Generation[] {
  const rows = database.statement('SELECT * FROM index_generation').all() as unknown as GenerationRow[];
  const leftOver = orphanedGenerations(database).map(
    (id): Generation => ({ id, state: 'building', createdAt: 0, documents: 0, appliedSeq: 0 }),
  );
  return [...rows.map((row) => generation(database, row)), ...leftOver].sort((a, b) => a.id - b.id);
}

function generation(database: SqliteDatabase, row: GenerationRow): Generation {
  // the first layout kept the number of all under 0
  const sql = `SELECT coalesce(sum(agents), 0) AS documents FROM ${tablesOf(row.id).value} WHERE term <= 0`;
  const { documents } = database.statement(sql).get() as { documents: number };
  return {
    id: row.id,
    state: row.state,
    createdAt: row.created_at,
    ...(row.promoted_at !== null && { promotedAt: row.promoted_at }),
    documents,
    appliedSeq: row.applied_seq,
    ...(row.copied_up_to !== null && { copiedUpTo: row.copied_up_to }),
  };
}
