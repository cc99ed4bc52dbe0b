import { expect, it } from 'vitest';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { ADAGENTS, BRAND } from './support/web.ts';
import { adagents, HOUR, openWorld } from './support/world.ts';

const AGENT = 'https://ads.nova.example/mcp';

const probes = (requests: readonly string[]) =>
  requests.filter((line) => line.startsWith('ads.nova.example /mcp')).map((line) => line.split(' ')[1]);

it('an agent that a stranger has spelt so that nobody answers is dialled where a probe has reached it', async () => {
  const world = await openWorld({
    'stranger.example': { [ADAGENTS]: adagents('stranger.example', `${AGENT}//`) },
    'ads.nova.example': mcpAgent({ path: '/mcp', tools: ['get_products'] }),
  });
  await world.crawl(['stranger.example']);
  expect(probes(world.requests())).toContain('/mcp//');
  expect(await world.store.records.agents.dialled(AGENT)).toBe(AGENT);
  world.clock.value += 2 * HOUR;
  await world.due();
  expect(new Set(probes(world.requests()))).toEqual(new Set(['/mcp']));
});

it('an agent is probed as the brand.json of its domain spells it, whoever has named it before', async () => {
  const own = { agents: [{ type: 'sales', id: 'ads', url: `${AGENT}//` }] };
  const agent = mcpAgent({ path: '/mcp//', tools: ['get_products'] });
  const world = await openWorld({
    'news.example': { [ADAGENTS]: adagents('news.example', `${AGENT}/`) },
    'nova.example': { [BRAND]: own },
    'ads.nova.example': agent,
  });
  await world.crawl(['news.example'], { depth: 0 });
  await world.crawl(['nova.example'], { depth: 0 });
  world.requests();
  world.clock.value += 2 * HOUR;
  await world.due();
  expect(new Set(probes(world.requests()))).toEqual(new Set(['/mcp//']));
});
