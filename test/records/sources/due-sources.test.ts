import { describe, expect, it, onTestFinished } from 'vitest';
import { createLeases } from '../../../src/records/sources/leases.ts';
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
    expect(registrable(await leases.takeDue('domain', 100, NOW, 60_000, new Set()))).toEqual(tenAndOne);
    expect(counted.statements).toBeLessThan(10);
  });

  it('is looked for where it began the last time, and not among what was visited since', async () => {
    const { records, counted, store } = await countedStore();
    await records.sources.add([{ kind: 'domain', key: 'a.example', foundVia: 'operator' }], NOW - DAY);
    const leases = createLeases(store);
    expect(await leases.due('domain', 100, NOW)).toHaveLength(1);
    counted.values = [];
    expect(await leases.due('domain', 100, NOW + 1)).toHaveLength(1);
    // where the front is looked for, and where the page begins
    expect(counted.values.filter((value) => value === NOW - DAY)).toHaveLength(2);
  });

  it('comes back by and by where a clock that was ahead has planned much of it', async () => {
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
