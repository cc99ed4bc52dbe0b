import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { statementsBetween } from '../../../src/records/postgres/migrate-postgres.ts';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { createPostgresStore } from '../../../src/records/postgres/postgres-store.ts';
import { NOW } from '../../contract/records-fixtures.ts';
import { changeSources, expectDueTimes, SOURCES_OF_BEFORE } from '../../contract/records-visit-due.ts';
import { freshDatabase } from '../support/engines.ts';
import { asOwner } from '../support/roles.ts';

it('due times follow the sources, whatever changes them', async () => {
  const url = await freshDatabase();
  const records = await openPostgresRecords({ url });
  onTestFinished(() => records.close());
  await changeSources(records, (text) => asOwner(url, text));
});

it('due times of an older store are those of its sources', async () => {
  const url = await freshDatabase();
  await asOwner(
    url,
    ...statementsBetween(0, 10),
    'CREATE TABLE registry_schema (version BIGINT NOT NULL)',
    'INSERT INTO registry_schema (version) VALUES (10)',
    SOURCES_OF_BEFORE,
  );
  const records = await openPostgresRecords({ url });
  onTestFinished(() => records.close());
  await expectDueTimes((text) => asOwner(url, text), 4);
  const due = await records.sources.due('domain', 9, NOW);
  expect(due.map(({ key }) => key)).toEqual(['late.example']);
});

it('what is due is counted for longer than other statements may take', async () => {
  const url = await freshDatabase();
  await (await openPostgresRecords({ url })).close();
  const records = await openPostgresRecords({ url, timeoutMs: 2_000 });
  onTestFinished(() => records.close());
  const holder = new pg.Client(url);
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('BEGIN; LOCK TABLE visit_due');
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
        return db.selectFrom('visit_due').select('at').execute();
      },
      { longMs: 500 },
    );
  expect(await search()).toEqual([]);
  const holder = new pg.Client(url);
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('BEGIN; LOCK TABLE visit_due');
  await expect(search()).rejects.toMatchObject({ code: 'store_locked', retryable: true });
  expect(begun).toBe(2);
});
