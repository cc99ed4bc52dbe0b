import { describe, expect, it } from 'vitest';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { ADAGENTS, BRAND, type Pages } from './support/web.ts';
import { adagents, HOUR, MINUTE, openWorld } from './support/world.ts';

/** A chain: a refers to b, b to c, c to d; each names an agent of its own. */
const chain: Pages = Object.fromEntries(
  ['a', 'b', 'c', 'd'].map((name, at, all) => [
    `${name}.example`,
    {
      [ADAGENTS]: adagents(`${name}.example`, `https://agent-${name}.example/`),
      [BRAND]: {
        house: { domain: `${name}.example`, name },
        brands: [],
        brand_refs: all[at + 1] === undefined ? [] : [{ domain: `${all[at + 1]}.example`, brand_id: 'x' }],
      },
    },
  ]),
);

describe('the depth of a crawl', () => {
  it.each([
    [0, ['a.example'], ['https://agent-a.example/']],
    [1, ['a.example', 'b.example'], ['https://agent-a.example/', 'https://agent-b.example/']],
    [
      2,
      ['a.example', 'b.example', 'c.example'],
      ['https://agent-a.example/', 'https://agent-b.example/', 'https://agent-c.example/'],
    ],
  ])('%i: visits that far, and probes the agents of every domain visited', async (depth, domains, agents) => {
    const world = await openWorld(chain);
    const tally = await world.crawl(['a.example'], { depth });
    const { sources } = world.store.records;
    const visited = async (kind: 'adagents' | 'agent', key: string) =>
      (await sources.get({ kind, key }))?.lastVisitAt !== undefined;
    for (const name of ['a', 'b', 'c', 'd']) {
      expect(await visited('adagents', `${name}.example`), name).toBe(domains.includes(`${name}.example`));
      expect(await visited('agent', `https://agent-${name}.example/`), name).toBe(
        agents.includes(`https://agent-${name}.example/`),
      );
    }
    expect(tally.visited).toEqual({ domains: domains.length, agents: agents.length });
  });

  it('leaves what lies beyond for --due', async () => {
    const world = await openWorld(chain);
    await world.crawl(['a.example'], { depth: 0 });
    expect(await world.store.records.sources.countDue(world.clock.value)).toMatchObject({ domains: 1 });
    const tally = await world.due();
    expect(tally.visited.domains).toBe(3);
    expect(await world.listed()).toHaveLength(4);
  });

  it('visits a named domain again, due or not', async () => {
    const world = await openWorld(chain);
    await world.crawl(['a.example'], { depth: 0 });
    expect((await world.crawl(['a.example'], { depth: 0 })).visited.domains).toBe(1);
    expect((await world.due()).visited.domains).toBe(3);
    expect((await world.due()).visited.domains).toBe(0);
  });
});

describe('the probes of one target domain', () => {
  const many = Array.from({ length: 60 }, (_, index) => `https://hub.example/agent-${index}`);
  const pages: Pages = {
    'news.example': { [ADAGENTS]: adagents('news.example', ...many, 'https://calm.example/mcp') },
    'calm.example': mcpAgent({ path: '/mcp', tools: ['get_products'] }),
  };

  it('are fifty an hour; the rest waits with its reason, the neighbours do not', async () => {
    const world = await openWorld(pages);
    const tally = await world.crawl(['news.example']);
    const hub = world.requests().filter((line) => line.startsWith('hub.example /agent-'));
    expect(new Set(hub.map((line) => /agent-\d+/.exec(line)?.[0])).size).toBe(50);
    expect(tally.failures.filter((failure) => failure.code === 'probe_budget')).toHaveLength(10);
    expect(await world.document('https://calm.example/mcp')).toMatchObject({ type: 'sales' });
    expect(await world.listed()).toHaveLength(61);
  });

  it('go on in the next hour, so that each agent has its turn', async () => {
    const world = await openWorld(pages);
    await world.crawl(['news.example']);
    world.clock.value += HOUR + 10 * MINUTE;
    await world.due();
    const seen = await Promise.all(
      many.map(async (agent) => (await world.store.records.agents.observations(agent, 1)).length),
    );
    expect(seen.filter((count) => count === 0)).toEqual([]);
  });
});
