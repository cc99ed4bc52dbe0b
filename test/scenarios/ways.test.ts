import { describe, expect, it } from 'vitest';
import { ADAGENTS, BRAND, type Pages } from './support/web.ts';
import { adagents, HOUR, openWorld, START } from './support/world.ts';

const AGENT = 'https://sales.nova.example/mcp';
const HOUSE_AGENT = 'https://ads.house.example/mcp';
const house = { agents: [{ type: 'sales', url: HOUSE_AGENT, id: 'ads' }] };
const to = (domain: string) => ({ house: domain });
const located = (domain: string) => ({ authoritative_location: `https://${domain}${BRAND}` });

describe('the way to a brand.json', () => {
  it.each<[string, Pages]>([
    [
      'a house redirect',
      { 'a.example': { [BRAND]: to('house.example') }, 'house.example': { [BRAND]: house } },
    ],
    [
      'an authoritative location',
      { 'a.example': { [BRAND]: located('house.example') }, 'house.example': { [BRAND]: house } },
    ],
    [
      'three hops of both kinds',
      {
        'a.example': { [BRAND]: to('b.example') },
        'b.example': { [BRAND]: located('c.example') },
        'c.example': { [BRAND]: to('house.example') },
        'house.example': { [BRAND]: house },
      },
    ],
  ])('leads over %s', async (_name, pages) => {
    const world = await openWorld(pages);
    await world.crawl(['a.example'], { depth: 0 });
    const { mentions, source } = await world.journey('brand', 'a.example');
    expect(source.lastOutcome).toBe('indexed');
    expect(mentions.map((mention) => mention.agent)).toEqual([HOUSE_AGENT]);
  });

  it.each<[string, Pages, string]>([
    ['to itself', { 'a.example': { [BRAND]: to('a.example') } }, 'redirect_loop'],
    [
      'in a circle',
      { 'a.example': { [BRAND]: to('b.example') }, 'b.example': { [BRAND]: located('a.example') } },
      'redirect_loop',
    ],
    [
      'over four hops',
      {
        'a.example': { [BRAND]: to('b.example') },
        'b.example': { [BRAND]: to('c.example') },
        'c.example': { [BRAND]: to('d.example') },
        'd.example': { [BRAND]: to('e.example') },
        'e.example': { [BRAND]: house },
      },
      'too_many_redirects',
    ],
    ['to a file that is not there', { 'a.example': { [BRAND]: to('gone.example') } }, 'http_404'],
  ])('does not lead %s', async (_name, pages, code) => {
    const world = await openWorld(pages);
    await world.crawl(['a.example'], { depth: 0 });
    const { source, mentions } = await world.journey('brand', 'a.example');
    expect(source.lastError?.code).toBe(code);
    expect(mentions).toEqual([]);
  });

  it('asks the house once an hour, however many of its brands are visited', async () => {
    const brands = ['a.example', 'b.example', 'c.example'];
    const world = await openWorld({
      ...Object.fromEntries(brands.map((domain) => [domain, { [BRAND]: to('house.example') }])),
      'house.example': { [BRAND]: house },
    });
    await world.crawl(brands, { depth: 0 });
    expect(world.requests().filter((line) => line.startsWith('house.example'))).toHaveLength(1);
  });
});

describe('the manager of ads.txt', () => {
  const managed = (publishers: readonly string[]): object => ({
    authorized_agents: [
      {
        url: AGENT,
        authorized_for: 'display',
        authorization_type: 'publisher_properties',
        publisher_properties: [{ publisher_domains: publishers, selection_type: 'all' }],
      },
    ],
    properties: [],
  });
  const web = (adsTxt: string, publishers = ['small.example']): Pages => ({
    'small.example': { '/ads.txt': adsTxt },
    'manager.example': { [ADAGENTS]: managed(publishers) },
  });

  it('speaks for a publisher without a file, when his file names it', async () => {
    const world = await openWorld(web('MANAGERDOMAIN=manager.example\n'));
    await world.crawl(['small.example']);
    expect(await world.authorised('small.example')).toEqual([AGENT]);
    const { declarations, authorisations } = await world.journey('adagents', 'small.example');
    expect(declarations[0]).toMatchObject({ via: 'manager', manager: 'manager.example' });
    expect(authorisations[0]).toMatchObject({ via: 'manager' });
  });

  it.each<[string, Pages]>([
    ['his file does not name it', web('MANAGERDOMAIN=manager.example', ['other.example'])],
    ['the line opts out', web('MANAGERDOMAIN=manager.example #noagents')],
    ['it names itself', web('MANAGERDOMAIN=small.example')],
    ['there is no line', web('ssp.example, 1234, DIRECT')],
    [
      'his file is a reference',
      {
        ...web('MANAGERDOMAIN=manager.example'),
        'manager.example': { [ADAGENTS]: { authoritative_location: 'https://x.example/a.json' } },
      },
    ],
  ])('does not speak for it when %s', async (_name, pages) => {
    const world = await openWorld(pages);
    await world.crawl(['small.example']);
    expect(await world.authorised('small.example')).toEqual([]);
  });

  it('is not asked while the publisher has a file of its own, broken or not', async () => {
    const pages = web('MANAGERDOMAIN=manager.example');
    const world = await openWorld({
      ...pages,
      'small.example': { ...pages['small.example'], [ADAGENTS]: { status: 500 } },
    });
    await world.crawl(['small.example'], { depth: 0 });
    expect(world.requests()).not.toContain('small.example /ads.txt 200');
    expect(await world.authorised('small.example')).toEqual([]);
  });

  it('stops speaking for it when his file does not name it any more', async () => {
    const world = await openWorld(web('MANAGERDOMAIN=manager.example'));
    await world.crawl(['small.example'], { depth: 0 });
    world.web.pages = web('MANAGERDOMAIN=manager.example', ['other.example']);
    world.clock.value = START + 7 * HOUR;
    await world.crawl(['small.example'], { depth: 0 });
    expect(await world.authorised('small.example')).toEqual([]);
  });

  it.each([
    ['the ads.txt', 'small.example', '/ads.txt'],
    ['his file', 'manager.example', ADAGENTS],
  ])('goes on speaking for it while %s cannot be read', async (_name, host, path) => {
    const good = web('MANAGERDOMAIN=manager.example');
    const world = await openWorld(good);
    await world.crawl(['small.example'], { depth: 0 });
    world.web.pages = { ...good, [host]: { [path]: { status: 500 } } };
    for (let visits = 0; visits < 3; visits += 1) {
      world.clock.value += 25 * HOUR;
      await world.crawl(['small.example'], { depth: 0 });
    }
    expect(await world.authorised('small.example')).toEqual([AGENT]);
    const { source } = await world.journey('adagents', 'small.example');
    expect(source).toMatchObject({ lastOutcome: 'failed', absentVisits: 0 });
  });

  it('stops speaking for it a day after the ads.txt is gone', async () => {
    const world = await openWorld(web('MANAGERDOMAIN=manager.example'));
    await world.crawl(['small.example'], { depth: 0 });
    world.web.pages = { ...world.web.pages, 'small.example': {} };
    for (const wait of [7, 25]) {
      world.clock.value += wait * HOUR;
      await world.crawl(['small.example'], { depth: 0 });
    }
    expect(await world.authorised('small.example')).toEqual([]);
  });

  it('gives way to the publisher’s own file', async () => {
    const world = await openWorld(web('MANAGERDOMAIN=manager.example'));
    await world.crawl(['small.example'], { depth: 0 });
    const own = 'https://own.example/mcp';
    world.web.pages = { ...world.web.pages, 'small.example': { [ADAGENTS]: adagents('small.example', own) } };
    world.clock.value = START + 7 * HOUR;
    await world.crawl(['small.example'], { depth: 0 });
    expect(await world.authorised('small.example')).toEqual([own]);
  });
});

describe('a pointer that is followed', () => {
  it('is known at the place where it leads: its publisher is neither orphaned nor missing there', async () => {
    const select = (domain: string) => ({
      ...{ url: AGENT, authorized_for: 'all of it', authorization_type: 'publisher_properties' },
      publisher_properties: [{ publisher_domain: domain, selection_type: 'all' }],
    });
    const world = await openWorld({
      'small.example': { [ADAGENTS]: { authoritative_location: `https://manager.example${ADAGENTS}` } },
      'manager.example': {
        [ADAGENTS]: { authorized_agents: [select('small.example'), select('silent.example')] },
      },
      'silent.example': {},
    });
    await world.crawl(['small.example', 'manager.example', 'silent.example']);
    expect(await world.store.records.graph.pointingTo('manager.example', { after: '', limit: 10 })).toEqual([
      'small.example',
    ]);
    const { pointers } = await world.journey('adagents', 'manager.example');
    expect(pointers).toEqual({
      orphaned: { domains: [], total: 0 },
      missing: { domains: ['silent.example'], total: 1 },
    });
  });
});
