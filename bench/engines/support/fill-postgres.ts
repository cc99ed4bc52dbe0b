import type { ParseArgsOptionsConfig } from 'node:util';
import pg from 'pg';
import { openSqliteRecords } from '../../../src/adapters/sql/sqlite/sqlite-records.ts';
import { moveStore } from '../../../src/compose/schema.ts';
import { startPostgres } from '../../../test/engines/start/postgres.ts';
import { fillOnce } from '../../support/fill-edges.ts';
import { withStoreAt } from '../../support/scratch.ts';

/** Options of the benchmarks about edges: a store and a database that are named are kept, and used again when they are filled. */
export const EDGE_OPTIONS = {
  publishers: { type: 'string', default: '100000' },
  rounds: { type: 'string', default: '1000' },
  store: { type: 'string' },
  database: { type: 'string' },
  quick: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

interface EdgePlaces {
  readonly publishers: number;
  /** Path of a SQLite store to move from. Default: one for this time. */
  readonly store: string | undefined;
  /** `postgres://…`. Default: a PostgreSQL of its own for this time. */
  readonly database: string | undefined;
}

/** Runs `work` with the URL of a database that has the rows of `fillEdges`. */
export async function withEdges(
  { publishers, store, database }: EdgePlaces,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const postgres = database === undefined ? await startPostgres() : undefined;
  try {
    const url = database ?? (await postgres?.createDatabase()) ?? '';
    if (await isEmpty(url)) await withStoreAt(store, (path) => fill(path, url, publishers));
    await work(url);
  } finally {
    await postgres?.stop();
  }
}

/** Filled on SQLite, and moved as an operator would move it: all of it or nothing. */
async function fill(path: string, url: string, publishers: number): Promise<void> {
  const source = await openSqliteRecords({ path });
  console.log(`filled in ${fillOnce(source.database, publishers).toFixed(0)} s`);
  await source.close();
  const started = performance.now();
  const { signal } = new AbortController();
  await moveStore(`sqlite:${path}`, url).run({
    now: Date.now(),
    live: false,
    signal,
    onProgress: () => {},
  });
  console.log(`moved in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
}

async function isEmpty(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query("SELECT to_regclass('authorisation') IS NULL AS empty");
  await client.end();
  return rows[0]?.empty === true;
}
