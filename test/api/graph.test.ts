import { describe, expect, it } from 'vitest';
import { explainDomain } from '../../src/cli/commands/explain/domain.ts';
import { provesDomain } from '../../src/domain/ownership.ts';
import { stitchAll } from '../contract/records-documents.ts';
import { facts, mention, NOW } from '../contract/records-fixtures.ts';
import { own } from '../contract/records-owners.ts';
import { declare, publish } from '../contract/records-steps.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry, sharedRegistry, type TestRegistry } from './support/registry.ts';

const AGENT = 'https://sales.example/mcp';
const OTHER = 'https://other.example/mcp';
const LATER = NOW + 3_600_000;
const encoded = encodeURIComponent(AGENT);
const site = (id: string, value: string): object => ({
  property_id: id,
  property_type: 'website',
  name: id,
  identifiers: [{ type: 'domain', value }],
});
const byId = (url: string, ids: readonly string[], more: object = {}): object => ({
  url,
  authorized_for: 'Display',
  authorization_type: 'property_ids',
  property_ids: ids,
  ...more,
});

/** Two publishers of the agent, one of which took it back. */
async function published(): Promise<TestRegistry> {
  const registry = await openRegistry();
  registry.clock.value = LATER + 1;
  const { records } = registry;
  const properties = [site('home', 'news.example'), site('blog', 'blog.example')];
  const authorized_agents = [byId(AGENT, ['home'], { countries: ['DE'] }), byId(OTHER, ['none'])];
  await publish(records, 'news.example', { authorized_agents, properties });
  await publish(records, 'shop.example', { authorized_agents: [{ url: AGENT, authorized_for: 'all' }] });
  await publish(records, 'gone.example', { authorized_agents: [{ url: AGENT, authorized_for: 'all' }] });
  await publish(records, 'gone.example', { authorized_agents: [] }, LATER);
  return registry;
}

const known = sharedRegistry(published);

/** Path of the document, request, status, part of the answer. */
const ANSWERS: readonly (readonly [string, string, number, object])[] = [
  [
    '/api/registry/authorizations',
    `?agent_url=${encoded}`,
    200,
    {
      ...{ agent_url: AGENT, include: 'effective', evidence: ['adagents_json'], count: 2 },
      rows: [
        {
          ...{ publisher_domain: 'news.example', publisher_wide: false, property_id_slug: 'home' },
          ...{ property_rid: expect.any(String), property_ids: ['home'], countries: ['DE'] },
        },
        { publisher_domain: 'shop.example', publisher_wide: true, property_rid: null },
      ],
      next_cursor: null,
    },
  ],
  ['/api/registry/authorizations', `?agent_url=${encoded}&evidence=agent_claim`, 200, { rows: [], count: 0 }],
  ['/api/registry/authorizations', '?agent_url=https%3A%2F%2Fnever.example%2F', 200, { rows: [], count: 0 }],
  ['/api/registry/authorizations', '', 400, { parameter: 'agent_url' }],
  ['/api/registry/authorizations', '?agent_url=nonsense', 400, { code: 'bad_agent_url' }],
  ['/api/registry/authorizations/snapshot', '?include=raw', 200, { count: 2, include: 'raw' }],
  ['/api/registry/authorizations/snapshot', '?include=all', 400, { parameter: 'include' }],
  ['/api/registry/authorizations/snapshot', '?evidence=rumour', 400, { parameter: 'evidence' }],
  ['/api/registry/authorizations/snapshot', '?evidence=adagents_json,', 400, { parameter: 'evidence' }],
  ['/api/registry/authorizations/snapshot', `?agent_url=${encoded}`, 400, { code: 'unknown_parameter' }],
  [
    '/api/registry/publishers',
    '',
    200,
    { count: 3, publishers: [{ domain: 'gone.example', agent_count: 0 }, {}, {}] },
  ],
  ['/api/registry/publishers', '?limit=0', 400, { parameter: 'limit' }],
  ['/api/registry/publishers', '?cursor=forged', 400, { code: 'invalid_cursor' }],
  ['/api/registry/publishers', '?domain=a.example', 400, { code: 'unknown_parameter' }],
  [
    '/api/registry/lookup/domain/{domain}',
    'news.example',
    200,
    { authorized_agents: [{ url: AGENT, authorized_for: 'Display' }], sales_agents_claiming: [] },
  ],
  ['/api/registry/lookup/domain/{domain}', 'never.example', 200, { authorized_agents: [] }],
  ['/api/registry/lookup/domain/{domain}', 'https%3A%2F%2Fa.example', 400, { parameter: 'domain' }],
  [
    '/api/registry/lookup/agent/{agentUrl}/domains',
    encoded,
    200,
    { domains: ['news.example', 'shop.example'], properties: [{ domain: 'news.example' }, {}], count: 2 },
  ],
  ['/api/registry/lookup/agent/{agentUrl}/domains', 'nonsense', 400, { parameter: 'agentUrl' }],
  [
    '/v1/agents/{encodedUrl}/publishers',
    encoded,
    200,
    {
      publishers: [
        {
          publisher_domain: 'news.example',
          properties_authorized: 1,
          properties_total: 2,
          status: 'authorized',
        },
        { publisher_domain: 'shop.example' },
      ],
      next_cursor: null,
    },
  ],
  [
    '/api/v1/agents/{encodedUrl}/publishers',
    `${encoded}?status=revoked&status=authorized`,
    200,
    {
      publishers: [{ publisher_domain: 'gone.example', status: 'revoked', properties_authorized: 0 }, {}, {}],
    },
  ],
  [
    '/v1/agents/{encodedUrl}/publishers',
    `${encoded}?status=authorized,revoked`,
    400,
    { parameter: 'status', valid_values: ['authorized', 'revoked'] },
  ],
  [
    '/v1/agents/{encodedUrl}/publishers',
    `${encoded}?since=${new Date(LATER).toISOString()}&status=revoked&status=authorized`,
    200,
    { publishers: [{ publisher_domain: 'gone.example' }] },
  ],
  [
    '/v1/agents/{encodedUrl}/publishers',
    `${encoded}?search=SHO`,
    200,
    { publishers: [{ publisher_domain: 'shop.example' }], next_cursor: null },
  ],
  [
    '/v1/agents/{encodedUrl}/publishers',
    `${encoded}?search=news&limit=1`,
    200,
    { publishers: [{ publisher_domain: 'news.example' }] },
  ],
  [
    '/v1/agents/{encodedUrl}/publishers',
    `${encoded}?search=!%2Fx`,
    200,
    { publishers: [], next_cursor: null },
  ],
  [
    '/v1/agents/{encodedUrl}/publishers',
    `${encoded}?search=${'x'.repeat(254)}`,
    400,
    { parameter: 'search' },
  ],
  ['/v1/agents/{encodedUrl}/publishers', `${encoded}?since=soon`, 400, { parameter: 'since' }],
  // a time to some programs, and to others none
  ['/v1/agents/{encodedUrl}/publishers', `${encoded}?since=1`, 400, { parameter: 'since' }],
  [
    '/v1/agents/{encodedUrl}/publishers',
    `${encoded}?statsu=revoked`,
    400,
    { valid_values: ['status', 'search', 'since', 'include', 'limit', 'cursor'] },
  ],
  [
    '/v1/agents/{encodedUrl}/publishers',
    encodeURIComponent('https://nobody.example/'),
    404,
    { code: 'unknown_agent' },
  ],
  [
    '/api/registry/publisher',
    '?domain=news.example',
    200,
    {
      adagents_valid: true,
      discovery_method: 'direct',
      hosting: { mode: 'self', expected_url: 'https://news.example/.well-known/adagents.json' },
      properties: [{ id: 'home', type: 'website' }, { id: 'blog' }],
      authorized_agents: [{ url: AGENT, properties_authorized: 1, properties_total: 2 }],
    },
  ],
  [
    '/api/registry/publisher',
    '?domain=never.example',
    200,
    { adagents_valid: null, hosting: { mode: 'none' }, properties: [], authorized_agents: [] },
  ],
  ['/api/registry/publisher', '', 400, { parameter: 'domain' }],
  [
    '/api/registry/publisher/authorization',
    `?domain=news.example&agent=${encoded}`,
    200,
    { authorized: 1, total: 2, publisher_wide: false, unauthorized_properties: [{ id: 'blog' }] },
  ],
  [
    '/api/registry/publisher/authorization',
    `?domain=shop.example&agent=${encoded}`,
    200,
    { authorized: 0, total: 0, publisher_wide: true },
  ],
  [
    '/api/registry/publisher/authorization',
    `?domain=gone.example&agent=${encoded}`,
    404,
    { code: 'not_found' },
  ],
  [
    '/api/registry/lookup/property',
    '?type=domain&value=NEWS.example',
    200,
    {
      value: 'news.example',
      agents: [{ url: AGENT, publisher_domain: 'news.example' }],
      count: 1,
      publisher_domain: 'news.example',
      visit: { what: 'adagents', state: 'fresh' },
    },
  ],
  // no file of its own was looked for, and the one above it counts
  [
    '/api/registry/lookup/property',
    '?type=domain&value=www.news.example',
    200,
    { count: 1, publisher_domain: 'news.example', visit: { state: 'fresh' } },
  ],
  [
    '/api/registry/lookup/property',
    '?type=domain&value=www.never.example',
    200,
    { agents: [], publisher_domain: 'www.never.example', visit: { state: 'unseen' } },
  ],
  // its file is there, and names nobody
  [
    '/api/registry/lookup/property',
    '?type=domain&value=gone.example',
    200,
    { agents: [], publisher_domain: 'gone.example', visit: { state: 'fresh' } },
  ],
  // a stranger lists it: its own file has to
  ['/api/registry/lookup/property', '?type=domain&value=blog.example', 200, { agents: [], count: 0 }],
  ['/api/registry/lookup/property', '?type=ios_bundle&value=none', 200, { agents: [] }],
  ['/api/registry/lookup/property', '?type=domain', 400, { parameter: 'value' }],
  ['/api/registry/operator', '?domain=never.example&scope=all', 200, { member: null, agents: [] }],
  ['/api/registry/operator', '?domain=never.example&scope=none', 400, { parameter: 'scope' }],
  [
    '/api/properties/resolve',
    '?domain=NEWS.example',
    200,
    {
      publisher_domain: 'news.example',
      authorized_agents: [{ url: AGENT, authorized_for: 'Display' }],
      properties: [{ id: 'home', identifiers: [{ type: 'domain', value: 'news.example' }] }, { id: 'blog' }],
      verified: true,
    },
  ],
  ['/api/properties/resolve', '?domain=never.example', 404, { code: 'not_found' }],
  ['/api/properties/resolve', '?domain=https%3A%2F%2Fa.example', 400, { parameter: 'domain' }],
  [
    '/api/properties/registry',
    '?search=NE&limit=1',
    200,
    { properties: [{ domain: 'news.example', property_count: 2, agent_count: 1 }], count: 1 },
  ],
  ['/api/properties/registry', '?offset=2', 200, { properties: [{ domain: 'shop.example' }] }],
  ['/api/properties/registry', '?offset=3', 200, { properties: [], count: 0 }],
  ['/api/properties/registry', '?search=%25', 200, { properties: [] }],
  ['/api/properties/registry', '?offset=10001', 400, { parameter: 'offset' }],
  ['/api/properties/registry', `?search=${'a'.repeat(254)}`, 400, { parameter: 'search' }],
];

const ASKED = `agent_url=${encoded}&identifier_type=domain`;
const AUTHORIZED = '/api/registry/validate/property-authorization';

describe('may this agent sell this', () => {
  it.each<[string, string, number, object]>([
    [
      'yes, within limits',
      '&identifier_value=www.news.example',
      200,
      { authorized: true, publisher_domain: 'news.example', because: [{ within: { countries: ['DE'] } }] },
    ],
    [
      'yes, by the file of the registered domain',
      '&identifier_value=news.example&publisher_domain=www.news.example',
      200,
      { authorized: true, publisher_domain: 'news.example', visit: { state: 'fresh' } },
    ],
    [
      'no, for a publisher that is misspelt, with the known one',
      '&identifier_value=news.example&publisher_domain=newz.example',
      200,
      {
        authorized: false,
        because: [{ code: 'unknown_publisher', nearest: ['news.example', 'shop.example'] }],
      },
    ],
    [
      'no, elsewhere',
      '&identifier_value=news.example&country=fr',
      200,
      { authorized: false, country: 'FR', because: [{ code: 'country', covers: { countries: ['DE'] } }] },
    ],
    [
      'no, before there was a file',
      '&identifier_value=news.example&at=2001-01-01',
      200,
      { authorized: false, at: '2001-01-01T00:00:00.000Z' },
    ],
    [
      'no, for the site of nobody',
      '&identifier_value=never.example',
      200,
      { authorized: false, because: [{ code: 'unknown_publisher' }], visit: { state: 'unseen' } },
    ],
    ['not without a value', '', 400, { parameter: 'identifier_value' }],
    ['not for a URL', '&identifier_value=https%3A%2F%2Fa.example', 400, { parameter: 'identifier_value' }],
    [
      'not in a country of three letters',
      '&identifier_value=a.example&country=DEU',
      400,
      { parameter: 'country' },
    ],
    ['not at no time', '&identifier_value=a.example&at=soon', 400, { parameter: 'at' }],
  ])('%s', async (_name, query, status, part) => {
    const { get } = await known();
    const document = (await get('/openapi.json')).json<OpenApi>();
    const answer = await get(`${AUTHORIZED}?${ASKED}${query}`);
    expect([answer.statusCode, answer.json()]).toMatchObject([status, part]);
    expect(breaches(document, AUTHORIZED, answer)).toEqual([]);
  });
});

it.each([
  [
    'ios_bundel',
    'no file lists ios_bundel:x.app; ios_bundel is an unknown identifier type; the nearest is ios_bundle',
  ],
  ['shoe_size', 'no file lists shoe_size:x.app; shoe_size is an unknown identifier type'],
  ['ios_bundle', 'no file lists ios_bundle:x.app'],
])('says of the identifier type %s whether there is one', async (type, rule) => {
  const { get } = await known();
  const query = `agent_url=${encoded}&identifier_type=${type}&identifier_value=x.app`;
  const answer = await get(`${AUTHORIZED}?${query}`);
  expect(answer.json()).toMatchObject({ authorized: false, because: [{ code: 'unknown_publisher', rule }] });
});

it('cuts limits for which an answer has no room, and says so', async () => {
  const { records, get, clock } = await openRegistry();
  clock.value = NOW + 1;
  const placement_ids = Array.from({ length: 30_000 }, (_, n) => `placement-${n}`);
  const authorized_agents = [byId(AGENT, ['home'], { placement_ids, countries: ['DE'] })];
  await publish(records, 'news.example', { authorized_agents, properties: [site('home', 'news.example')] });
  const answer = await get(`${AUTHORIZED}?${ASKED}&identifier_value=news.example`);
  const [{ within }] = answer.json().because;
  expect(within).toMatchObject({ countries: ['DE'], truncated: true });
  expect(within.placement_ids).toEqual(placement_ids.slice(0, within.placement_ids.length));
  expect(Buffer.byteLength(answer.body)).toBeLessThan(250 * 1024);
});

describe('the graph', () => {
  it('answers as the document says', async () => {
    const { get } = await known();
    const document = (await get('/openapi.json')).json<OpenApi>();
    for (const [path, rest, status, part] of ANSWERS) {
      const url = path.includes('{') ? path.replace(/\{\w+\}/, () => rest.split('?')[0] ?? '') : path;
      const query = rest.includes('?') ? rest.slice(rest.indexOf('?')) : '';
      const answer = await get(url + query);
      expect([url + query, answer.statusCode, answer.json()]).toMatchObject([url + query, status, part]);
      expect(breaches(document, path, answer)).toEqual([]);
    }
  });

  it.each([
    ['/api/registry/publishers', 'publishers', 'domain'],
    ['/api/properties/registry', 'properties', 'domain'],
    [`/v1/agents/${encoded}/publishers`, 'publishers', 'publisher_domain'],
    ['/api/registry/authorizations/snapshot', 'rows', 'id'],
    [`/api/registry/authorizations?agent_url=${encoded}`, 'rows', 'id'],
  ])('pages %s to the end, with every one once', async (path, list, name) => {
    const { get } = await known();
    const whole = (await get(path)).json()[list].map((one: Record<string, string>) => one[name]);
    const shown: string[] = [];
    for (let next = ''; next !== undefined && next !== null; ) {
      const page = (await get(`${path}${path.includes('?') ? '&' : '?'}limit=1${next}`)).json();
      shown.push(...page[list].map((one: Record<string, string>) => one[name]));
      next = page.next_cursor && `&cursor=${page.next_cursor}`;
    }
    expect(shown).toEqual(whole);
  });

  it('shows the agents of an operator, and none that it only claims', async () => {
    const { records, get } = await published();
    const mentions = [AGENT, OTHER].map((agent) => mention('sales.example', agent));
    await declare(records, 'sales.example', 'brand', 'one', facts({ mentions }));
    await stitchAll(records);
    const answer = await get('/api/registry/operator?domain=sales.example');
    expect(answer.json().agents).toMatchObject([
      {
        url: AGENT,
        authorized_by: [{ publisher_domain: 'news.example', source: 'adagents_json' }, {}],
      },
    ]);
    expect(answer.json().agents).toHaveLength(1);
    expect(answer.json().member).toBeNull();
    await records.members.import([{ slug: 'acme', displayName: 'Acme', foundingMember: false }], NOW);
    await records.members.register({ agent: AGENT, url: AGENT, member: 'acme' }, NOW);
    expect((await get('/api/registry/operator?domain=sales.example')).json().member).toBeNull();
    await own(records, 'acme', NOW, AGENT);
    const proven = await get('/api/registry/operator?domain=sales.example');
    expect(proven.json().member).toEqual({
      slug: 'acme',
      display_name: 'Acme',
      is_founding_member: false,
    });
    const document = (await get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, '/api/registry/operator', answer)).toEqual([]);
    expect(breaches(document, '/api/registry/operator', proven)).toEqual([]);
  });

  it.each<[string, 'dns' | 'file' | undefined, string, boolean]>([
    ['https://sales.example:8443/mcp', 'file', 'sales.example', true],
    ['https://sales.example/mcp', undefined, 'sales.example', true],
    ['https://agent.sales.example/mcp', 'dns', 'sales.example', true],
    ['https://agent.sales.example/mcp', 'file', 'sales.example', false],
    ['https://agent.sales.example/mcp', undefined, 'sales.example', false],
    ['https://sales.example/mcp', 'dns', 'agent.sales.example', false],
    ['https://a.github.io/mcp', 'dns', 'github.io', false],
    ['https://192.0.2.1/mcp', 'file', '2.1', false],
  ])('a proof for %s by %s shows whose %s is: %s', (agent, via, domain, isShown) => {
    expect(provesDomain(domain, agent, via)).toBe(isShown);
  });

  it('refuses the cursor of another list', async () => {
    const { get } = await known();
    const { next_cursor: cursor } = (await get(`/v1/agents/${encoded}/publishers?limit=1`)).json();
    const answer = await get(`/v1/agents/${encoded}/publishers?status=revoked&cursor=${cursor}`);
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'cursor_mismatch']);
    expect((await get(`/api/registry/publishers?cursor=${cursor}`)).json().code).toBe('cursor_mismatch');
  });

  it('names what the agent may sell of each publisher, when it is asked to', async () => {
    const { get } = await known();
    const path = `/v1/agents/${encoded}/publishers`;
    const answer = await get(`${path}?include=properties&status=authorized&status=revoked`);
    const ids = answer.json().publishers.map((one: Record<string, unknown>) => one.property_ids);
    expect(ids).toEqual([undefined, ['home'], []]);
    const document = (await get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, '/v1/agents/{encodedUrl}/publishers', answer)).toEqual([]);
    expect((await get(`${path}?include=placements`)).json().parameter).toBe('include');
  });

  it('ends a page with properties when it has read enough, and shows every publisher once', async () => {
    const { records, get } = await openRegistry();
    const long = 'x'.repeat(1_900);
    const identifiers = Array.from({ length: 1_400 }, (_, n) => ({
      type: 'ios_bundle',
      value: `${n}${long}`,
    }));
    const properties = [{ property_id: 'app', property_type: 'mobile_app', name: 'App', identifiers }];
    const domains = Array.from({ length: 9 }, (_, n) => `p${n}.example`);
    for (const domain of domains)
      await publish(records, domain, { authorized_agents: [byId(AGENT, ['app'])], properties });
    const shown: string[] = [];
    const pages: number[] = [];
    for (let next = ''; next !== null; ) {
      const page = (await get(`/v1/agents/${encoded}/publishers?include=properties${next}`)).json();
      for (const one of page.publishers) {
        expect(one).toMatchObject({ property_ids: ['app'] });
        expect(one.property_ids_truncated).toBeUndefined();
      }
      shown.push(...page.publishers.map((one: Record<string, string>) => one.publisher_domain));
      pages.push(page.publishers.length);
      next = page.next_cursor && `&cursor=${page.next_cursor}`;
    }
    expect([shown, pages.length]).toEqual([domains, 2]);
  });

  it('looks up as many publishers of an agent as an answer has room for', async () => {
    const { records, get } = await openRegistry();
    const part = `${'x'.repeat(20)}.`.repeat(3);
    const domains = Array.from({ length: 1_640 }, (_, n) => `p${1_000 + n}.${part}example`);
    const reads: number[] = [];
    records.graph.domainsOf = async (_agent, after, limit) => {
      reads.push(limit);
      return domains.filter((domain) => domain > after).slice(0, limit);
    };
    const answer = await get(`/api/registry/lookup/agent/${encoded}/domains`);
    const { domains: shown, properties, count, domains_truncated } = answer.json();
    expect(shown).toEqual(domains.slice(0, count));
    expect([properties.length, domains_truncated]).toEqual([count, true]);
    const bytes = Buffer.byteLength(answer.body);
    // the next would have stood there twice
    expect([bytes < 256 * 1024, bytes > 249 * 1024, reads.length]).toEqual([true, true, 2]);
  });

  it('has a strong tag, and 304 for it', async () => {
    const { get } = await known();
    const path = `/v1/agents/${encoded}/publishers`;
    const { etag } = (await get(path)).headers;
    expect(etag).toMatch(/^"/);
    expect((await get(path, { 'if-none-match': String(etag) })).statusCode).toBe(304);
  });
});

describe('stale or absent', () => {
  it('has one answer wherever a file is told of, in the same words and members', async () => {
    const { get, records, clock } = await published();
    clock.value = NOW + 13 * 3_600_000;
    const asked = (path: string) => get(`/api/registry/${path}`).then((answer) => answer.json());
    const read = new Date(NOW).toISOString();
    const visit = {
      ...{ what: 'adagents', state: 'stale', last_good_at: read, last_tried_at: read },
      ...{ outcome: 'indexed', why: null, next_at: new Date(NOW + 1).toISOString() },
    };
    expect((await asked('publisher?domain=news.example')).visit).toEqual(visit);
    expect((await asked('lookup/domain/news.example')).visit).toEqual(visit);
    const resolved = (await get('/api/properties/resolve?domain=news.example')).json();
    expect(resolved.visit).toEqual(visit);
    const named = `domain=news.example&agent=${encoded}`;
    expect((await asked(`publisher/authorization?${named}`)).visit).toEqual(visit);
    expect((await asked(`lookup/agent/${encoded}/domains`)).visit).toMatchObject({ state: 'unseen' });
    const { provenance } = await asked(`agents/${encoded}`);
    expect(provenance.authorized_by[0]).toMatchObject(visit);
    expect(provenance.probe).toMatchObject({ what: 'agent', state: 'unseen' });
    const told = await explainDomain(records, 'news.example', 1, clock.value);
    expect(told?.json).toMatchObject({ files: [{ visit }, { visit: { what: 'brand' } }] });
    expect(told?.lines.join('\n')).toContain(`stale: last good ${read}, last tried ${read}: indexed`);
    const unseen = {
      ...{ what: 'brand', state: 'unseen', last_good_at: null, last_tried_at: null },
      ...{ outcome: null, why: null, next_at: null },
    };
    expect((await asked('operator?domain=never.example')).visit).toEqual(unseen);
    for (const path of ['/api/brands/resolve', '/api/brands/brand-json', '/api/properties/resolve'])
      expect((await get(`${path}?domain=never.example`)).json()).toMatchObject({
        ...{ code: 'not_found', visit: { ...unseen, what: path.includes('brands') ? 'brand' : 'adagents' } },
      });
  });
});
