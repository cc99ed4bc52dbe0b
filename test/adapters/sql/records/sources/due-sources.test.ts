import { describe, expect, it, onTestFinished } from 'vitest';
import { createLeases } from '../../../../../src/adapters/sql/records/sources/leases.ts';
import type { SqlStore, SqlTask } from '../../../../../src/adapters/sql/sql-tasks.ts';
import { createSqliteStore } from '../../../../../src/adapters/sql/sqlite/database.ts';
import { openSqliteRecords } from '../../../../../src/adapters/sql/sqlite/sqlite-records.ts';

const NOW = 1_800_000_000_000;

/** A store that counts the statements of its readings. */
function counting(store: SqlStore) {
  const counted = { statements: 0, store };
  function* each<T>(work: () => SqlTask<T>): SqlTask<T> {
    const under = work();
    let step = under.next();
    while (!step.done) {
      counted.statements += 1;
      step = under.next(yield step.value);
    }
    return step.value;
  }
  counted.store = { ...store, read: (work) => store.read(() => each(work)) };
  return counted;
}

describe('what is due', () => {
  it('is found past 5,000 hosts of one domain without reading them all', async () => {
    const records = await openSqliteRecords({ path: ':memory:' });
    onTestFinished(() => records.close());
    const visits = (keys: readonly string[]) =>
      keys.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
    const hosts = Array.from({ length: 5_000 }, (_, n) => `h${n}.big.example`);
    await records.sources.add(visits(hosts), NOW - 1);
    await records.sources.add(visits(['small.example']), NOW);
    const counted = counting(createSqliteStore(records.database));
    const leases = createLeases(counted.store);
    const registrable = (found: readonly { readonly key: string }[]) =>
      found.map(({ key }) => key.replace(/^h\d+\./, ''));
    const tenAndOne = [...Array.from({ length: 10 }, () => 'big.example'), 'small.example'];
    expect(registrable(await leases.due('domain', 100, NOW))).toEqual(tenAndOne);
    expect(counted.statements).toBeLessThan(5);
    expect(registrable(await leases.takeDue('domain', 100, NOW, 60_000, new Set()))).toEqual(tenAndOne);
    expect(counted.statements).toBeLessThan(10);
  });
});
