import { describe, expect, it } from 'vitest';
import type { Records } from '../../src/ports/records.ts';
import type { RunLease, RunWork } from '../../src/records/runs/run-leases.ts';
import { keepRun, owned, ownedAt, SELLER } from './compliance-fixtures.ts';
import { LEASE, NOW, type RecordsWorld } from './records-fixtures.ts';

async function takeOne({ runs }: Records): Promise<RunLease> {
  const [work] = await runs.takeDue(1, NOW, LEASE, 'somebody');
  return (work as RunWork).lease;
}

/** What becomes of the agents of a process that has ended. */
export function describeEndedLeases(world: () => RecordsWorld): void {
  describe('the lease of a run', () => {
    it('ends with its holder when that one is known to have ended, and so do the turns of its domains', async () => {
      const { records } = world();
      const { runs, politeness } = records;
      const agents = ['a', 'b', 'c'].map((name) => `https://${name}.example/mcp`);
      await ownedAt(records, Object.fromEntries(agents.map((agent) => [agent, NOW])));
      const domains = ['a.example', 'b.example', 'c.example', 'other.example'];
      await politeness.claim(domains.slice(0, 2), 'dead', NOW, LEASE);
      await politeness.claim(domains.slice(2), 'alive', NOW, LEASE);
      expect(await runs.holders(NOW)).toEqual([]);
      const had = await runs.takeDue(2, NOW, LEASE, 'dead');
      await runs.takeKeys(agents, NOW, LEASE, 'alive');
      expect(await runs.holders(NOW + 1)).toEqual(['alive', 'dead']);
      expect(await runs.heldBy('https://a.example/mcp', NOW + 1)).toEqual({
        holder: 'dead',
        until: NOW + LEASE,
      });
      expect(await runs.releaseOf('dead', NOW + 1)).toBe(2);
      expect(await runs.releaseOf('dead', NOW + 1)).toBe(0);
      expect(await runs.releaseOf('nobody', NOW + 1)).toBe(0);
      expect(await runs.holders(NOW + 1)).toEqual(['alive']);
      expect(await runs.heldBy('https://a.example/mcp', NOW + 1)).toBeUndefined();
      expect(await politeness.claim(domains, 'next', NOW + 1, LEASE)).toEqual(new Set(domains.slice(0, 2)));
      const next = await runs.takeDue(9, NOW + 1, LEASE, 'next');
      expect(next.map(({ key, lease }) => [key, lease.afterLoss])).toEqual(
        agents.slice(0, 2).map((agent) => [agent, true]),
      );
      expect(next[0]?.lease.fence).toBeGreaterThan(had[0]?.lease.fence ?? Number.POSITIVE_INFINITY);
      expect(await runs.holders(NOW + 1 + LEASE)).toEqual([]);
    });

    it('has no holder any more once it is given back, or its run is kept', async () => {
      const { records } = world();
      await owned(records);
      await records.runs.release([await takeOne(records)]);
      expect(await records.runs.holders(NOW)).toEqual([]);
      expect(await records.runs.releaseOf('somebody', NOW)).toBe(0);
      await keepRun(records, NOW, SELLER, { lease: await takeOne(records) });
      expect(await records.runs.releaseOf('somebody', NOW)).toBe(0);
    });
  });
}
