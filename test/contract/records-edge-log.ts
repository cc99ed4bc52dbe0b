import { describe, expect, it } from 'vitest';
import { authorisation, facts, HOUR, NOW, type RecordsWorld } from './records-fixtures.ts';
import { declare, publish } from './records-steps.ts';

const AGENT = 'https://agent.example/mcp';

/** What began and ended between publishers and agents, by number. */
export function describeEdgeLog(world: () => RecordsWorld): void {
  describe('the edge log', () => {
    it('numbers each begin and each end once, and says what stands now', async () => {
      const { records } = world();
      const { edgeLog } = records;
      expect([await edgeLog.hasUntold(), await edgeLog.lastEdgeChange()]).toEqual([false, 0]);
      const news = facts({ authorisations: [authorisation('news.example', AGENT)] });
      await declare(records, 'news.example', 'adagents', 'one', news);
      const shop = facts({ authorisations: [authorisation('shop.example', AGENT)] });
      await declare(records, 'shop.example', 'adagents', 'one', shop);
      expect(await edgeLog.hasUntold()).toBe(true);
      expect(await edgeLog.tellEdges(1, NOW)).toBe(1);
      expect([await edgeLog.tellEdges(10, NOW), await edgeLog.tellEdges(10, NOW)]).toEqual([1, 0]);
      const [first, second] = await edgeLog.edgeChanges(0, 10);
      expect([first, second]).toMatchObject([
        { seq: 1, agent: AGENT, publisher: 'news.example', kind: 'began', stands: true, at: NOW },
        { seq: 2, publisher: 'shop.example', kind: 'began', entry: { sells: true } },
      ]);
      await publish(records, 'news.example', { authorized_agents: [] }, NOW + 24 * HOUR);
      expect(await edgeLog.tellEdges(10, NOW + 1)).toBe(1);
      expect(await edgeLog.edgeChanges(0, 1)).toMatchObject([{ seq: 1, kind: 'began', stands: false }]);
      expect((await edgeLog.edgeChanges(0, 1))[0]).not.toHaveProperty('entry');
      expect(await edgeLog.edgeChanges(2, 10)).toMatchObject([{ seq: 3, kind: 'ended', stands: false }]);
      expect(await edgeLog.lastEdgeChange()).toBe(3);
    });

    it('loses only rows that tell nobody anything, and never its last', async () => {
      const { records } = world();
      const { edgeLog } = records;
      const says = async (day: number, ...agents: readonly string[]) => {
        const authorized_agents = agents.map((url) => ({ url, authorized_for: 'all' }));
        await publish(records, 'news.example', { authorized_agents }, NOW + day * 24 * HOUR);
        await edgeLog.tellEdges(10, NOW + day);
      };
      for (const day of [0, 2, 4]) {
        await says(day, AGENT);
        await says(day + 1);
      }
      const kinds = async () => (await edgeLog.edgeChanges(0, 10)).map(({ seq, kind }) => `${seq} ${kind}`);
      expect(await kinds()).toHaveLength(6);
      expect(await records.prune(NOW)).toMatchObject({ edgeChanges: 5 });
      expect(await kinds()).toEqual(['6 ended']);
      await says(6, AGENT);
      await says(7);
      await says(8, AGENT);
      expect(await records.prune(NOW)).toMatchObject({ edgeChanges: 2 });
      expect(await kinds()).toEqual(['8 ended', '9 began']);
      expect(await edgeLog.lastEdgeChange()).toBe(9);
    });
  });
}
