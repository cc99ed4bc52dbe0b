import { describe, expect, it } from 'vitest';
import type { RecordsWorld } from './records.ts';
import { agentAt, authorisation, domain, facts, HOUR, LEASE, NOW } from './records-fixtures.ts';
import { fileVisit, probing, reading, takeOne } from './records-steps.ts';

/** Sources, leases and runs. */
export function describeWork(world: () => RecordsWorld): void {
  describe('work', () => {
    it('adds what is not known, due at once, and leaves the schedule of what is', async () => {
      const { sources } = world().records;
      expect(await sources.add([domain('a.example'), agentAt('https://x.example/mcp')], NOW)).toBe(2);
      expect(await sources.add([domain('a.example'), domain('b.example')], NOW + 5)).toBe(1);
      expect(await sources.get({ kind: 'brand', key: 'a.example' })).toMatchObject({
        firstSeenAt: NOW,
        nextVisitAt: NOW,
        failures: 0,
      });
      expect(await sources.countDue(NOW + 5)).toEqual({ domains: 2, agents: 1 });
    });

    it('takes a domain with both its files, longest overdue first, and nobody else gets it meanwhile', async () => {
      const { sources } = world().records;
      await sources.add([domain('late.example')], NOW - HOUR);
      await sources.add([domain('now.example'), domain('other.example')], NOW);
      const first = await sources.takeDue('domain', 1, NOW, LEASE);
      expect(first.map((work) => work.key)).toEqual(['late.example']);
      expect(first[0]?.sources.map((leased) => leased.source.kind)).toEqual(['adagents', 'brand']);
      const rest = await sources.takeDue('domain', 10, NOW, LEASE);
      expect(rest.map((work) => work.key).sort()).toEqual(['now.example', 'other.example']);
      expect(await sources.takeDue('domain', 10, NOW, LEASE)).toEqual([]);
    });

    it('takes a lease over when its time is up, and refuses the worker that comes back late', async () => {
      const { sources } = world().records;
      const late = await takeOne(world().records, 'domain', 'a.example');
      const [again] = await sources.takeDue('domain', 1, NOW + LEASE, LEASE);
      expect(again?.key).toBe('a.example');
      const lost = reading(late, 'adagents', 'old', facts(), { found: [domain('found.example')] });
      expect(await sources.commitDomainVisit(lost)).toEqual({ accepted: false, newAgents: 0 });
      expect(await sources.get({ kind: 'adagents', key: 'found.example' })).toBeUndefined();
      expect(await sources.declaration({ kind: 'adagents', key: 'a.example' })).toBeUndefined();
      expect(
        await sources.commitDomainVisit(reading(again ?? late, 'adagents', 'new', facts())),
      ).toMatchObject({ accepted: true });
    });

    it('writes nothing when one of two leases was lost', async () => {
      const { sources } = world().records;
      const work = await takeOne(world().records, 'domain', 'a.example');
      const brand = fileVisit(work, 'brand');
      await sources.release([brand.lease]);
      expect(await sources.commitDomainVisit(reading(work, 'adagents', 'x', facts()))).toMatchObject({
        accepted: false,
      });
      expect(await sources.get({ kind: 'adagents', key: 'a.example' })).not.toHaveProperty('lastVisitAt');
    });

    it('accepts a lease once', async () => {
      const { sources } = world().records;
      const work = await takeOne(world().records, 'domain', 'a.example');
      const visit = reading(work, 'adagents', 'x', facts());
      expect(await sources.commitDomainVisit(visit)).toMatchObject({ accepted: true });
      expect(await sources.commitDomainVisit(visit)).toMatchObject({ accepted: false });
    });

    it('gives unused leases back', async () => {
      const { sources } = world().records;
      const work = await takeOne(world().records, 'agent', 'https://x.example/mcp');
      await sources.release(work.sources.map((leased) => leased.lease));
      expect(await sources.takeDue('agent', 1, NOW, LEASE)).toHaveLength(1);
      expect(await sources.commitProbe(probing(work, undefined))).toMatchObject({ accepted: false });
    });

    it('resumes a run where it stopped', async () => {
      const { sources } = world().records;
      const seeds = ['a.example', 'b.example', 'c.example'].map(domain);
      const run = await sources.openRun({ fingerprint: 'crawl abc', seeds, now: NOW });
      expect(run).toMatchObject({ resumed: false, done: 0, startedAt: NOW });
      const [first] = await sources.takeRun(run.id, 'domain', 1, NOW, LEASE);
      const mark = { id: run.id, depth: 0, maxDepth: 1 };
      await sources.commitDomainVisit(reading(first as never, 'adagents', 'x', facts(), { run: mark }));
      const again = await sources.openRun({ fingerprint: 'crawl abc', seeds, now: NOW + 5 });
      expect(again).toEqual({ id: run.id, startedAt: NOW, resumed: true, done: 1 });
      const left = await sources.takeRun(run.id, 'domain', 10, NOW, LEASE);
      expect(left.map((work) => work.key)).toEqual(['b.example', 'c.example']);
      expect(await sources.progressOf(run.id)).toMatchObject({ pending: { domains: 2, agents: 0 } });
      await sources.closeRun(run.id, NOW + 9);
      expect((await sources.openRun({ fingerprint: 'crawl abc', seeds, now: NOW + 9 })).resumed).toBe(false);
    });

    it('follows links while depth allows; an agent belongs to the depth of the domain that named it', async () => {
      const { sources } = world().records;
      const run = await sources.openRun({ fingerprint: 'deep', seeds: [domain('seed.example')], now: NOW });
      const visit = async (key: string, found: Parameters<typeof sources.add>[0]) => {
        const work = (await sources.takeRun(run.id, 'domain', 10, NOW, LEASE)).find(
          (candidate) => candidate.key === key,
        );
        const mark = { id: run.id, depth: work?.depth ?? -1, maxDepth: 1 };
        await sources.commitDomainVisit(
          reading(work as never, 'adagents', key, facts(), { found, run: mark }),
        );
      };
      await visit('seed.example', [
        domain('one.example'),
        agentAt('https://x.example/mcp'),
        domain('seed.example'),
      ]);
      expect(await sources.progressOf(run.id)).toMatchObject({ pending: { domains: 1, agents: 1 } });
      await visit('one.example', [domain('two.example'), agentAt('https://y.example/mcp')]);
      expect(await sources.progressOf(run.id)).toMatchObject({ pending: { domains: 0, agents: 2 } });
      const agents = await sources.takeRun(run.id, 'agent', 10, NOW, LEASE);
      expect(agents.map((work) => [work.key, work.depth])).toEqual([
        ['https://x.example/mcp', 0],
        ['https://y.example/mcp', 1],
      ]);
      expect(await sources.get({ kind: 'brand', key: 'two.example' })).toMatchObject({ nextVisitAt: NOW });
    });

    it('follows what an unchanged file led to before, and counts the agents that a run comes across', async () => {
      const { sources } = world().records;
      const known = await takeOne(world().records, 'domain', 'news.example');
      const said = facts({
        authorisations: [authorisation('news.example', 'https://x.example/mcp')],
        references: [{ domain: 'group.example', reason: 'house' }],
      });
      await sources.commitDomainVisit(reading(known, 'adagents', 'said', said));
      const run = await sources.openRun({ fingerprint: 'again', seeds: [domain('news.example')], now: NOW });
      const [work] = await sources.takeRun(run.id, 'domain', 1, NOW, LEASE);
      const files = [fileVisit(work as never, 'adagents', { outcome: 'unchanged' })];
      const mark = { id: run.id, depth: 0, maxDepth: 1 };
      await sources.commitDomainVisit({ domain: 'news.example', at: NOW, files, found: [], run: mark });
      expect(await sources.progressOf(run.id)).toEqual({
        pending: { domains: 1, agents: 1 },
        agentsFound: 1,
      });
    });

    it('keeps what robots.txt says for whoever crawls next', async () => {
      const { robots } = world().records;
      const rules = { rules: [{ allow: false, pattern: '/private' }], crawlDelayMs: 2_000 };
      await robots.keep('https://news.example', { rules, expiresAt: NOW + HOUR });
      expect(await robots.find('https://news.example')).toEqual({ rules, expiresAt: NOW + HOUR });
      expect(await robots.find('https://other.example')).toBeUndefined();
    });

    it('keeps a budget of probes for each domain and hour', async () => {
      const { sources } = world().records;
      const spend = (key: string, at: number) => sources.spendProbe(key, at, 2);
      expect([
        await spend('x.example', NOW),
        await spend('x.example', NOW),
        await spend('x.example', NOW),
      ]).toEqual([true, true, false]);
      expect(await spend('y.example', NOW)).toBe(true);
      expect(await spend('x.example', NOW + HOUR)).toBe(true);
    });
  });
}
