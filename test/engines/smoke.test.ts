import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresEngine, startPostgres } from './start/postgres.ts';
import { freshDatabase, freshIndexPrefix, openSearchUrl } from './support/engines.ts';

const PATIENT_MS = 20_000;
const IMPATIENT_MS = 500;

describe('the shared engines', () => {
  it('give an empty PostgreSQL database', async () => {
    const url = await freshDatabase();
    const tables = `SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'`;
    expect(await ask(url, tables)).toEqual([{ n: 0 }]);
  });

  it('give every caller a database of its own', async () => {
    const [one, other] = [await freshDatabase(), await freshDatabase()];
    await ask(one, 'CREATE TABLE mine (a int)');
    expect(await ask(other, `SELECT to_regclass('mine') AS mine`)).toEqual([{ mine: null }]);
  });

  it('give an OpenSearch that finds what was stored', async () => {
    const index = `${openSearchUrl()}/${freshIndexPrefix()}smoke`;
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Pinnacle' });
    const stored = await fetch(`${index}/_doc/1?refresh=true`, { method: 'PUT', headers, body });
    expect(stored.status).toBe(201);
    const found = await fetch(`${index}/_search?q=name:pinnacle`);
    expect(await found.json()).toMatchObject({ hits: { total: { value: 1 } } });
  });
});

describe('a PostgreSQL of our own', () => {
  let postgres: PostgresEngine;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it('answers nobody while it is frozen, and goes on when it is thawed', async () => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    postgres.freeze();
    const answer = client.query('SELECT 1 AS n');
    await expect(ask(postgres.url, 'SELECT 1', IMPATIENT_MS)).rejects.toThrow(/timeout/);
    expect(await Promise.race([answer, 'no answer yet'])).toBe('no answer yet');
    postgres.thaw();
    expect((await answer).rows).toEqual([{ n: 1 }]);
    await client.end();
  });

  it('keeps what was committed when it is killed and started again', async () => {
    await ask(postgres.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    await postgres.kill();
    await expect(ask(postgres.url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
    await postgres.restart();
    expect(await ask(postgres.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
  });
});

async function ask(url: string, sql: string, patienceMs = PATIENT_MS): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: patienceMs });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
