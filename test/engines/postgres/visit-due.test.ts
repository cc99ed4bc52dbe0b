import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { createPostgresStore } from '../../../src/records/postgres/postgres-store.ts';
import { NOW } from '../../contract/records-fixtures.ts';
import { freshDatabase } from '../support/engines.ts';

it('what is due is counted for longer than other statements may take', async () => {
  const url = await freshDatabase();
  await (await openPostgresRecords({ url })).close();
  const records = await openPostgresRecords({ url, timeoutMs: 2_000 });
  onTestFinished(() => records.close());
  const holder = new pg.Client(url);
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('BEGIN; LOCK TABLE source');
  const counted = records.sources.countDue(NOW);
  // begun later than the count, this has its time and fails
  await expect(records.sources.due('domain', 1, NOW)).rejects.toMatchObject({ retryable: true });
  await holder.query('COMMIT');
  expect(await counted).toEqual({ domains: 0, agents: 0 });
});

it('a search that waited for a lock for as long as it may is not begun again, however patient the store is', async () => {
  const url = await freshDatabase();
  await (await openPostgresRecords({ url })).close();
  const store = createPostgresStore({ url, patienceMs: 60_000 });
  onTestFinished(() => store.close());
  let begun = 0;
  const search = () =>
    store.read(
      (db) => {
        begun += 1;
        return db.selectFrom('source').select('id').execute();
      },
      { longMs: 4_000 }, // also limits the time to connect, and half of it the wait for the lock,
    );
  expect(await search()).toEqual([]);
  const holder = new pg.Client(url);
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('BEGIN; LOCK TABLE source');
  await expect(search()).rejects.toMatchObject({ code: 'store_locked', retryable: true });
  expect(begun).toBe(2);
});
