import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { createPostgresStore, type PostgresStore } from '../../../src/records/postgres/postgres-store.ts';
import { createRunSchedule } from '../../../src/records/runs/run-schedule.ts';
import { createNamedLeases, type NamedLeases } from '../../../src/records/upkeep/named-leases.ts';
import { ownedAt } from '../../contract/compliance-fixtures.ts';
import { freshDatabase } from '../support/engines.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const AGENT = 'https://sales.example/mcp';
let store: PostgresStore;
let leases: NamedLeases;
let lose: number;

beforeEach(async () => {
  const url = await freshDatabase();
  const records = await openPostgresRecords({ url });
  await ownedAt(records, { [AGENT]: NOW });
  await records.close();
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

describe('an agent that was leased by a commit whose answer was lost', () => {
  it('is leased by the repeated transaction, and to nobody else', async () => {
    const runs = createRunSchedule(store);
    lose = 1;
    const [work, ...more] = await runs.takeDue(9, NOW, MINUTE, 'us');
    expect(work).toMatchObject({ key: AGENT, lease: { until: NOW + MINUTE } });
    expect([work?.lease.afterLoss, more]).toEqual([undefined, []]);
    expect(await runs.takeKeys([AGENT], NOW, MINUTE, 'us')).toEqual([]);
    expect(await runs.heldBy(AGENT, NOW)).toEqual({ holder: 'us', until: NOW + MINUTE });
  });
});
