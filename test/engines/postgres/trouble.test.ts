import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Db } from '../../../src/records/database.ts';
import { lockAlone } from '../../../src/records/locks.ts';
import type { PostgresOptions } from '../../../src/records/postgres/connect.ts';
import { createPostgresStore, type PostgresStore } from '../../../src/records/postgres/postgres-store.ts';
import { waitUntil } from '../start/processes.ts';
import { freshDatabase } from '../support/engines.ts';

const SECOND = 1_000;
let url: string;
let stores: PostgresStore[];
let watcher: PostgresStore;

beforeEach(async () => {
  url = await freshDatabase();
  stores = [];
  watcher = open();
});
afterEach(() => Promise.all(stores.map((store) => store.close())));

function open(options: Partial<PostgresOptions> = {}): PostgresStore {
  const store = createPostgresStore({ url, ...options });
  stores.push(store);
  return store;
}

/** The database's address for a role that may have so many connections. */
async function limitedTo(connections: number): Promise<string> {
  const username = `few_${new URL(url).pathname.slice(1)}`;
  await watcher.read(one(`CREATE ROLE ${username} LOGIN PASSWORD 'few' CONNECTION LIMIT ${connections}`));
  return Object.assign(new URL(url), { username, password: 'few' }).href;
}

/** The first row of a statement that is only text, as work of a store. */
function one(text: string) {
  return async (db: Db) => (await sql.raw<Readonly<Record<string, unknown>>>(text).execute(db)).rows[0] ?? {};
}

/** Sessions of the test's database that do, or wait for, something that this text is in. */
async function busyWith(text: string): Promise<number> {
  const sessions = await watcher.read(
    one(
      `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%${text}%'`,
    ),
  );
  return sessions.n as number;
}

/** Until nobody is busy with it: the server ends what it ends a little after it was told to. */
const untilIdle = (text: string) => waitUntil(async () => (await busyWith(text)) === 0, 40 * SECOND);

describe('time that is limited', () => {
  it('is taken by nobody who is frozen with a lock: the others go on, and so does he when he is back', async () => {
    const child = fork(join(import.meta.dirname, 'frozen-writer.ts'), [url, String(2 * SECOND)]);
    await once(child, 'message');
    const store = open({ timeoutMs: SECOND, patienceMs: 50 * SECOND });
    await store.read(one('SELECT 1'));
    await store.transaction((db) => lockAlone(db, 'changeLog'));
    expect(await untilIdle('advisory')).toBe(true);
    child.kill('SIGCONT');
    const [attempts] = await once(child, 'message');
    expect(attempts).toBeGreaterThan(1);
  });

  it('ends a wait for a lock before the client gives up: nothing of it stays in the server', async () => {
    // the server gives up after half of the time, and there is time enough for its word to come
    const [holder, waiter] = [await open().pool.connect(), open({ timeoutMs: 4 * SECOND })];
    await holder.query('BEGIN');
    await holder.query('SELECT pg_advisory_xact_lock(7431004)');
    const waiting = waiter.transaction((db) => lockAlone(db, 'contents'));
    await expect(waiting).rejects.toMatchObject({ code: 'store_locked', retryable: true });
    expect(await untilIdle('advisory')).toBe(true);
    holder.release(true);
  });

  it('ends a statement in the server too', async () => {
    const store = open({ timeoutMs: SECOND });
    const sleeping = store.transaction(one('SELECT pg_sleep(60)'));
    await expect(sleeping).rejects.toMatchObject({ code: 'store_unavailable', retryable: true });
    expect(await untilIdle('pg_sleep(60)')).toBe(true);
  });

  it('is longer for one transaction, or reading, that says so', async () => {
    const store = open({ timeoutMs: SECOND, connections: 1 });
    const limits = { longMs: 60 * SECOND };
    await store.transaction(one('SELECT pg_sleep(1.5)'), limits);
    await store.read(one('SELECT pg_sleep(1.5)'), limits);
    await expect(store.read(one('SELECT pg_sleep(1.5)'))).rejects.toMatchObject({
      code: 'store_unavailable',
    });
  });

  it('is not spent on a process that is gone', async () => {
    const store = open({ connections: 1 });
    const client = await store.pool.connect();
    client.on('error', () => {});
    await client.query("SET client_connection_check_interval = '200ms'; SET statement_timeout = 0");
    void client.query('SELECT pg_sleep(61)').catch(() => {});
    expect(await waitUntil(async () => (await busyWith('pg_sleep(61)')) === 1, 25 * SECOND)).toBe(true);
    client.once('end', () => client.release(true));
    (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy(); // as by a kill
    expect(await untilIdle('pg_sleep(61)')).toBe(true);
    const fresh = await store.read(one('SHOW client_connection_check_interval'));
    expect(fresh.client_connection_check_interval).toBe('5s');
  });
});

describe('the error of a transaction', () => {
  it('is the first one that a statement had, not that the transaction has failed', async () => {
    const store = open();
    const failing = store.transaction(async (db) => {
      await Promise.all([one('SELECT 1 / 0 AS x')(db), one('SELECT 2 AS y')(db)]);
    });
    await expect(failing).rejects.toMatchObject({ code: '22012' });
  });
});

describe('a table that a newer version has migrated', () => {
  it('is read and written on by connections that knew it before', async () => {
    const store = open({ connections: 2 });
    await watcher.transaction(one('CREATE TABLE thing AS SELECT 1 AS a'));
    const look = one('SELECT * FROM thing');
    const lookTwice = () => Promise.all([store.read(look), store.transaction(look)]);
    await lookTwice();
    await lookTwice();
    await watcher.transaction(one('ALTER TABLE thing ADD COLUMN b BIGINT DEFAULT 2'));
    expect(await lookTwice()).toEqual([
      { a: 1, b: 2 },
      { a: 1, b: 2 },
    ]);
  });
});

describe('a database that takes in nobody new', () => {
  it('is read and written on by the connections that are open, and by who comes behind them', async () => {
    const store = open({ url: await limitedTo(2) });
    await store.read(one('SELECT 1 AS one'));
    const work = Array.from({ length: 30 }, (_, at) => [
      store.read(async (db) => {
        await one(`SELECT ${at} AS at`)(db);
        return one('SELECT pg_sleep(0.05)')(db);
      }),
      store.transaction(one(`SELECT ${at} AS at`)),
    ]);
    const done = await Promise.all(work.flat());
    expect(done).toHaveLength(60);
    expect(store.pool.totalCount).toBeLessThanOrEqual(2);
  });

  it('is away for who has no connection open, however many ask', async () => {
    const store = open({ url: await limitedTo(0) });
    const connecting = vi.spyOn(store.pool, 'connect');
    const asked = await Promise.allSettled(
      Array.from({ length: 8 }, () => store.read(one('SELECT 1 AS one'))),
    );
    const away = { status: 'rejected', reason: expect.objectContaining({ code: 'store_unavailable' }) };
    expect(asked).toEqual(asked.map(() => away));
    expect(connecting).toHaveBeenCalledTimes(8 * 4);
  });
});

describe('a database that takes nobody in for now', () => {
  it('is away, and waited for', async () => {
    const name = new URL(url).pathname.slice(1);
    const administrator = createPostgresStore({ url: await freshDatabase() });
    stores.push(administrator);
    await administrator.read(one(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`));
    await expect(open().read(one('SELECT 1'))).rejects.toMatchObject({ code: 'store_unavailable' });
    await administrator.read(one(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`));
    expect(await open().read(one('SELECT 1 AS one'))).toEqual({ one: 1 });
  });
});
