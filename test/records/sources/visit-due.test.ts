import { expect, it } from 'vitest';
import { findDueSources } from '../../../src/records/sources/due-sources.ts';
import { createLeases } from '../../../src/records/sources/leases.ts';
import { NOW } from '../../contract/records-fixtures.ts';
import { plansOf } from '../support/plans.ts';

it('a batch of what is due is one range of the sources by their next visit', async () => {
  const row = { key: 'a.example', registrable_domain: 'a.example', id: 1, at: NOW, listed: 1 };
  const plans = await plansOf(row, (store) => createLeases(store).due('domain', 9, NOW));
  const range = /^SEARCH source USING INDEX source_due \(visit=\? AND next_visit_at<\?\)$/;
  expect(plans.filter((plan) => range.test(plan)).length).toBeGreaterThan(0);
  expect(plans.filter((plan) => /SCAN source\b|ORDER BY/.test(plan))).toEqual([]);
});

it('visits that are taken by name are found by name, however many are due', async () => {
  const row = { key: 'a.example', registrable_domain: 'a.example', id: 1, at: NOW, listed: 1 };
  const plans = await plansOf(row, (store) =>
    store.read((db) => findDueSources(db, 'domain', ['a.example'], NOW)),
  );
  expect(plans[0]).toMatch(/^SEARCH source USING INDEX sqlite_autoindex_source_1 \(kind=\? AND key=\?\)$/);
});
