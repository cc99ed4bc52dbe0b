import { describe, expect, it } from 'vitest';
import type { RunLease } from '../../src/records/runs/run-leases.ts';
import { INCONCLUSIVE } from '../compliance/support/judged-runs.ts';
import { AGENT, DAY, keepRun, owned, ownedAt, SELLER, SELLER_FAILS } from './compliance-fixtures.ts';
import { HOUR, LEASE, NOW, type RecordsWorld } from './records-fixtures.ts';
import { registered } from './records-owners.ts';

/** Who tests an agent now. */
export function describeRunLeases(world: () => RecordsWorld): void {
  const takeOne = async (now = NOW): Promise<RunLease> => {
    const [work] = await world().records.runs.takeDue(1, now, LEASE, 'somebody');
    expect(work?.key).toBe(AGENT);
    return (work as { readonly lease: RunLease }).lease;
  };

  describe('the lease of a run', () => {
    it('keeps others away until the run is kept, which gives it back', async () => {
      const { records } = world();
      await owned(records);
      const lease = await takeOne();
      const { runs } = records;
      expect(await runs.takeDue(9, NOW + LEASE - 1, LEASE, 'somebody')).toEqual([]);
      expect(await runs.takeKeys([AGENT], NOW + LEASE - 1, LEASE, 'somebody')).toEqual([]);
      expect(await runs.claim(AGENT, NOW, LEASE, 'somebody')).toEqual({
        held: { holder: 'somebody', until: NOW + LEASE },
      });
      expect(await keepRun(records, NOW, SELLER, { lease })).toBe('saved');
      expect(await runs.takeDue(9, NOW + LEASE, LEASE, 'somebody')).toEqual([]);
      expect(await runs.claim(AGENT, NOW + 1, LEASE, 'somebody')).toMatchObject({ agent: AGENT });
    });

    it('is taken over when it has run out, and whoever comes back late keeps nothing', async () => {
      const { records } = world();
      await owned(records);
      const late = await takeOne();
      const next = await takeOne(NOW + LEASE);
      expect(next.fence).toBeGreaterThan(late.fence);
      expect([late.afterLoss, next.afterLoss]).toEqual([undefined, true]);
      const before = await records.compliance.state(AGENT);
      expect(await keepRun(records, NOW + LEASE, SELLER, { lease: late })).toBe('lost');
      await records.runs.release([late]);
      expect(await records.compliance.state(AGENT)).toEqual(before);
      expect(await records.compliance.lastRuns(AGENT, { limit: 9 })).toEqual([]);
      expect(await records.compliance.evidence(AGENT, `run-${NOW + LEASE}`)).toBeUndefined();
      expect(await records.runs.takeDue(9, NOW + LEASE, LEASE, 'somebody')).toEqual([]);
      expect(await keepRun(records, NOW + LEASE + 1, SELLER_FAILS, { lease: next })).toBe('saved');
    });

    it('that has run out is good as long as nobody has taken over', async () => {
      const { records } = world();
      await owned(records);
      const lease = await takeOne();
      expect(await keepRun(records, NOW + DAY, SELLER, { lease })).toBe('saved');
    });

    it('keeps a run once: done again it is known, and another run under it is lost', async () => {
      const { records } = world();
      await owned(records);
      const lease = await takeOne();
      await keepRun(records, NOW, SELLER, { lease });
      expect(await keepRun(records, NOW, SELLER, { lease })).toBe('known');
      expect(await keepRun(records, NOW + 1, SELLER, { lease })).toBe('lost');
      expect(await records.compliance.lastRuns(AGENT, { limit: 9 })).toHaveLength(1);
    });

    it('that is given back unused leaves the run due, and is good for nothing any more', async () => {
      const { records } = world();
      await owned(records);
      const lease = await takeOne();
      await records.runs.release([lease, lease]);
      await records.runs.release([]);
      expect(await keepRun(records, NOW, SELLER, { lease })).toBe('lost');
      expect((await takeOne()).fence).toBeGreaterThan(lease.fence);
    });

    it('tells of a run that was lost until a complete one is kept', async () => {
      const { records } = world();
      await owned(records);
      const first = await takeOne();
      await records.runs.release([{ ...first, afterLoss: true }]);
      const second = await takeOne();
      expect(second.afterLoss).toBe(true);
      await records.runs.release([second]);
      const third = await takeOne();
      expect(third.afterLoss).toBe(true);
      expect(await keepRun(records, NOW - DAY, INCONCLUSIVE, { lease: third })).toBe('saved');
      const fourth = await takeOne();
      expect(fourth.afterLoss).toBe(true);
      expect(await keepRun(records, NOW, SELLER, { lease: fourth })).toBe('saved');
      expect(await records.runs.claim(AGENT, NOW + 1, LEASE, 'somebody')).not.toHaveProperty('afterLoss');
    });

    it('that reaches further than any does, as the clock was put back, keeps nobody away', async () => {
      const { records } = world();
      await owned(records);
      const old = await takeOne();
      await keepRun(records, NOW - 40 * DAY, SELLER); // due again, long before the lease ends
      const [work] = await records.runs.takeDue(1, NOW - 30 * DAY, LEASE, 'somebody');
      expect(work?.lease.fence).toBeGreaterThan(old.fence);
      expect(await keepRun(records, NOW - 30 * DAY, SELLER, { lease: old })).toBe('lost');
    });

    it('goes to one of several who take the same agents at once', async () => {
      const { harness, records } = world();
      const other = await harness.open();
      const agents = Array.from({ length: 12 }, (_, n) => `https://a${n}.example/mcp`);
      await ownedAt(records, Object.fromEntries(agents.map((agent) => [agent, NOW])));
      const taken = await Promise.all([
        records.runs.takeDue(8, NOW, LEASE, 'somebody'),
        other.runs.takeKeys(agents.toReversed(), NOW, LEASE, 'somebody'),
        records.runs.takeKeys(agents, NOW, LEASE, 'somebody'),
        other.runs.takeDue(8, NOW, LEASE, 'somebody'),
      ]);
      expect(
        taken
          .flat()
          .map(({ key }) => key)
          .toSorted(),
      ).toEqual(agents.toSorted());
      await other.close();
    });

    it('is taken by keys in their order, each once', async () => {
      const { runs } = world().records;
      const [a, b] = ['https://a.example/mcp', 'https://b.example/mcp'];
      await ownedAt(world().records, { [a]: NOW - 1, [b]: NOW });
      expect(await runs.takeKeys([], NOW, LEASE, 'somebody')).toEqual([]);
      const taken = await runs.takeKeys([b, 'https://no.example/mcp', a, b], NOW, LEASE, 'somebody');
      expect(taken.map(({ key }) => key)).toEqual([b, a]);
    });
  });

  describe('an agent that an operator names', () => {
    it('is taken, due or not and owned or not, and nobody else tests it meanwhile', async () => {
      const { records } = world();
      expect(await records.runs.claim(AGENT, NOW, LEASE, 'somebody')).toBeUndefined();
      await registered(records);
      const lease = await records.runs.claim(AGENT, NOW, LEASE, 'somebody');
      expect(lease).toEqual({ agent: AGENT, fence: expect.any(Number), until: NOW + LEASE });
      expect(await records.runs.claim(AGENT, NOW + 1, LEASE, 'somebody')).toEqual({
        held: { holder: 'somebody', until: NOW + LEASE },
      });
      await records.runs.release([lease as RunLease]);
      expect(await records.runs.claim(AGENT, NOW + 1, LEASE, 'somebody')).toMatchObject({
        until: NOW + 1 + LEASE,
      });
    });

    it('is recorded with an audit record, and is tested by the clock no sooner for it when nobody owns it', async () => {
      const { records } = world();
      await registered(records);
      const lease = (await records.runs.claim(AGENT, NOW, LEASE, 'somebody')) as RunLease;
      const actor = { kind: 'operator' } as const;
      expect(await keepRun(records, NOW, SELLER, { lease, actor })).toBe('saved');
      expect(await keepRun(records, NOW, SELLER, { lease, actor })).toBe('known');
      expect(await records.owners.auditLog({ subject: AGENT, limit: 2 })).toMatchObject([
        { at: NOW, actor: 'operator', action: 'run.record', details: { run_id: `run-${NOW}` } },
        { action: 'agent.register' },
      ]);
      expect(await records.compliance.state(AGENT)).toMatchObject({ due: null });
      expect(await records.runs.takeDue(9, NOW + 100 * HOUR, LEASE, 'somebody')).toEqual([]);
    });
  });
}
