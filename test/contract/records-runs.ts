import { describe, expect, it } from 'vitest';
import {
  agentAt,
  authorisation,
  domain,
  facts,
  HOUR,
  LEASE,
  NOW,
  type RecordsWorld,
} from './records-fixtures.ts';
import { fileVisit, reading, takeOne } from './records-steps.ts';

/** Named crawls and their frontier. */
export function describeRuns(world: () => RecordsWorld): void {
  describe('a run', () => {
    it('resumes a run where it stopped', async () => {
      const { sources } = world().records;
      const seeds = ['a.example', 'b.example', 'c.example'].map(domain);
      const run = await sources.openRun({ fingerprint: 'crawl abc', seeds, now: NOW });
      expect(run).toMatchObject({ resumed: false, done: 0, startedAt: NOW });
      const [first] = await sources.takeRun(run.id, 'domain', 1, NOW, LEASE);
      const mark = { id: run.id, depth: 0, maxDepth: 1 };
      await sources.commitDomainVisit(reading(first as never, 'adagents', 'x', facts(), { run: mark }));
      const again = await sources.openRun({ fingerprint: 'crawl abc', seeds, now: NOW + 5 });
      expect(again).toEqual({ id: run.id, startedAt: NOW, resumed: true, joined: false, done: 1 });
      const left = await sources.takeRun(run.id, 'domain', 10, NOW, LEASE);
      expect(left.map((work) => work.key)).toEqual(['b.example', 'c.example']);
      expect(await sources.progressOf(run.id)).toMatchObject({ pending: { domains: 2, agents: 0 } });
      await sources.closeRun(run.id, NOW + 9);
      expect((await sources.openRun({ fingerprint: 'crawl abc', seeds, now: NOW + 9 })).resumed).toBe(false);
    });

    it('does not go on with a run in which nothing was done for a day', async () => {
      const { sources } = world().records;
      const seeds = ['a.example', 'b.example'].map(domain);
      const open = (now: number) => sources.openRun({ fingerprint: 'old', seeds, now });
      const first = await open(NOW);
      const [work] = await sources.takeRun(first.id, 'domain', 1, NOW, LEASE);
      const run = { id: first.id, depth: 0, maxDepth: 0 };
      const visit = reading(work as never, 'adagents', 'x', facts(), { run });
      await sources.commitDomainVisit({ ...visit, at: NOW + HOUR });
      expect(await open(NOW + 24 * HOUR)).toMatchObject({ id: first.id, resumed: true });
      const second = await open(NOW + 25 * HOUR);
      expect(second).toMatchObject({ resumed: false, done: 0 });
      expect(await sources.progressOf(second.id)).toMatchObject({ pending: { domains: 2 } });
      expect(await sources.takeRun(first.id, 'domain', 9, NOW + 25 * HOUR, LEASE)).toEqual([]);
      expect((await open(NOW + 26 * HOUR)).id).toBe(second.id);
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
  });
}
