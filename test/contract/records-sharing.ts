import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NOW, type RecordsWorld } from './records-fixtures.ts';

const MINUTE = 60_000;

/** What processes on the same records agree on: whose turn a domain is, and who does what only one may do. */
export function describeSharing(world: () => RecordsWorld): void {
  describe('nonces of signed requests', () => {
    const seen = (nonce: string, key = 'k') => ({ key, nonce, until: 100 });

    it('are taken once by all machines, and by one of many that ask at the same time', async () => {
      const { harness, records } = world();
      const other = await harness.open();
      const asked = [records, other, records, other].map(({ nonces }) => nonces.remember(seen('a'), 1));
      expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1);
      expect(await other.nonces.remember(seen('a'), 100)).toBe(false);
      expect(await other.nonces.remember(seen('a', 'another'), 1)).toBe(true);
      const first = seen(randomBytes(6_000).toString('base64url')); // no row of an index has room for it
      expect(await records.nonces.remember(first, 1)).toBe(true);
      expect(await records.nonces.remember(first, 1)).toBe(false);
      expect(await records.nonces.remember({ ...first, nonce: `${first.nonce}2` }, 1)).toBe(true);
      await other.close();
    });

    it('are accepted again once they have expired, and are deleted when the store is pruned', async () => {
      const { nonces, prune } = world().records;
      expect(await nonces.remember(seen('a'), 1)).toBe(true);
      expect(await nonces.remember({ ...seen('a'), until: 300 }, 101)).toBe(true);
      await prune(301_000);
      expect(await nonces.remember({ ...seen('a'), until: 300 }, 301)).toBe(true);
    });

    it('fill the allowance of a key, of no other, and for as long as they count', async () => {
      const { nonces } = world().records;
      const many = Array.from({ length: 40 }, (_, n) => nonces.remember(seen(`n${n}`), 1));
      await Promise.all(many);
      expect(await nonces.isFull('k', 1, 41)).toBe(false);
      expect(await nonces.isFull('k', 1, 40)).toBe(true);
      expect(await nonces.isFull('another', 1, 40)).toBe(false);
      expect(await nonces.isFull('k', 101, 40)).toBe(false);
    });
  });

  describe('the turns of registrable domains', () => {
    it('belong to one process at a time, which may take its own again', async () => {
      const { politeness } = world().records;
      expect([...(await politeness.claim(['a.example', 'b.example'], 'one', NOW, MINUTE))].sort()).toEqual([
        'a.example',
        'b.example',
      ]);
      expect(await politeness.claim(['a.example', 'c.example'], 'two', NOW, MINUTE)).toEqual(
        new Set(['c.example']),
      );
      expect(await politeness.claim(['a.example'], 'one', NOW + 1, MINUTE)).toEqual(new Set(['a.example']));
    });

    it('are never made shorter by the process that has them', async () => {
      const { politeness } = world().records;
      await politeness.claim(['a.example'], 'one', NOW, 3 * MINUTE);
      await politeness.claim(['a.example'], 'one', NOW + 1, MINUTE);
      expect(await politeness.claim(['a.example'], 'two', NOW + 2 * MINUTE, MINUTE)).toEqual(new Set());
      await politeness.claim(['a.example'], 'one', NOW + 2 * MINUTE, 3 * MINUTE);
      expect(await politeness.claim(['a.example'], 'two', NOW + 4 * MINUTE, MINUTE)).toEqual(new Set());
    });

    it('are free after the pause that a release asks for', async () => {
      const { politeness } = world().records;
      await politeness.claim(['a.example'], 'one', NOW, MINUTE);
      await politeness.release(['a.example'], 'one', NOW + 1_000);
      expect(await politeness.claim(['a.example'], 'two', NOW + 999, MINUTE)).toEqual(new Set());
      expect(await politeness.claim(['a.example'], 'two', NOW + 1_000, MINUTE)).toEqual(
        new Set(['a.example']),
      );
    });

    it('run out by themselves, and a late release does not take them from the next', async () => {
      const { politeness } = world().records;
      await politeness.claim(['a.example'], 'frozen', NOW, MINUTE);
      expect(await politeness.claim(['a.example'], 'two', NOW + MINUTE, MINUTE)).toEqual(
        new Set(['a.example']),
      );
      await politeness.release(['a.example'], 'frozen', NOW + MINUTE);
      expect(await politeness.claim(['a.example'], 'three', NOW + MINUTE + 1, MINUTE)).toEqual(new Set());
    });

    it('keep their domains off the list of what is due, while somebody has them and while they pause', async () => {
      const { politeness, sources } = world().records;
      const hosts = ['h1.big.example', 'h2.big.example', 'small.example'];
      const visits = hosts.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
      await sources.add(visits, NOW);
      const dueAt = async (now: number) =>
        (await sources.due('domain', 10, now)).map(({ key }) => key).sort();
      expect(await dueAt(NOW)).toEqual(hosts);
      await politeness.claim(['big.example'], 'one', NOW, MINUTE);
      expect(await dueAt(NOW)).toEqual(['small.example']);
      await politeness.release(['big.example'], 'one', NOW + 1_000);
      expect(await dueAt(NOW + 999)).toEqual(['small.example']);
      expect(await dueAt(NOW + 1_000)).toEqual(hosts);
    });

    it('yield where work for a caller has them: a visit of ours is listed as due, marks them as wanted, and has the next', async () => {
      const { politeness, sources } = world().records;
      await sources.add([{ kind: 'domain', key: 'a.example', foundVia: 'operator' }], NOW);
      const yields = { yields: true };
      const A = new Set(['a.example']);
      expect(await politeness.claim(['a.example'], 'caller', NOW, MINUTE, yields)).toEqual(A);
      expect((await sources.due('domain', 10, NOW)).map(({ key }) => key)).toEqual(['a.example']);
      expect(await politeness.isWanted('a.example', NOW)).toBe(false);
      expect(await politeness.claim(['a.example'], 'other caller', NOW, MINUTE, yields)).toEqual(new Set());
      expect(await politeness.isWanted('a.example', NOW)).toBe(false);
      expect(await politeness.claim(['a.example'], 'visit', NOW, MINUTE)).toEqual(new Set());
      expect(await politeness.isWanted('a.example', NOW)).toBe(true);
      await politeness.release(['a.example'], 'caller', NOW + 1_000);
      expect(await politeness.claim(['a.example'], 'caller', NOW + 1_000, MINUTE, yields)).toEqual(new Set());
      expect(await politeness.claim(['a.example'], 'visit', NOW + 1_000, MINUTE)).toEqual(A);
      expect(await politeness.isWanted('a.example', NOW + 1_000)).toBe(false);
      await politeness.release(['a.example'], 'visit', NOW + 2_000);
      expect(await politeness.claim(['a.example'], 'caller', NOW + 2_000, MINUTE, yields)).toEqual(A);
    });

    it('are wanted for a minute at most: a visit that never comes back keeps nobody from them', async () => {
      const { politeness } = world().records;
      await politeness.claim(['a.example'], 'caller', NOW, MINUTE, { yields: true });
      await politeness.claim(['a.example'], 'visit', NOW, MINUTE);
      expect(await politeness.isWanted('a.example', NOW + MINUTE - 1)).toBe(true);
      expect(await politeness.isWanted('a.example', NOW + MINUTE)).toBe(false);
      const later = await politeness.claim(['a.example'], 'caller', NOW + MINUTE, MINUTE, { yields: true });
      expect(later).toEqual(new Set(['a.example']));
    });

    it('go to exactly one of many that ask at once, from two connections', async () => {
      const { harness, records } = world();
      const other = await harness.open();
      const domains = Array.from({ length: 20 }, (_, n) => `d${n}.example`);
      const claims = await Promise.all(
        [records, other].flatMap(({ politeness }, at) =>
          [0, 1, 2].map((n) => politeness.claim(domains.toReversed(), `${at}.${n}`, NOW, MINUTE)),
        ),
      );
      expect(claims.flatMap((claimed) => [...claimed]).sort()).toEqual(domains.toSorted());
      await other.close();
    });
  });

  describe('a named lease', () => {
    it('is held by one, who is named to the others, until it is given back', async () => {
      const { leases } = world().records;
      const held = await leases.take('rebuild', 'here', NOW, MINUTE);
      expect(held).toMatchObject({ name: 'rebuild', until: NOW + MINUTE });
      expect(await leases.take('rebuild', 'there', NOW + 1, MINUTE)).toEqual({
        holder: 'here',
        until: NOW + MINUTE,
      });
      expect(await leases.take('index', 'there', NOW, MINUTE)).toHaveProperty('fence');
      await leases.release(held as never);
      expect(await leases.take('rebuild', 'there', NOW + 2, MINUTE)).toHaveProperty('fence');
    });

    it('can be asked after, which takes nothing', async () => {
      const { leases } = world().records;
      expect(await leases.heldBy('rebuild', NOW)).toBeUndefined();
      const held = await leases.take('rebuild', 'here', NOW, MINUTE);
      expect(await leases.heldBy('rebuild', NOW + 1)).toEqual({ holder: 'here', until: NOW + MINUTE });
      expect(await leases.heldBy('rebuild', NOW + MINUTE)).toBeUndefined();
      expect(await leases.renew(held as never, NOW + 2, MINUTE)).toHaveProperty('fence');
    });

    it('that ran out is lost for its holder, who can neither renew nor free it', async () => {
      const { leases } = world().records;
      const late = await leases.take('rebuild', 'frozen', NOW, MINUTE);
      const next = await leases.take('rebuild', 'awake', NOW + MINUTE, MINUTE);
      expect((next as { fence: number }).fence).toBeGreaterThan((late as { fence: number }).fence);
      expect(await leases.renew(late as never, NOW + MINUTE + 1, MINUTE)).toBeUndefined();
      await leases.release(late as never);
      expect(await leases.renew(next as never, NOW + MINUTE + 1, MINUTE)).toMatchObject({
        until: NOW + MINUTE + 1 + MINUTE,
      });
    });
  });

  describe('the id of the records', () => {
    it('is made once and the same for every process', async () => {
      const { harness, records } = world();
      const other = await harness.open();
      const ids = await Promise.all([records.id(), other.id(), records.id()]);
      expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(new Set(ids).size).toBe(1);
      await other.close();
    });
  });
}
