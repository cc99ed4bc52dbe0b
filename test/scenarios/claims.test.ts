import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { ADAGENTS, BRAND } from './support/web.ts';
import { adagents, HOUR, openWorld } from './support/world.ts';

const AGENT = 'https://ads.nova.example/mcp';
const numbered = (count: number, name: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => name(i));

/** The file of a network that names so many publishers. */
const network = (publishers: readonly string[]) => ({
  authorized_agents: [
    {
      ...{ url: AGENT, authorized_for: 'all', authorization_type: 'publisher_properties' },
      publisher_properties: [{ publisher_domains: publishers, selection_type: 'all' }],
    },
  ],
});

describe('many hosts of one registrable domain', () => {
  it('that all hang hold up nobody else', async () => {
    const hanging = numbered(5, (index) => `h${index}.slow.example`);
    const good = numbered(12, (index) => `good-${index}.example`);
    const waiting = new Set(good);
    const allGood = Promise.withResolvers<void>();
    const hang: RequestListener = async (_request, response) => {
      await allGood.promise; // were these in the way of one good host, their visits would reach their deadline
      response.writeHead(404).end();
    };
    const answer: RequestListener = ({ headers }, response) => {
      waiting.delete(headers.host?.replace(/:\d+$/, '') ?? '');
      if (waiting.size === 0) allGood.resolve();
      response.writeHead(404).end();
    };
    const world = await openWorld(
      Object.fromEntries([
        ...hanging.map((host) => [host, hang] as const),
        ...good.map((host) => [host, answer] as const),
      ]),
      { concurrency: 3 },
    );
    const tally = await world.crawl([...hanging, ...good]);
    expect(tally.outcomes).toMatchObject({ absent: 2 * 17, unreachable: 0 });
  });

  it('are all visited, more than are taken at once', async () => {
    const hosts = numbered(25, (index) => `h${index}.big.example`);
    const world = await openWorld(
      Object.fromEntries(hosts.map((host) => [host, { [ADAGENTS]: adagents(host, AGENT) }])),
    );
    const tally = await world.crawl(hosts);
    expect(tally.outcomes.indexed).toBeGreaterThanOrEqual(25);
    world.clock.value += 7 * HOUR;
    expect((await world.due()).outcomes.unchanged + tally.outcomes.indexed).toBeGreaterThanOrEqual(25);
  });
});

describe('what is due', () => {
  it('has its own time for each file of a domain, and Retry-After of one is kept when the other is read', async () => {
    const busy = { status: 503, headers: { 'retry-after': '86400' } };
    const short = { 'cache-control': 'max-age=3600', etag: '"1"' };
    const file = { status: 200, headers: short, body: adagents('news.example', AGENT) };
    const world = await openWorld({ 'news.example': { [ADAGENTS]: file, [BRAND]: busy } });
    await world.crawl(['news.example']);
    world.requests();
    world.clock.value += 2 * HOUR;
    const tally = await world.due();
    expect(world.requests().filter((line) => line.startsWith('news.'))).toEqual([
      `news.example ${ADAGENTS} 304`,
    ]);
    expect([tally.failedDomains, tally.absentDomains]).toEqual([0, 0]);
    world.clock.value += 24 * HOUR;
    await world.due();
    expect(world.requests()).toContain(`news.example ${BRAND} 503`);
  });

  it('is probed from the first moment, and not only once a file has changed', async () => {
    let probed = () => {};
    const probe = new Promise<void>((resolve) => {
      probed = resolve;
    });
    const agent = mcpAgent({ path: '/mcp', tools: ['get_products'] });
    const world = await openWorld({
      'news.example': { [ADAGENTS]: adagents('news.example', AGENT) },
      'ads.nova.example': agent,
    });
    await world.crawl(['news.example']);
    const file = adagents('news.example', AGENT);
    world.web.pages = {
      'news.example': async ({ url }, response) => {
        if (url !== ADAGENTS) return response.writeHead(404).end();
        await probe; // the file is answered once the agent is asked
        return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(file));
      },
      'ads.nova.example': (request, response) => {
        probed();
        return agent(request, response);
      },
    };
    world.clock.value += 7 * HOUR;
    const tally = await world.due();
    expect(tally.outcomes).toMatchObject({ unreachable: 0, unchanged: 1 });
  });

  it('is no agent that has left the list', async () => {
    const agent = mcpAgent({ path: '/mcp', tools: ['get_products'] });
    const world = await openWorld({
      'news.example': { [ADAGENTS]: adagents('news.example', AGENT) },
      'ads.nova.example': agent,
    });
    await world.crawl(['news.example']);
    world.web.pages = {
      'news.example': { [ADAGENTS]: adagents('news.example') },
      'ads.nova.example': agent,
    };
    world.clock.value += 7 * HOUR;
    await world.due();
    world.clock.value += 25 * HOUR;
    await world.due();
    expect(await world.listed()).toEqual([]);
    world.requests();
    world.clock.value += 25 * HOUR;
    await world.due();
    expect(world.requests().filter((line) => line.includes(' /mcp '))).toEqual([]);
  });
});

describe('the brand.json files on one registrable domain', () => {
  it('count in the order: the domain’s own, the one on the agent’s host, the others', async () => {
    const says = (name: string) => ({ [BRAND]: { agents: [{ type: 'sales', url: AGENT, name }] } });
    const pages = {
      'aaa.nova.example': says('a tenant'),
      'ads.nova.example': says('the host'),
      'nova.example': says('the owner'),
    };
    const world = await openWorld(pages);
    const nameAfter = async (...domains: readonly string[]) => {
      await world.crawl(domains, { depth: 0 });
      return (await world.document(AGENT))?.base.name;
    };
    expect(await nameAfter('aaa.nova.example')).toBe('a tenant');
    expect(await nameAfter('ads.nova.example')).toBe('the host');
    expect(await nameAfter('nova.example')).toBe('the owner');
  });
});

describe('a stranger whose brand.json names the agent’s domain in authorized_operators', () => {
  const OWNED = { type: 'rights', url: AGENT, name: 'Owned', description: 'by me' };
  const file = {
    house: { domain: 'house.example', name: 'House' },
    brands: [{ id: 'b', names: [{ en: 'B' }], agents: [OWNED] }],
    authorized_operators: [{ domain: 'Nova.Example.' }],
    contact: { name: 'Me', email: 'me@house.example', website: 'https://house.example' },
  };
  const pages = (brandJsonUrl?: string) => ({
    'house.example': { [BRAND]: file },
    'mirror.example': { [BRAND]: { authoritative_location: `https://house.example${BRAND}` } },
    'ads.nova.example': mcpAgent({
      path: '/mcp',
      tools: ['get_proto_capabilities', 'get_products'],
      answers: {
        get_proto_capabilities: {
          content: [],
          structuredContent: { proto: {}, identity: { brand_json_url: brandJsonUrl } },
        },
      },
    }),
  });
  const BACK = `https://house.example${BRAND}`;

  it('names it only as long as the agent points back, and then it is a claim again', async () => {
    const world = await openWorld(pages());
    const record = async () => {
      const base = (await world.document(AGENT))?.base;
      return [base?.name, base?.type, base?.contact?.email];
    };
    await world.crawl(['house.example', 'mirror.example']);
    const inferred = await record();
    expect(inferred).toEqual(['Test Agent', 'sales', undefined]);
    for (const [points, expected] of [
      [BACK, ['Owned', 'rights', 'me@house.example']],
      [undefined, inferred],
    ] as const) {
      world.web.pages = pages(points);
      world.clock.value += 2 * HOUR;
      await world.due();
      expect(await record()).toEqual(expected);
    }
  });

  it('gains nothing when the agent points to the file that its own file refers to', async () => {
    const world = await openWorld(pages(BACK));
    await world.crawl(['mirror.example'], { depth: 0 });
    expect((await world.document(AGENT))?.base.name).toBe('Test Agent');
  });
});

describe('domains whose servers do not answer', () => {
  it('have half of the slots at most where one file names them, and the others go on', async () => {
    const silent = numbered(6, (index) => `silent-${index}.example`);
    const good = numbered(10, (index) => `good-${index}.example`);
    const allGood = Promise.withResolvers<void>();
    const silence: RequestListener = async (_request, response) => {
      await allGood.promise;
      response.writeHead(404).end();
    };
    const world = await openWorld(
      Object.fromEntries([
        ['hub.example', { [ADAGENTS]: network(silent) }] as const,
        ...silent.map((host) => [host, silence] as const),
        ...good.map((host) => [host, { [ADAGENTS]: adagents(host, AGENT) }] as const),
      ]),
      { concurrency: 2 },
    );
    const visited: string[] = [];
    const commit = world.store.records.sources.commitDomainVisit;
    world.store.records.sources.commitDomainVisit = (visit) => {
      visited.push(visit.domain.split(/[-.]/)[0] ?? '');
      if (visited.filter((name) => name === 'good').length === good.length) allGood.resolve();
      return commit(visit);
    };
    await world.crawl(['hub.example', ...good]);
    expect(visited.filter((name) => name !== 'hub')).toEqual([
      ...good.map(() => 'good'),
      ...silent.map(() => 'silent'),
    ]);
  });
});

describe('the spelling of an agent’s URL', () => {
  it.each([
    ['with a slash too many', 'https://ads.nova.example/mcp/', '/mcp'],
    ['without its slash', 'https://ads.nova.example/mcp', '/mcp/'],
  ])('%s, from whoever names it first, does not keep it offline', async (_name, declared, path) => {
    const world = await openWorld({
      'a-stranger.example': { [ADAGENTS]: adagents('a-stranger.example', declared) },
      'ads.nova.example': mcpAgent({ path, tools: ['get_products'] }),
    });
    await world.crawl(['a-stranger.example']);
    expect((await world.document(AGENT))?.base).toMatchObject({ protocol: 'mcp', type: 'sales' });
  });
});

describe('a spelling that the agent’s server does not take', () => {
  it.each([400, 401, 403, 500, 200])('and answers with %i, hides nothing of it', async (status) => {
    const agent = mcpAgent({ path: '/mcp', tools: ['get_products'] });
    const world = await openWorld({
      'a-stranger.example': { [ADAGENTS]: adagents('a-stranger.example', 'https://ads.nova.example/%6Dcp') },
      'ads.nova.example': (request, response) =>
        request.url?.includes('%') ? response.writeHead(status).end('no') : agent(request, response),
    });
    await world.crawl(['a-stranger.example']);
    expect((await world.document(AGENT))?.base).toMatchObject({ protocol: 'mcp', type: 'sales' });
  });
});

describe('a house that only the agent names', () => {
  it('is visited, and speaks for it', async () => {
    const world = await openWorld({
      'news.example': { [ADAGENTS]: adagents('news.example', AGENT) },
      'house.example': {
        [BRAND]: {
          house: { domain: 'house.example', name: 'House' },
          brands: [{ id: 'b', names: [{ en: 'B' }], agents: [{ type: 'rights', url: AGENT, name: 'Ours' }] }],
          authorized_operators: [{ domain: 'nova.example' }],
        },
      },
      'ads.nova.example': mcpAgent({
        path: '/mcp',
        tools: ['get_proto_capabilities'],
        answers: {
          get_proto_capabilities: {
            content: [],
            structuredContent: { proto: {}, identity: { brand_json_url: `https://house.example${BRAND}` } },
          },
        },
      }),
    });
    await world.crawl(['news.example']);
    expect((await world.document(AGENT))?.base.name).toBe('Ours');
  });
});
