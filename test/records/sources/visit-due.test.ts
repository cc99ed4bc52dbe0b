import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { MIGRATIONS } from '../../../src/records/migrations/migrations.ts';
import { findDueSources } from '../../../src/records/sources/due-sources.ts';
import { createLeases } from '../../../src/records/sources/leases.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { tempStore } from '../../cli/support/cli.ts';
import { NOW } from '../../contract/records-fixtures.ts';
import { changeSources, expectDueTimes, SOURCES_OF_BEFORE } from '../../contract/records-visit-due.ts';
import { plansOf } from '../support/plans.ts';

it('due times follow the sources, whatever changes them', async () => {
  const records = await openSqliteRecords({ path: ':memory:' });
  onTestFinished(() => records.close());
  await changeSources(records, (text) => records.database.statement(text).all());
});

it('due times of an older store are those of its sources', async () => {
  const path = tempStore().replace('sqlite:', '');
  const old = new DatabaseSync(path);
  old.exec(`${MIGRATIONS.slice(0, 10).join('')}; PRAGMA user_version = 10; ${SOURCES_OF_BEFORE}`);
  old.close();
  const records = await openSqliteRecords({ path });
  onTestFinished(() => records.close());
  await expectDueTimes((text) => records.database.statement(text).all(), 4);
  const due = await records.sources.due('domain', 9, NOW);
  expect(due.map(({ key }) => key)).toEqual(['late.example']);
});

it('a batch of what is due is one range of the due times, and looks at no source', async () => {
  const row = { key: 'a.example', registrable_domain: 'a.example', source: 1, at: NOW, listed: 1 };
  const plans = await plansOf(row, (store) => createLeases(store).due('domain', 9, NOW));
  const range = /^SEARCH visit_due USING PRIMARY KEY \(visit=\? AND \(at,source\)>\(\?,\?\) AND at<\?\)$/;
  expect(plans.filter((plan) => range.test(plan))).toHaveLength(1);
  expect(plans.filter((plan) => /\b(SEARCH|SCAN) source\b|ORDER BY/.test(plan))).toEqual([]);
});

it('visits that are taken by name are found by name, however many are due', async () => {
  const row = { key: 'a.example', registrable_domain: 'a.example', source: 1, at: NOW, listed: 1 };
  const plans = await plansOf(row, (store) =>
    store.read((db) => findDueSources(db, 'domain', ['a.example'], NOW)),
  );
  expect(plans[0]).toMatch(/^SEARCH source USING INDEX sqlite_autoindex_source_1 \(kind=\? AND key=\?\)$/);
});
