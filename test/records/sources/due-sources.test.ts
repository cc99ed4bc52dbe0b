import { describe, expect, it, onTestFinished } from 'vitest';
import type { RecordsDatabase } from '../../../src/records/database.ts';
import { createLeases } from '../../../src/records/sources/leases.ts';
import { createSqliteStore } from '../../../src/records/sqlite/database.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { countedStore } from '../support/plans.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;

describe('what is due', () => {
  it('is found past 5,000 hosts of one domain without reading them all', async () => {
    const { records, counted, store } = await countedStore();
    const visits = (keys: readonly string[]) =>
      keys.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
    const hosts = Array.from({ length: 5_000 }, (_, n) => `h${n}.big.example`);
    await records.sources.add(visits(hosts), NOW - 1);
    await records.sources.add(visits(['small.example']), NOW);
    const leases = createLeases(store);
    const registrable = (found: readonly { readonly key: string }[]) =>
      found.map(({ key }) => key.replace(/^h\d+\./, ''));
    const tenAndOne = [...Array.from({ length: 10 }, () => 'big.example'), 'small.example'];
    expect(registrable(await leases.due('domain', 100, NOW))).toEqual(tenAndOne);
    expect(counted.statements).toBeLessThan(5);
    counted.statements = 0;
    expect(registrable(await leases.takeDue('domain', 100, NOW, 60_000, new Set()))).toEqual(tenAndOne);
    expect(counted.statements).toBeLessThan(7);
  });

  it('becomes due in steps if a clock that was ahead has planned many visits too late', async () => {
    const records = await openSqliteRecords({ path: ':memory:' });
    onTestFinished(() => records.close());
    const keys = Array.from({ length: 600 }, (_, n) => `d${n}.example`);
    const visits = keys.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
    await records.sources.add(visits, NOW + 365 * DAY);
    const found: number[] = [];
    for (let look = 0; look < 3; look += 1)
      found.push((await records.sources.due('domain', 1_000, NOW)).length);
    expect(found).toEqual([500, 600, 600]);
  });
});

it('an agent that is declared while agents out of the list are put off keeps its visit', async () => {
  const records = await openSqliteRecords({ path: ':memory:' });
  onTestFinished(() => records.close());
  const agent = 'https://a.example/mcp';
  const old = NOW - 30 * DAY;
  await records.sources.add([{ kind: 'agent', key: agent, url: agent, foundVia: 'operator' }], old);
  const store = createSqliteStore(records.database);
  const declaring: RecordsDatabase = {
    ...store,
    transaction: async (work) => {
      await store.transaction((db) =>
        db.updateTable('agent').set({ mention_count: 1 }).where('agent', '=', agent).execute(),
      );
      return store.transaction(work);
    },
  };
  expect(await createLeases(declaring).due('agent', 10, NOW)).toEqual([]);
  expect((await records.sources.get({ kind: 'agent', key: agent }))?.nextVisitAt).toBe(old);
});
