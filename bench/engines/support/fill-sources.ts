import { FILL_VISIT_DUE, KEEP_VISIT_DUE } from '../../../src/records/migrations/011-visit-due.ts';
import { DUE_AT_ONCE } from '../../../src/records/migrations/012-due-at-once.ts';
import { inPostgres, statementsOf } from '../../../src/records/migrations/in-postgres.ts';
import type { Dialect } from '../../../src/records/sql-tasks.ts';
import { type Filled, patternsOfDays, type Rows, rowsOfAgents } from './rows-of-agents.ts';
import { rowsOfDomains } from './rows-of-domains.ts';

/** Runs one statement on the store that is filled. */
export type Run = (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Numbers of one statement. */
const CHUNK = 500_000;

/**
 * Fills an empty store with domains of two sources each, visited within the last month and due within the next, and with
 * agents that were probed every hour for 91 days. The columns are those that visits leave. On PostgreSQL indexes and
 * unique keys are made when the rows are there, so they are as dense as they ever are. Due times are filled as a migration
 * does it.
 */
export async function fillSources(run: Run, dialect: Dialect, filled: Filled): Promise<void> {
  const begun = performance.now();
  const log = (what: string) => console.log(`${((performance.now() - begun) / 1_000).toFixed(0)} s: ${what}`);
  const { domains, agents } = filled;
  const tables = [...rowsOfDomains(dialect, filled), ...rowsOfAgents(filled)];
  for (const name of TRIGGERS) await run(`DROP TRIGGER ${name}${dialect === 'postgres' ? ' ON source' : ''}`);
  const later = await dropKeys(run, dialect, [...new Set(tables.map(({ table }) => table))]);
  for (let from = 1; from <= domains; from += CHUNK) {
    const upTo = Math.min(from + CHUNK - 1, domains);
    for (const rows of rowsOfDomains(dialect, filled)) await run(inserting(dialect, rows, from, upTo));
    log(`${upTo} domains`);
  }
  for (const text of patternsOfDays(dialect)) await run(text);
  for (const rows of rowsOfAgents(filled)) await run(inserting(dialect, rows, 1, agents));
  log(`${agents} agents`);
  for (const text of [...dueTimes(dialect), ...later]) {
    await run(text);
    log(text);
  }
}

const TRIGGERS = ['source_added', 'source_planned', 'source_gone'];

function dueTimes(dialect: Dialect): readonly string[] {
  return dialect === 'sqlite'
    ? [FILL_VISIT_DUE, KEEP_VISIT_DUE]
    : [FILL_VISIT_DUE, ...statementsOf(inPostgres(KEEP_VISIT_DUE + DUE_AT_ONCE))];
}

function inserting(dialect: Dialect, { table, values, of, join }: Rows, from: number, upTo: number): string {
  const series =
    dialect === 'postgres'
      ? `WITH series AS (SELECT generate_series(${from}::bigint, ${upTo}) AS n)`
      : `WITH RECURSIVE series(n) AS (VALUES (${from}) UNION ALL SELECT n + 1 FROM series WHERE n < ${upTo})`;
  return `${series} INSERT INTO ${table} (${Object.keys(values).join(', ')})
    SELECT ${Object.values(values).join(', ')} FROM series ${join ?? ''} WHERE ${of ?? '1 = 1'}`;
}

/** Drops what is quicker made at the end; returns the statements that make it again and tell the numbers where to go on. */
async function dropKeys(run: Run, dialect: Dialect, tables: readonly string[]): Promise<readonly string[]> {
  const named = tables.map((table) => `'${table}'`).join(', ');
  if (dialect === 'sqlite') {
    const indexes = await run(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN (${named})`,
    );
    for (const { name } of indexes) await run(`DROP INDEX ${name}`);
    return [...indexes.map(({ sql }) => String(sql)), 'ANALYZE'];
  }
  const constraints = await run(
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE contype IN ('p', 'u') AND conrelid::regclass::text IN (${named})`,
  );
  for (const { table, name } of constraints)
    await run(`ALTER TABLE ${table} DROP CONSTRAINT ${name} CASCADE`);
  const indexes = await run(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename IN (${named})`,
  );
  for (const { name } of indexes) await run(`DROP INDEX ${name}`);
  return [
    ...constraints.map(
      ({ table, name, definition }) => `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`,
    ),
    ...indexes.map(({ definition }) => String(definition)),
    ...['source', 'capture', 'declaration', 'authorisation', 'edge_log', 'probe_change'].map((table) => {
      const key = table === 'edge_log' ? 'seq' : 'id';
      return `SELECT setval(pg_get_serial_sequence('${table}', '${key}'), max(${key})) FROM ${table}`;
    }),
    'VACUUM ANALYZE',
  ];
}

/** Bytes of tables with their indexes. */
export async function bytesOfTables(run: Run, dialect: Dialect, tables: readonly string[]): Promise<number> {
  const named = tables.map((table) => `'${table}'`).join(', ');
  const [row] = await run(
    dialect === 'postgres'
      ? `SELECT sum(pg_total_relation_size(name::regclass)) AS bytes FROM unnest(ARRAY[${named}]) AS name`
      : `SELECT sum(pgsize) AS bytes FROM dbstat WHERE aggregate = TRUE
         AND name IN (SELECT name FROM sqlite_schema WHERE tbl_name IN (${named}))`,
  );
  return Number(row?.bytes);
}
