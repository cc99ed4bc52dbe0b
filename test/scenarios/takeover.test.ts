import { describe, expect, it } from 'vitest';
import { ADAGENTS, type Pages } from './support/web.ts';
import { adagents, DAY, HOUR, openWorld } from './support/world.ts';

const OWN = 'https://own.agents.example/mcp';
const MANAGED = 'https://managed.agents.example/mcp';

const manager = {
  authorized_agents: [
    {
      url: MANAGED,
      authorized_for: 'all of it',
      authorization_type: 'publisher_properties',
      publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
    },
  ],
};
const others: Pages = {
  'manager.example': { [ADAGENTS]: manager },
  'cdn.example': { '/a.json': adagents('news.example', OWN) },
};
const ADS_TXT = { '/ads.txt': 'MANAGERDOMAIN=manager.example\n' };

/** The web with this adagents.json at news.example. */
const news = (file?: object): Pages => ({
  ...others,
  'news.example': { ...ADS_TXT, ...(file !== undefined && { [ADAGENTS]: file }) },
});

describe('a publisher whose own file vanishes while its ads.txt names a manager', () => {
  it.each<[string, object]>([
    ['its own file', adagents('news.example', OWN)],
    ['the file that it refers to', { authoritative_location: 'https://cdn.example/a.json' }],
  ])('keeps %s for its grace, and then the manager speaks', async (_name, file) => {
    const world = await openWorld(news(file));
    const visit = async (after: number): Promise<readonly [string | undefined, readonly string[]]> => {
      world.clock.value += after;
      await world.crawl(['news.example'], { depth: 0 });
      const { source } = await world.journey('adagents', 'news.example');
      return [source.lastOutcome, await world.authorised('news.example')];
    };
    expect(await visit(0)).toEqual(['indexed', [OWN]]);
    world.web.pages = news();
    expect(await visit(7 * HOUR)).toEqual(['absent', [OWN]]);
    expect(await visit(7 * HOUR)).toEqual(['absent', [OWN]]);
    expect(await visit(DAY)).toEqual(['indexed', [MANAGED]]);
  });

  it('is as it was when the file comes back in time', async () => {
    const world = await openWorld(news(adagents('news.example', OWN)));
    await world.crawl(['news.example'], { depth: 0 });
    for (const pages of [news(), news(adagents('news.example', OWN))]) {
      world.web.pages = pages;
      world.clock.value += 7 * HOUR;
      await world.crawl(['news.example'], { depth: 0 });
    }
    const { source, declarations } = await world.journey('adagents', 'news.example');
    expect(source).toMatchObject({ lastOutcome: 'unchanged', absentVisits: 0 });
    expect(declarations).toHaveLength(1);
  });

  it('has no manager when it answers 410: the file is gone on purpose', async () => {
    const world = await openWorld(news({ status: 410 }));
    await world.crawl(['news.example'], { depth: 0 });
    expect((await world.journey('adagents', 'news.example')).source.lastOutcome).toBe('absent');
    expect(world.requests()).not.toContain('news.example /ads.txt 200');
  });
});
