import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { createPostgresStore, type PostgresStore } from '../../../src/records/postgres/postgres-store.ts';
import { createNamedLeases, type NamedLeases } from '../../../src/records/upkeep/named-leases.ts';
import { freshDatabase } from '../support/engines.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
let store: PostgresStore;
let leases: NamedLeases;
let lose: number;

beforeEach(async () => {
  const url = await freshDatabase();
  await (await openPostgresRecords({ url })).close();
  store = createPostgresStore({ url, connections: 1, patienceMs: 1_000 });
  leases = createNamedLeases(store);
  await leases.heldBy('rebuild', NOW);
  lose = 0;
  store.pool.on('acquire', (client) => {
    const query = client.query.bind(client) as (text: unknown, values: unknown) => Promise<unknown>;
    client.query = (async (text: unknown, values: unknown) => {
      const result = await query(text, values);
      if (text !== 'commit' || lose-- <= 0) return result;
      throw new Error('Connection terminated unexpectedly');
    }) as typeof client.query;
  });
});
afterEach(() => store.close());

describe('a lease of which the answer was lost', () => {
  it('is ours when it is asked for again', async () => {
    lose = 1;
    expect(await leases.take('rebuild', 'us', NOW, MINUTE)).toHaveProperty('fence');
    expect(await leases.take('rebuild', 'them', NOW, MINUTE)).toMatchObject({ holder: 'us' });
    expect(await leases.take('rebuild', 'us', NOW, MINUTE)).toMatchObject({ holder: 'us' });
  });

  it('is not waited for by the process that has it without knowing', async () => {
    lose = 100;
    await expect(leases.take('rebuild', 'us', NOW, MINUTE)).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    lose = 0;
    expect(await createNamedLeases(store).take('rebuild', 'them', NOW, MINUTE)).toMatchObject({
      holder: 'us',
    });
    expect(await leases.take('rebuild', 'us', NOW + 1, MINUTE)).toHaveProperty('fence');
  });
});
