import { describe, expect, it } from 'vitest';
import { publish, stitchAll } from './records-documents.ts';
import {
  authorisation,
  documentOf,
  EXPOSED,
  facts,
  HOUR,
  mention,
  NOW,
  observed,
  type RecordsWorld,
} from './records-fixtures.ts';
import { declare, probing, takeOne } from './records-steps.ts';

const AGENT = 'https://agent.example/mcp';

/** Facts and the dirty set. */
export function describeAgentStore(world: () => RecordsWorld): void {
  describe('agents', () => {
    it('coalesces the changes of many publishers into one dirty mark', async () => {
      const { records } = world();
      await publish(records, 'a.example');
      await publish(records, 'b.example');
      expect(await records.agents.takeDirty(10, NOW)).toEqual([{ agent: AGENT, revision: 2 }]);
    });

    it('sums up the portfolio, a publisher counted once and each property where its entry counts it', async () => {
      const { records } = world();
      const rows = [0, 1].map((n) =>
        authorisation('a.example', AGENT, {
          entry: `/authorized_agents/${n}`,
          countByType: { website: 1, ctv_app: n },
          tags: [`t${n}`, 'all'],
        }),
      );
      await declare(records, 'a.example', 'adagents', 'a', facts({ authorisations: rows }));
      await publish(records, 'b.example');
      const [known] = await records.agents.facts([AGENT, 'https://unknown.example/']);
      expect(known?.portfolio).toEqual({
        publisherCount: 2,
        publishers: ['a.example', 'b.example'],
        propertyCount: 4,
        countByType: { website: 3, ctv_app: 1 },
        tags: ['all', 'news', 't0', 't1'],
      });
    });

    it('reads the facts of several agents in the order in which they are asked for, each with its own', async () => {
      const { records } = world();
      const [one, other] = ['https://one.example/mcp', 'https://other.example/mcp'];
      const authorisations = [
        authorisation('a.example', one, { tags: ['one'] }),
        authorisation('a.example', other, { entry: '/authorized_agents/1', tags: ['other'] }),
      ];
      await declare(records, 'a.example', 'adagents', 'a', facts({ authorisations }));
      const mentions = [mention('other.example', other, { name: 'Other' })];
      await declare(records, 'other.example', 'brand', 'b', facts({ mentions }));
      const known = await records.agents.facts([other, 'https://unknown.example/', one]);
      expect(
        known.map(({ agent, portfolio, mentions: [named] }) => [agent, portfolio?.tags, named?.name]),
      ).toEqual([
        [other, ['other'], 'Other'],
        [one, ['one'], undefined],
      ]);
    });

    it('shows whoever has a say, however many others speak: its own files, then the house it points back to', async () => {
      const { records } = world();
      const say = (declarer: string, operators: string[]) =>
        declare(
          records,
          declarer,
          'brand',
          declarer,
          facts({ mentions: [mention(declarer, AGENT, { name: declarer, type: 'sales' })], operators }),
        );
      for (let n = 0; n < 101; n += 1) await say(`a${n}-stranger.example`, ['agent.example']);
      await say('house.example', ['agent.example']);
      await say('agent.example', []);
      const before = await records.agents.facts([AGENT]);
      expect(before[0]?.operatorDeclarers).toEqual([]);
      const work = await takeOne(records, 'agent', AGENT, NOW);
      const brandJsonUrl = 'https://house.example/.well-known/brand.json';
      const seen = observed(AGENT, { exposed: { ...EXPOSED, brandJsonUrl } });
      await records.sources.commitProbe(probing(work, seen, { at: NOW, nextVisitAt: NOW + 1 }));
      const [known] = await records.agents.facts([AGENT]);
      expect(known?.mentions.slice(0, 2).map((said) => said.declarer)).toEqual([
        'agent.example',
        'house.example',
      ]);
      expect(known?.mentions[0]).toEqual(
        mention('agent.example', AGENT, { name: 'agent.example', type: 'sales' }),
      );
      expect(known?.operatorDeclarers).toEqual(['house.example']);
    });

    it('makes an agent dirty when a house lets its operator speak no longer', async () => {
      const { records } = world();
      const said = facts({ mentions: [mention('house.example', AGENT)], operators: ['agent.example'] });
      await declare(records, 'house.example', 'brand', 'one', said);
      await stitchAll(records);
      await declare(records, 'house.example', 'brand', 'two', { ...said, operators: [] }, NOW + HOUR);
      expect(await records.agents.takeDirty(10, NOW)).toMatchObject([{ agent: AGENT }]);
    });

    it('makes an agent dirty by a probe only when it saw something else than before', async () => {
      const { records } = world();
      const probe = async (at: number, over = {}) => {
        const work = await takeOne(records, 'agent', AGENT, at);
        await records.sources.commitProbe(
          probing(work, observed(AGENT, { at, ...over }), { at, nextVisitAt: at + 1 }),
        );
        const dirty = await records.agents.takeDirty(10, at);
        await stitchAll(records, documentOf(AGENT), at);
        return dirty.length;
      };
      expect([
        await probe(NOW),
        await probe(NOW + HOUR),
        await probe(NOW + 2 * HOUR, { protocol: 'a2a' }),
      ]).toEqual([1, 0, 1]);
    });
  });
}
