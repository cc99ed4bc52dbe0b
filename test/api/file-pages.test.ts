import { describe, expect, it } from 'vitest';
import { pageOfBrand } from '../../src/pages/files/brand.ts';
import { domainListPage, unknownDomainPage } from '../../src/pages/files/domain-list.ts';
import { networkPage } from '../../src/pages/files/network.ts';
import { publisherPage } from '../../src/pages/files/publisher.ts';
import type { FileView } from '../../src/pages/files/view.ts';
import { pageHtml } from '../../src/pages/layout.ts';
import { agentAt, facts, HOUR, NOW, observed } from '../contract/records-fixtures.ts';
import { declare, probing, publish, publishFile, takeOne } from '../contract/records-steps.ts';
import { fullDocument } from './support/documents.ts';
import { NAUGHTY, refuseMarkup, TEST_SITE } from './support/naughty.ts';
import { openRegistry, sharedRegistry, type TestRegistry } from './support/registry.ts';

const AGENT = 'https://sales.example/mcp';
const ACCEPT = { accept: 'text/html' };
const FILE = {
  authorized_agents: [
    { url: AGENT, authorized_for: 'Display', authorization_type: 'property_ids', property_ids: ['home'] },
    { url: 'https://other.example/mcp', authorized_for: 'All', countries: ['FR'] },
  ],
  properties: [
    {
      property_id: 'home',
      property_type: 'website',
      name: 'Home',
      identifiers: [{ type: 'domain', value: 'news.example' }],
    },
  ],
};

const known = sharedRegistry(async (): Promise<TestRegistry> => {
  const registry = await openRegistry();
  registry.clock.value = NOW + HOUR;
  const { records } = registry;
  await publish(records, 'news.example', FILE);
  await publish(
    records,
    'news.example',
    { ...FILE, authorized_agents: FILE.authorized_agents.slice(0, 1) },
    NOW + HOUR,
  );
  const refs = {
    house: { domain: 'house.example', name: 'House' },
    brand_refs: [{ domain: 'brand.example' }],
  };
  const agents = [{ url: 'https://agent.house.example/mcp', type: 'brand', id: 'one' }];
  await publishFile(records, 'house.example', 'brand', { file: { ...refs, agents } });
  await publishFile(records, 'brand.example', 'brand', {
    file: { id: 'b', names: [{ en: 'Brand' }], house_domain: 'house.example' },
  });
  const pointer = { references: [{ domain: 'net.example', reason: 'manager' as const }] };
  for (const name of ['a', 'b']) await declare(records, `${name}.example`, 'adagents', name, facts(pointer));
  await declare(records, 'net.example', 'adagents', 'net', facts());
  return registry;
});

describe('the page of a publisher', () => {
  it('says what the file says, with its history as a diff, and links what it names', async () => {
    const { get } = await known();
    const { statusCode, body, headers } = await get('/publishers/news.example', ACCEPT);
    expect(body).toContain('It lists 1 property of type <bdi>website</bdi>.');
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const text of [
      '1 agent for properties',
      'File in use',
      'Properties <code><bdi>home',
      'What changed in version 2',
      '<del>',
      'line 1',
    ])
      expect(body).toContain(text);
    expect(body).toContain(`href="/agents/${encodeURIComponent(AGENT)}"`);
    const [, json = ''] = /href="(\/api\/registry\/publisher\?[^"]*)">Open/.exec(body) ?? [];
    expect((await get(json)).json()).toMatchObject({ domain: 'news.example' });
    expect(
      (await get('/publishers/news.example', { ...ACCEPT, 'if-none-match': String(headers.etag) }))
        .statusCode,
    ).toBe(304);
    expect((await get('/publishers/news.example?revision=1', ACCEPT)).body).toContain(
      'Version 1 is the first version',
    );
  });

  it('names each listed agent with its type', async () => {
    const document = fullDocument(AGENT);
    const { records, get } = await openRegistry([
      { ...document, base: { ...document.base, name: 'Example Sales', type: 'sales' } },
    ]);
    await publish(records, 'news.example', FILE);
    const { body } = await get('/publishers/news.example', ACCEPT);
    expect(body).toContain('<span class="kind"><bdi>sales</bdi></span> <bdi>Example Sales</bdi>');
    expect(body.split('class="kind"')).toHaveLength(2);
  });

  it('says of a publisher without a valid file that no agent is authorized, without filters', async () => {
    const registry = await openRegistry();
    await publishFile(registry.records, 'house.example', 'brand', {
      file: { id: 'h', names: [{ en: 'H' }] },
    });
    const { body } = await registry.get('/publishers/house.example', ACCEPT);
    expect(body).toContain('<p>No valid file, so no agent is authorized.</p>');
    expect(body).not.toContain('>Filter</button>');
  });

  it.each([
    ['?agent=https%3A%2F%2Fsales.example%2Fmcp&type=', true],
    ['?agent=Sales', true],
    ['?agent=tollgate', false],
    ['?country=DE', true],
    ['?property=home&type=website', true],
    ['?property=other', false],
    ['?type=dooh', false],
  ])('filters by the address alone: %s', async (query, isFound) => {
    const { body } = await (await known()).get(`/publishers/news.example${query}`, ACCEPT);
    expect(body.includes('/authorized_agents/0')).toBe(isFound);
    expect(body.includes('No matching entries')).toBe(!isFound);
  });

  it('says what it cannot read of the filters, and shows the table of the others', async () => {
    const { get } = await known();
    for (const query of ['agent=ftp://x.example/', 'country=Germany', 'cursor=forged', 'type=boat']) {
      const { body } = await get(`/publishers/news.example?${query}`, ACCEPT);
      expect(body, query).toContain('role="alert"');
      expect(body, query).toContain('/authorized_agents/0');
    }
    const both = await get('/publishers/news.example?agent=tollgate&country=Germany', ACCEPT);
    expect(both.body).toContain('role="alert"');
    expect(both.body).not.toContain('/authorized_agents/0');
  });

  it('has as many entries as fit, and a next page with the same filters', async () => {
    const registry = await openRegistry();
    const authorized_agents = Array.from({ length: 90 }, (_, n) => ({
      url: `https://a${n}.example/`,
      authorized_for: 'x',
    }));
    await publish(registry.records, 'news.example', { authorized_agents });
    const seen = new Set<string>();
    for (let path = '/publishers/news.example?country=DE'; path !== ''; ) {
      const { body } = await registry.get(path, ACCEPT);
      for (const [, at = ''] of body.matchAll(/<code><bdi>(\/authorized_agents\/\d+)<\/bdi><\/code>, since/g))
        seen.add(at);
      path = (/rel="next" href="([^"]*)"/.exec(body)?.[1] ?? '').replaceAll('&amp;', '&').replace(/#.*/, '');
      expect(path === '' || path.includes('country=DE')).toBe(true);
    }
    expect(seen.size).toBe(90);
  });

  it('says of a filter that cannot be read what is wrong, and keeps the rest of the page', async () => {
    const { statusCode, body } = await (await known()).get(
      '/publishers/news.example?country=Germany',
      ACCEPT,
    );
    expect(statusCode).toBe(200);
    expect(body).toContain('Country: use an ISO 3166-1 alpha-2 code');
    expect(body).toContain('What changed in version 2');
  });
});

describe('what a simple file claims', () => {
  const probed = sharedRegistry(async (): Promise<TestRegistry> => {
    const registry = await openRegistry();
    registry.clock.value = NOW + HOUR;
    const { records } = registry;
    const [speaks, lies, never] = ['a', 'b', 'c'].map((name) => `https://${name}.agents.example/mcp`);
    await publish(records, 'simple.example', {
      version: '1.0',
      publisher: { name: 'Simple News', domain: 'simple.example' },
      agents: [
        { url: speaks, protocol: 'MCP', capabilities: ['get_products'] },
        { url: lies, protocol: 'a2a', capabilities: ['get_products', 'get_signals'] },
        { url: never, protocol: 'grpc' },
      ],
    });
    for (const agent of [speaks, lies] as string[]) {
      await records.sources.add([agentAt(agent)], NOW);
      await records.sources.commitProbe(probing(await takeOne(records, 'agent', agent), observed(agent)));
    }
    return registry;
  });

  it('stands in the look-up of its publisher, beside what the probe found', async () => {
    const { get } = await probed();
    const answer = await get('/api/registry/publisher?domain=simple.example');
    expect([answer.statusCode, answer.json().claims]).toEqual([
      200,
      {
        publisher: { name: 'Simple News', domain: 'simple.example', agrees: true },
        agents: [
          {
            ...{ agent_url: 'https://a.agents.example/mcp', entry: '/agents/0', protocol: 'MCP' },
            ...{ capabilities: ['get_products'], seen_protocol: 'mcp', protocol_agrees: true },
            capabilities_missing: [],
          },
          {
            ...{ agent_url: 'https://b.agents.example/mcp', entry: '/agents/1', protocol: 'a2a' },
            ...{
              capabilities: ['get_products', 'get_signals'],
              seen_protocol: 'mcp',
              protocol_agrees: false,
            },
            capabilities_missing: ['get_signals'],
          },
          {
            ...{ agent_url: 'https://c.agents.example/mcp', entry: '/agents/2', protocol: 'grpc' },
            ...{ capabilities: [], seen_protocol: null, protocol_agrees: null, capabilities_missing: null },
          },
        ],
      },
    ]);
  });

  it('is on the page of its publisher', async () => {
    const { body } = await (await probed()).get('/publishers/simple.example', ACCEPT);
    for (const text of [
      '<h2 id="claims">Claims</h2>',
      'Simple News',
      'Confirmed',
      'The agent uses mcp',
      'Not offered',
      'get_signals',
      'grpc',
      'Not compared',
    ])
      expect(body).toContain(text);
  });

  it('is no part of another form', async () => {
    const { get } = await known();
    expect((await get('/api/registry/publisher?domain=news.example')).json()).not.toHaveProperty('claims');
    expect((await get('/publishers/news.example', ACCEPT)).body).not.toContain('id="claims"');
  });
});

describe('the pages of brands, networks and lists', () => {
  it.each([
    ['/brands/brand.example', ['Confirmed by both sides', 'href="/brands/house.example"']],
    ['/brands/house.example', ['House', 'agent.house.example', 'jwks.json', 'href="/brands/brand.example"']],
    ['/networks/net.example', ['2 publishers', 'href="/publishers/a.example"', 'orphaned']],
    ['/networks/net.example?show=orphaned&search=b', ['href="/publishers/b.example"']],
    ['/networks/net.example?show=missing', ['No matches among 0 publishers']],
    ['/publishers', ['href="/publishers/news.example"', '1 agent, 1 property']],
    ['/publishers?search=zzz', ['No results for “<bdi>zzz</bdi>”']],
    ['/brands?search=house', ['href="/brands/house.example"']],
  ])('%s shows what the operations tell', async (path, texts) => {
    const { statusCode, body } = await (await known()).get(path, ACCEPT);
    expect(statusCode).toBe(200);
    for (const text of texts) expect(body).toContain(text);
  });

  it.each([
    [
      '/publishers/new.example',
      404,
      [
        '/publishers/news.example',
        'Not in the registry yet',
        'name="domain" value="new.example"',
        'Crawl now',
      ],
    ],
    ['/publishers/not%20a%20domain', 404, ['without scheme']],
    ['/publishers/%22%3E%3Cscript%3E', 404, ['Not a domain name']],
    ['/brands/hous.example', 404, ['/brands/house.example']],
    ['/networks/news.example', 404, ['It is known as a publisher', '/publishers/news.example']],
    ['/publishers?domain=nws%20example', 404, ['No results for']],
    ['/publishers/https%3A%2F%2Fnew.example%2Fpage', 404, ['name="domain" value="new.example"']],
  ])('%s offers what is near and how it is added', async (path, status, texts) => {
    const { statusCode, body } = await (await known()).get(path, ACCEPT);
    expect(statusCode).toBe(status);
    for (const text of texts) expect(body).toContain(text);
    expect(body).not.toMatch(/<script>/);
    // only a domain without a record can be crawled
    expect(body.includes('Crawl now')).toBe(body.includes('Not in the registry yet'));
  });

  it('takes the address of a page of a domain for the domain', async () => {
    const { get } = await known();
    const { statusCode, body } = await get('/publishers/https%3A%2F%2Fnews.example%2Fabout', ACCEPT);
    expect([statusCode, body.includes('Authorized agents')]).toEqual([200, true]);
  });

  it('leads from the small form of every page to the page of a domain', async () => {
    const { get } = await known();
    expect((await get('/', ACCEPT)).body).toContain('action="/look-up"');
    for (const wanted of ['NEWS.example.', 'https://news.example/path?a', ' news.example ']) {
      const { statusCode, headers } = await get(`/look-up?q=${encodeURIComponent(wanted)}`, ACCEPT);
      expect([wanted, statusCode, headers.location]).toEqual([wanted, 303, '/publishers/news.example']);
    }
  });

  it('leads from there to an agent, too, by its address', async () => {
    const { get } = await openRegistry([fullDocument()]);
    for (const [wanted, location] of [
      ['https://Meter.example/mcp', `/agents/${encodeURIComponent('https://meter.example/mcp')}`],
      ['https://meter.example/other', `/agents/${encodeURIComponent('https://meter.example/other')}`],
      ['meter.example', '/publishers/meter.example'],
    ] as const) {
      const { statusCode, headers } = await get(`/look-up?q=${encodeURIComponent(wanted)}`, ACCEPT);
      expect([wanted, statusCode, headers.location]).toEqual([wanted, 303, location]);
    }
  });

  it('lists the publishers with the most agents and properties first, and all of them A–Z', async () => {
    const { get } = await known();
    const domains = (body: string) =>
      [...body.matchAll(/<li><a href="\/publishers\/([^"?]*)"/g)].map(([, at]) => at);
    const first = (await get('/publishers', ACCEPT)).body;
    expect(domains(first)).toEqual(['news.example', 'a.example', 'b.example', 'net.example']);
    expect(first).toContain('<a href="/publishers?sort=domain">A–Z</a>');
    const all = (await get('/publishers?sort=domain', ACCEPT)).body;
    expect(domains(all)).toEqual(['a.example', 'b.example', 'net.example', 'news.example']);
    expect(all).toContain('/api/properties/registry">');
  });

  it('finds a publisher by the name of its brand, and by words of its domain', async () => {
    const registry = await openRegistry();
    const { records, get } = registry;
    await publish(records, 'news.example', FILE);
    await publish(records, 'old-morning.example', FILE);
    await publish(records, 'morning.example', FILE);
    await publishFile(records, 'news.example', 'brand', {
      file: { id: 'b', names: [{ en: 'Morning Post' }] },
      at: NOW + HOUR,
    });
    const { body } = await get('/publishers?search=morning', ACCEPT);
    expect(body).toContain(
      '<bdi>news.example</bdi></a> <span class="type"><bdi>Morning Post, 1 agent, 1 property<',
    );
    expect(body).toContain('<bdi>old-morning.example</bdi></a> <span class="type"><bdi>1 agent, 1 property<');
    const byName = (await get('/publishers?search=post', ACCEPT)).body;
    expect([byName.includes('news.example'), byName.includes('morning.example')]).toEqual([true, false]);
  });

  it('refuses a question that is too long for its links', async () => {
    const { get } = await known();
    expect((await get(`/publishers?search=${'a'.repeat(1_600)}`, ACCEPT)).statusCode).toBe(400);
    expect((await get('/networks/net.example?show=new', ACCEPT)).statusCode).toBe(400);
    expect((await get('/publishers/news.example?revision=x', ACCEPT)).statusCode).toBe(400);
  });
});

describe('what strangers wrote, on the pages of their files', () => {
  it.each(NAUGHTY)('is text that breaks nothing: %j', (bad) => {
    for (const page of pagesWith(bad.toWellFormed())) refuseMarkup(pageHtml(TEST_SITE, page));
  });
});

function pagesWith(bad: string) {
  const many = Array.from({ length: 30 }, () => bad);
  const visit = { state: bad, last_good_at: null, last_tried_at: null, why: bad, next_at: null };
  const excerpt = [
    { line: 1, text: bad.slice(0, 120) },
    { line: 2, text: bad.slice(0, 120), from: 2, to: 40 },
  ];
  const finding = {
    severity: bad,
    code: bad,
    pointer: bad,
    line: 2,
    message: bad,
    hint: bad,
    did_you_mean: bad,
    allowed: many,
    fix: bad,
    excerpt,
  };
  const lines = ['same', 'added', 'removed', bad].map((change) => ({ change, text: bad.slice(0, 200) }));
  const revision = {
    revision_number: 2,
    editor_name: bad,
    edit_summary: bad,
    is_rollback: true,
    rolled_back_to: 1,
    created_at: '2026-11-23T00:00:00.000Z',
  };
  const file: FileView = {
    ...{ domain: 'news.example', visit, most: 5 },
    findings: {
      counts: false,
      url: bad,
      bytes: 1,
      total: 9,
      findings: Array.from({ length: 9 }, () => finding),
    },
    history: { total: 3, revisions: [revision, revision, revision] },
    diff: { revision: 2, hunks: [{ before_line: 1, after_line: 1, lines }], truncated: true, laid_out: true },
  };
  const entry = {
    ...{
      agent_url: bad,
      entry: bad,
      line: 1,
      authorized_for: bad,
      authorization_type: bad,
      sells: false,
      pins_keys: true,
    },
    since: '2026-11-23T00:00:00.000Z',
    covers: { all: bad, property_ids: many, property_tags: many, signals: many, inline: true as const },
    limits: {
      countries: many,
      placement_ids: many,
      placement_tags: many,
      collections: [{ publisher_domain: bad, collection_ids: many }],
      delegation_type: bad,
      exclusive: true,
    },
  };
  const asked = new URLSearchParams([
    ['agent', bad.slice(0, 200)],
    ['property', bad.slice(0, 200)],
  ]);
  const property = { id: bad, name: bad, type: bad, identifiers: [{ type: bad, value: bad }], tags: many };
  const agent = {
    pointer: bad,
    url: bad,
    agent: bad,
    type: bad as 'sales',
    id: bad,
    name: bad,
    jwksUri: bad,
    brandId: bad,
  };
  const value = {
    ...{ kind: 'brand' as const, variant: 'house_portfolio' as const, agents: [agent] },
    brands: [{ id: bad, names: [{ language: bad, name: bad }] }],
    brandRefs: [{ domain: bad, brandId: bad }],
    authorizedOperators: [{ domain: bad, brands: many, countries: many, scopes: many, validUntil: 1e300 }],
    contact: { name: bad, email: bad, website: bad },
  };
  return [
    publisherPage(TEST_SITE, {
      ...file,
      publisher: {
        ...{ adagents_valid: true, discovery_method: 'ads_txt_managerdomain', manager_domain: bad },
        ...{
          hosting: { resolved_url: bad, expected_url: bad },
          properties: [property, property],
          authorized_agents: [],
        },
        claims: {
          publisher: { name: bad, domain: bad, agrees: false },
          agents: [
            {
              ...{ agent_url: bad, protocol: bad, capabilities: many, seen_protocol: bad },
              ...{ protocol_agrees: false, capabilities_missing: many },
            },
          ],
          truncated: true,
        },
      },
      entries: {
        asked,
        entries: [entry, { ...entry, covers: null, limits: null }],
        cursor: 'next',
        isCut: true,
        problem: bad,
      },
      ...{ isNetwork: true, hasBrand: true },
    }),
    pageOfBrand(TEST_SITE, {
      ...{ ...file, value, propertyCount: 1, isPublisher: true },
      resolved: { brand_name: bad, claimed_house_domain: bad, relationship_trust: bad },
    }),
    networkPage(TEST_SITE, {
      ...{ domain: 'news.example', asked },
      network: {
        ...{ show: bad, total: 1, total_exact: false, looked_at: 1, next_cursor: 'next', visit },
        publishers: [{ domain: bad, states: [bad], agents: 1, discovery_method: bad }],
      },
    }),
    domainListPage(TEST_SITE, {
      kind: 'brands',
      asked,
      domains: [{ domain: bad, about: bad }],
      cursor: 'next',
      order: 'domain',
      jsonPath: '/x',
    }),
    unknownDomainPage(TEST_SITE, {
      kind: 'networks',
      asked: bad,
      isDomain: true,
      reason: bad,
      near: [bad],
      elsewhere: 'publishers',
      agents: [bad.toWellFormed()],
    }),
  ];
}
