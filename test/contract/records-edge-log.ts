import { describe, expect, it } from 'vitest';
import { authorisation, facts, HOUR, NOW, type RecordsWorld } from './records-fixtures.ts';
import { declare, fileVisit, publish, takeOne } from './records-steps.ts';

const AGENT = 'https://agent.example/mcp';

/** What began and ended between publishers and agents, by number. */
export function describeEdgeLog(world: () => RecordsWorld): void {
  describe('the edge log', () => {
    it('numbers each begin and each end once, and says what isLive now', async () => {
      const { records } = world();
      const { edgeLog } = records;
      expect([await edgeLog.hasPending(), await edgeLog.lastEdgeChange()]).toEqual([false, 0]);
      const news = facts({ authorisations: [authorisation('news.example', AGENT)] });
      await declare(records, 'news.example', 'adagents', 'one', news);
      const shop = facts({ authorisations: [authorisation('shop.example', AGENT)] });
      await declare(records, 'shop.example', 'adagents', 'one', shop);
      expect(await edgeLog.hasPending()).toBe(true);
      expect(await edgeLog.appendPending(1, NOW)).toBe(1);
      expect([await edgeLog.appendPending(10, NOW), await edgeLog.appendPending(10, NOW)]).toEqual([3, 0]);
      const [first, second] = await edgeLog.edgeChanges(0, 10);
      expect([first, second]).toMatchObject([
        { seq: 1, agent: AGENT, publisher: 'news.example', kind: 'began', isLive: true, at: NOW },
        { seq: 2, publisher: 'shop.example', kind: 'began', entry: { sells: true } },
      ]);
      await publish(records, 'news.example', { authorized_agents: [] }, NOW + 24 * HOUR);
      expect(await edgeLog.appendPending(10, NOW + 1)).toBe(2);
      expect(await edgeLog.edgeChanges(0, 1)).toMatchObject([{ seq: 1, kind: 'began', isLive: false }]);
      expect((await edgeLog.edgeChanges(0, 1))[0]).not.toHaveProperty('entry');
      expect(await edgeLog.edgeChanges(4, 1)).toMatchObject([{ seq: 5, kind: 'ended', isLive: false }]);
      expect(await edgeLog.lastEdgeChange()).toBe(6);
    });

    it('numbers each version of a file of a publisher, and that it is gone', async () => {
      const { records } = world();
      const { edgeLog } = records;
      const files = async () =>
        (await edgeLog.edgeChanges(0, 100))
          .filter(({ kind }) => kind === 'file')
          .map(({ at: _, ...row }) => row);
      const file = { kind: 'file', publisher: 'news.example', hasEnded: false };
      await publish(records, 'news.example', { authorized_agents: [] }, NOW);
      await declare(records, 'shop.example', 'brand', 'one', facts({}));
      await edgeLog.appendPending(10, NOW);
      expect(await files()).toEqual([{ ...file, seq: 1, isFirst: true, isLive: true }]);
      await publish(records, 'news.example', { authorized_agents: [{ url: AGENT }] }, NOW + 24 * HOUR);
      await edgeLog.appendPending(10, NOW);
      expect(await files()).toMatchObject([{ isLive: false }, { isFirst: false, isLive: true }]);
      const work = await takeOne(records, 'domain', 'news.example', NOW + 48 * HOUR);
      const gone = fileVisit(work, 'adagents', { outcome: 'absent', ends: true });
      const visit = { domain: 'news.example', at: NOW + 48 * HOUR, found: [] };
      await records.sources.commitDomainVisit({ ...visit, files: [gone, fileVisit(work, 'brand')] });
      expect([await edgeLog.hasPending(), await edgeLog.appendPending(10, NOW)]).toEqual([true, 1]);
      expect((await files()).at(-1)).toMatchObject({ hasEnded: true, isLive: false });
    });

    it('tells once of an entry that began and ended before it was told of', async () => {
      const { records } = world();
      const { edgeLog } = records;
      const file = { authorized_agents: [{ url: AGENT, authorized_for: 'all' }] };
      await publish(records, 'news.example', file, NOW);
      await publish(records, 'news.example', { authorized_agents: [] }, NOW + 24 * HOUR);
      for (const told of [1, 1, 1, 0]) expect(await edgeLog.appendPending(1, NOW)).toBe(told);
      const rows = await edgeLog.edgeChanges(0, 10);
      expect(rows.map(({ kind, isLive }) => [kind, isLive])).toEqual([
        ['ended', false],
        ['file', false],
        ['file', true],
      ]);
    });

    it('loses only rows that tell nobody anything, and never its last', async () => {
      const { records } = world();
      const { edgeLog } = records;
      const says = async (day: number, ...agents: readonly string[]) => {
        const authorized_agents = agents.map((url) => ({ url, authorized_for: 'all' }));
        await publish(records, 'news.example', { authorized_agents }, NOW + day * 24 * HOUR);
        await edgeLog.appendPending(10, NOW + day);
      };
      for (const day of [0, 2, 4]) {
        await says(day, AGENT);
        await says(day + 1);
      }
      const kinds = async () => (await edgeLog.edgeChanges(0, 100)).map(({ seq, kind }) => `${seq} ${kind}`);
      expect(await kinds()).toHaveLength(12);
      expect(await records.prune(NOW)).toMatchObject({ edgeChanges: 9 });
      expect(await kinds()).toEqual(['2 file', '11 ended', '12 file']);
      await says(6, AGENT);
      await says(7);
      await says(8, AGENT);
      expect(await records.prune(NOW)).toMatchObject({ edgeChanges: 5 });
      expect(await kinds()).toEqual(['2 file', '15 ended', '17 began', '18 file']);
      expect(await edgeLog.lastEdgeChange()).toBe(18);
    });
  });
}
