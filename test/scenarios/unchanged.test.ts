import { describe, expect, it } from 'vitest';
import { ADAGENTS, BRAND, type Pages } from './support/web.ts';
import { adagents, HOUR, openWorld } from './support/world.ts';

const AGENT = 'https://sales.nova.example/mcp';
const file = adagents('news.example', AGENT);
const tagged = (body: object, etag: string) => ({ status: 200, headers: { etag }, body });

describe('a file that did not change', () => {
  it.each<[string, Pages, readonly string[]]>([
    [
      'answers 304',
      { 'news.example': { [ADAGENTS]: tagged(file, '"1"') } },
      [`news.example ${ADAGENTS} 304`],
    ],
    ['has the same bytes', { 'news.example': { [ADAGENTS]: file } }, [`news.example ${ADAGENTS} 200`]],
    [
      'stands behind a reference, and both answer 304',
      {
        'news.example': {
          [ADAGENTS]: tagged({ authoritative_location: 'https://cdn.example/a.json' }, '"1"'),
        },
        'cdn.example': { '/a.json': tagged(file, '"2"') },
      },
      [`news.example ${ADAGENTS} 304`, 'cdn.example /a.json 304'],
    ],
  ])('costs no new version, no change and no write to the index: it %s', async (_name, pages, expected) => {
    const world = await openWorld(pages);
    await world.crawl(['news.example'], { depth: 0 });
    const seq = await world.store.records.agents.lastSeq();
    world.requests();
    world.clock.value += 7 * HOUR;
    const tally = await world.crawl(['news.example'], { depth: 0 });
    const asked = world
      .requests()
      .filter((line) => expected.some((item) => line.startsWith(item.slice(0, -4))));
    expect(asked).toEqual(expected);
    expect(tally.outcomes).toMatchObject({ unchanged: 1, indexed: 0 });
    expect((await world.journey('adagents', 'news.example')).declarations).toHaveLength(1);
    expect(await world.store.records.agents.lastSeq()).toBe(seq);
    expect(await world.derive()).toBe(0);
  });

  it('is asked for in full when the way to it has changed', async () => {
    const moved = (to: string): Pages => ({
      'news.example': {
        [ADAGENTS]: tagged({ authoritative_location: `https://cdn.example/${to}` }, `"${to}"`),
      },
      'cdn.example': {
        '/a.json': tagged(file, '"2"'),
        '/b.json': tagged(adagents('news.example', 'https://b.example/'), '"2"'),
      },
    });
    const world = await openWorld(moved('a.json'));
    await world.crawl(['news.example'], { depth: 0 });
    world.web.pages = moved('b.json');
    world.clock.value += 7 * HOUR;
    world.requests();
    await world.crawl(['news.example'], { depth: 0 });
    expect(world.requests()).toContain('cdn.example /b.json 200');
    expect(await world.authorised('news.example')).toEqual(['https://b.example/']);
  });

  it('is a new version when only its spelling changed, and changes no record', async () => {
    const world = await openWorld({ 'news.example': { [ADAGENTS]: JSON.stringify(file) } });
    await world.crawl(['news.example'], { depth: 0 });
    const seq = await world.store.records.agents.lastSeq();
    world.web.pages = { 'news.example': { [ADAGENTS]: JSON.stringify(file, null, 2) } };
    world.clock.value += 7 * HOUR;
    await world.crawl(['news.example'], { depth: 0 });
    const { declarations, authorisations } = await world.journey('adagents', 'news.example');
    expect(declarations).toHaveLength(2);
    expect(authorisations).toHaveLength(1);
    expect(await world.store.records.agents.lastSeq()).toBe(seq);
  });

  it('stays unchanged when a broken answer came between', async () => {
    const good = { 'news.example': { [ADAGENTS]: tagged(file, '"1"') } };
    const world = await openWorld(good);
    await world.crawl(['news.example'], { depth: 0 });
    world.web.pages = { 'news.example': { [ADAGENTS]: '{' } };
    world.clock.value += 7 * HOUR;
    await world.crawl(['news.example'], { depth: 0 });
    world.web.pages = good;
    world.clock.value += 7 * HOUR;
    const tally = await world.crawl(['news.example'], { depth: 0 });
    expect(tally.outcomes.unchanged).toBe(1);
    expect(tally.failures.map((failure) => failure.source)).not.toContain('news.example');
  });

  it('tells both files of a domain apart', async () => {
    const brand = { agents: [{ type: 'sales', url: 'https://ads.news.example/', id: 'a' }] };
    const world = await openWorld({
      'news.example': { [ADAGENTS]: tagged(file, '"1"'), [BRAND]: tagged(brand, '"1"') },
    });
    await world.crawl(['news.example'], { depth: 0 });
    world.clock.value += 7 * HOUR;
    expect((await world.crawl(['news.example'], { depth: 0 })).outcomes.unchanged).toBe(2);
  });
});
