import { describe, expect, it } from 'vitest';
import { ADAGENTS } from './support/web.ts';
import { adagents, HOUR, openWorld } from './support/world.ts';

const AGENTS = ['a', 'b', 'c'].map((name) => `https://${name}.agents.example/mcp`);
const file = {
  status: 200,
  headers: { etag: '"1"' },
  body: adagents('news.example', ...AGENTS),
};

describe('a file that did not change, read under other bounds', () => {
  it('is asked for in full once, and says what it says now', async () => {
    const world = await openWorld({ 'news.example': { [ADAGENTS]: file } }, { maxAgentsPerFile: 2 });
    const visit = async (): Promise<readonly string[]> => {
      await world.crawl(['news.example'], { depth: 0 });
      world.clock.value += 7 * HOUR;
      return world.requests().filter((line) => line.includes(ADAGENTS));
    };
    expect(await visit()).toEqual([`news.example ${ADAGENTS} 200`]);
    expect(await visit()).toEqual([`news.example ${ADAGENTS} 304`]);
    expect(await world.authorised('news.example')).toEqual(AGENTS.slice(0, 2));
    world.configure({ maxAgentsPerFile: 500 });
    expect(await visit()).toEqual([`news.example ${ADAGENTS} 200`]);
    expect(await world.authorised('news.example')).toEqual(AGENTS);
    expect(await visit()).toEqual([`news.example ${ADAGENTS} 304`]);
    expect((await world.journey('adagents', 'news.example')).declarations).toHaveLength(2);
  });

  it('keeps what stands when it cannot be had just then', async () => {
    const world = await openWorld({ 'news.example': { [ADAGENTS]: file } });
    await world.crawl(['news.example'], { depth: 0 });
    world.configure({ maxDomainsPerFile: 5 });
    world.web.pages = { 'news.example': { [ADAGENTS]: { status: 500 } } };
    world.clock.value += 7 * HOUR;
    await world.crawl(['news.example'], { depth: 0 });
    expect(await world.authorised('news.example')).toEqual(AGENTS);
  });
});

describe('a file that names more domains than one file may lead to', () => {
  it('is read in full, leads to as many as it may, and says so', async () => {
    const names = ['one', 'two', 'three', 'news'].map((name) => `${name}.example`);
    const manager = {
      authorized_agents: [
        {
          url: AGENTS[0],
          authorized_for: 'all of it',
          authorization_type: 'publisher_properties',
          publisher_properties: [{ publisher_domains: names, selection_type: 'all' }],
        },
      ],
    };
    const world = await openWorld(
      {
        'manager.example': { [ADAGENTS]: manager },
        'news.example': { '/ads.txt': 'MANAGERDOMAIN=manager.example\n' },
      },
      { maxDomainsPerFile: 2 },
    );
    await world.crawl(['manager.example', 'news.example'], { depth: 0 });
    const { references, lastFindings } = await world.journey('adagents', 'manager.example');
    expect(references.map(({ domain }) => domain)).toEqual(['one.example', 'two.example']);
    expect(lastFindings.map(({ code }) => code)).toEqual(['too_many_references']);
    expect(await world.authorised('news.example')).toEqual([AGENTS[0]]);
  });
});
