import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { KeyActor } from '../../../src/domain/actor.ts';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { during } from '../support/during.ts';
import { freshDatabase } from '../support/engines.ts';

const NOW = Date.parse('2026-03-02T12:00:00Z');
const DAY = 86_400_000;
const AGENT = 'https://sales.acme.example/mcp';
const ACTOR: KeyActor = { kind: 'key', keyId: 'ark_0123456789abcdef', member: 'acme' };

/** A registry with a member and its agent, and another process that is in the middle of a transaction. */
async function openWorld() {
  const url = await freshDatabase();
  const records = await openPostgresRecords({ url });
  const other = new Client(url);
  await other.connect();
  onTestFinished(async () => {
    await other.end();
    await records.close();
  });
  await records.members.import([{ slug: 'acme', displayName: 'Acme', foundingMember: false }], NOW);
  await records.keys.create({ id: ACTOR.keyId, hash: 'h', member: 'acme' }, NOW);
  await records.members.register({ agent: AGENT, url: AGENT, member: 'acme' }, NOW);
  await other.query('BEGIN');
  return { records, other };
}

it.each(['test', 'revive'] as const)(
  'a subscription keeps the progress of a delivery that ends during `%s`',
  async (action) => {
    const { records, other } = await openWorld();
    const { subscriptions } = records;
    const place = { agents: 3, edges: 2 };
    const wanted = { id: 's1', url: 'https://hooks.example/x', types: '*', place, actor: ACTOR, most: 1 };
    await subscriptions.create(wanted, NOW);
    await other.query(
      `UPDATE feed_subscription SET agents = 9, fence = 7, verified_at = ${NOW}${
        action === 'revive' ? `, dead_at = ${NOW}` : ''
      }`,
    );
    const changed = await during(other, ['COMMIT'], subscriptions[action]('s1', ACTOR, NOW + DAY));
    expect(changed).toMatchObject({ place: { agents: 9, edges: 2 }, fence: 8, since: NOW + DAY });
    expect(await subscriptions.list('acme')).toEqual([changed]);
  },
);

it('a capture that a visit extends while old ones are pruned stays', async () => {
  const { records, other } = await openWorld();
  await other.query(
    `INSERT INTO capture (source, at, requested_url, duration_ms, last_seen_at) VALUES (1, ${NOW}, 'u', 1, ${NOW})`,
  );
  await other.query('COMMIT');
  await other.query('BEGIN');
  await other.query(`UPDATE capture SET last_seen_at = ${NOW + 40 * DAY}, times = 2`);
  const counts = await during(other, ['COMMIT'], records.prune(NOW + 40 * DAY));
  expect(counts).toMatchObject({ captures: 0 });
  const kept = await other.query('SELECT times FROM capture');
  expect(kept.rows).toEqual([{ times: '2' }]);
});
