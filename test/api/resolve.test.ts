import { describe, expect, it } from 'vitest';
import { resolveBrands } from '../../src/api/operations/graph/resolve-brands.ts';
import { explainDomain } from '../../src/cli/commands/explain/domain.ts';
import { HOUR, NOW } from '../contract/records-fixtures.ts';
import { publish, publishFile } from '../contract/records-steps.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry } from './support/registry.ts';

const PROPERTIES = '/api/properties/resolve/bulk';
const BRANDS = '/api/brands/resolve/bulk';

async function asked(registry: Awaited<ReturnType<typeof openRegistry>>, url: string, payload: unknown) {
  const { server, get } = registry;
  const headers = { 'content-type': 'application/json' };
  const answer = await server.inject({ method: 'POST', url, headers, payload: JSON.stringify(payload) });
  const document = (await get('/openapi.json')).json<OpenApi>();
  expect(breaches(document, url, answer, 'post')).toEqual([]);
  return answer;
}

const REFUSED: readonly (readonly [string, object, object])[] = [
  ['no object', [], { code: 'bad_request' }],
  ['no list', { domains: 'news.example' }, { parameter: 'domains' }],
  ['another member', { domains: [], fresh: true }, { code: 'unknown_parameter', parameter: 'fresh' }],
  ['what is not a string', { domains: ['a.example', 1] }, { parameter: 'domains[1]' }],
  ['too many', { domains: Array(101).fill('a.example') }, { code: 'too_many_values' }],
];

describe('a list of domains', () => {
  it('is answered under the names that were sent, with null for what nobody knows', async () => {
    const registry = await openRegistry();
    await publish(registry.records, 'news.example', {
      authorized_agents: [{ url: 'https://a.example/mcp' }],
    });
    const domains = ['NEWS.example.', 'never.example', 'news.example'];
    const { results } = (await asked(registry, PROPERTIES, { domains })).json();
    expect(Object.keys(results)).toEqual(domains);
    expect(results).toMatchObject({
      'NEWS.example.': { publisher_domain: 'news.example', visit: { what: 'adagents', state: 'fresh' } },
      'never.example': null,
    });
  });

  it.each([
    ['properties', PROPERTIES, 'news.example'],
    ['brands', BRANDS, 'brand.example'],
  ])('is answered although it has what is no domain, with the reason: %s', async (_name, url, known) => {
    const registry = await openRegistry();
    await publish(registry.records, 'news.example', { authorized_agents: [] });
    const file = { id: 'b', names: [{ en: 'B' }] };
    await publishFile(registry.records, 'brand.example', 'brand', { file });
    const long = 'x'.repeat(1_000);
    const domains = ['https://a.example/', known, '__proto__', '127.0.0.1', long];
    const { results, invalid } = (await asked(registry, url, { domains })).json();
    expect(Object.keys(results).sort()).toEqual(domains.toSorted());
    expect(results[known]).toMatchObject({ visit: { state: 'fresh' } });
    for (const name of domains.filter((one) => one !== known))
      expect([name, Object.getOwnPropertyDescriptor(results, name)?.value]).toEqual([name, null]);
    expect(invalid).toEqual([
      { domain: 'https://a.example/', error: 'use a domain name without scheme, port or path' },
      { domain: '__proto__', error: expect.any(String) },
      { domain: '127.0.0.1', error: 'an IP address is not a domain name' },
      { domain: long.slice(0, 300), error: expect.any(String) },
    ]);
    expect((await asked(registry, url, { domains: [known] })).json()).not.toHaveProperty('invalid');
  });

  it('is refused with the place of what is wrong', async () => {
    const { server } = await openRegistry();
    for (const [name, payload, part] of REFUSED) {
      const answer = await server.inject({ method: 'POST', url: PROPERTIES, payload });
      expect([name, answer.statusCode, answer.json()]).toMatchObject([name, 400, part]);
    }
  });

  it('has room for 256 KiB: the small ones are whole, and the large ones say that they were cut', async () => {
    const registry = await openRegistry();
    const agent = { url: 'https://a.example/mcp', authorized_for: 'Display' };
    const properties = Array.from({ length: 600 }, (_, at) => ({
      property_id: `p${at}`,
      property_type: 'website',
      name: 'n'.repeat(200),
      tags: ['a', 'b', 'c'].map((tag) => tag.repeat(100)),
      identifiers: [{ type: 'domain', value: `p${at}.example` }],
    }));
    await publish(registry.records, 'small.example', { authorized_agents: [agent] });
    for (const domain of ['one.example', 'two.example'])
      await publish(registry.records, domain, { authorized_agents: [agent], properties });
    const domains = ['one.example', 'small.example', 'two.example'];
    const answer = await asked(registry, PROPERTIES, { domains });
    expect(answer.rawPayload.length).toBeLessThan(256 * 1024);
    const { results } = answer.json();
    expect(results).toMatchObject({
      'one.example': { authorized_agents: [{}], properties_truncated: true },
      'small.example': { authorized_agents: [{}], properties: [] },
      'two.example': { authorized_agents: [{}], properties_truncated: true },
    });
    expect(results['small.example']).not.toHaveProperty('properties_truncated');
    expect(results['one.example'].properties.length).toBeGreaterThan(100);
    const alone = await registry.get('/api/properties/resolve?domain=one.example');
    expect(alone.rawPayload.length).toBeLessThan(256 * 1024);
    expect(alone.json().properties.length).toBeGreaterThan(results['one.example'].properties.length);
  });
});

const NOVA = {
  house: { domain: 'nova.example', name: 'Nova' },
  brands: [{ id: 'kids.example', names: [{ de: 'Kinder' }, { en: 'Kids' }] }],
  brand_refs: [
    { domain: 'shoes.example', brand_id: 'shoes' },
    { domain: 'taken.example' },
    { domain: 'later.example', effective_at: '2100-01-01T00:00:00Z' },
  ],
};
const brand = (id: string, more: object = {}) => ({ id, names: [{ en: id }], ...more });

/** Brands that stand in every relationship to a house, and a house that nobody knows. */
async function house() {
  const registry = await openRegistry();
  const put = (key: string, file: object, url?: string) =>
    publishFile(registry.records, key, 'brand', { file, ...(url !== undefined && { url }) });
  const url = 'https://nova.example/.well-known/brand.json';
  await put('nova.example', NOVA);
  const brand_agent = { url: 'https://brand.shoes.example/mcp', id: 'b' };
  await put('shoes.example', brand('shoes', { house_domain: 'nova.example', brand_agent }));
  await put('other.example', brand('shoes', { house_domain: 'nova.example' }));
  await put('later.example', brand('later', { house_domain: 'nova.example' }));
  await put('taken.example', brand('taken'));
  await put('alone.example', brand('alone'));
  await put('lost.example', brand('lost', { house_domain: 'unseen.example' }));
  await put('kids.example', NOVA, url);
  await put('www.nova.example', NOVA, url);
  return registry;
}

const BRAND_ANSWERS: readonly (readonly [string, string, number, object])[] = [
  ['/api/brands/resolve', '?domain=SHOES.example&fresh=false', 200, { brand_name: 'shoes' }],
  ['/api/brands/resolve', '?domain=never.example', 404, { code: 'not_found' }],
  ['/api/brands/resolve', '?domain=shoes.example&fresh=true', 501, { code: 'not_built' }],
  ['/api/brands/resolve', '?domain=shoes.example&fresh=1', 400, { parameter: 'fresh' }],
  ['/api/brands/resolve', '', 400, { parameter: 'domain' }],
  [
    '/api/brands/brand-json',
    '?domain=kids.example',
    200,
    { variant: 'house_portfolio', data: NOVA, url: 'https://nova.example/.well-known/brand.json' },
  ],
  ['/api/brands/brand-json', '?domain=never.example', 404, { code: 'not_found' }],
  ['/api/brands/registry', '?search=ta', 200, { brands: [{ domain: 'taken.example' }], count: 1 }],
  ['/api/brands/registry', '?limit=1&offset=1', 200, { brands: [{ domain: 'kids.example' }] }],
  ['/api/brands/registry', '?limit=101', 400, { parameter: 'limit' }],
];

describe('a brand', () => {
  it('stands to its house as both of them say', async () => {
    const registry = await house();
    const nova = { house_domain: 'nova.example', house_name: 'Nova' };
    const claimed = { claimed_house_domain: 'nova.example' };
    const expected: Record<string, object | null> = {
      'nova.example': { relationship_trust: 'inline', brand_name: 'Nova', ...nova },
      'kids.example': {
        ...{ relationship_trust: 'inline', canonical_id: 'nova.example#kids.example', brand_name: 'Kids' },
        ...nova,
      },
      'shoes.example': {
        ...{ relationship_trust: 'mutual', brand_agent_url: 'https://brand.shoes.example/mcp', ...nova },
      },
      'other.example': { relationship_trust: 'leaf_only', canonical_id: 'other.example', ...claimed },
      'later.example': { relationship_trust: 'leaf_only', ...claimed },
      'www.nova.example': { relationship_trust: 'leaf_only', brand_name: 'www.nova.example', ...claimed },
      'taken.example': { relationship_trust: 'house_only', brand_name: 'taken', ...claimed },
      'alone.example': {
        ...{ relationship_trust: 'standalone', brand_name: 'alone' },
        visit: { what: 'brand', state: 'fresh' },
      },
      'lost.example': { relationship_trust: 'unverifiable', claimed_house_domain: 'unseen.example' },
      'never.example': null,
    };
    const domains = Object.keys(expected);
    const { results } = (await asked(registry, BRANDS, { domains })).json();
    expect(results).toMatchObject(expected);
    for (const name of [
      'other.example',
      'later.example',
      'taken.example',
      'lost.example',
      'www.nova.example',
    ])
      expect(results[name]).not.toHaveProperty('house_domain');
    const listed = (await registry.get('/api/brands/registry')).json();
    expect(listed.brands.map(({ domain }: { domain: string }) => domain)).toEqual(
      domains.filter((name) => name !== 'never.example').sort(),
    );
  });

  it('is explained on the command line as it is resolved', async () => {
    const { records, clock, get } = await house();
    const explained = async (domain: string) =>
      (await explainDomain(records, domain, 5, clock.now()))?.json as { relations: object[] };
    for (const name of ['kids', 'shoes', 'other', 'later', 'www.nova', 'taken', 'alone', 'lost']) {
      const domain = `${name}.example`;
      const told = (await get(`/api/brands/resolve?domain=${domain}`)).json();
      const above = told.house_domain ?? told.claimed_house_domain;
      const expected = above === undefined ? [] : [{ domain: above, relation: told.relationship_trust }];
      expect([domain, (await explained(domain)).relations]).toEqual([domain, expected]);
    }
    expect((await explained('nova.example')).relations).toEqual([
      { domain: 'shoes.example', relation: 'mutual' },
      { domain: 'taken.example', relation: 'house_only' },
      { domain: 'later.example', relation: 'leaf_only' },
    ]);
  });

  it('is answered as the document says', async () => {
    const { get } = await house();
    const document = (await get('/openapi.json')).json<OpenApi>();
    for (const [path, query, status, part] of BRAND_ANSWERS) {
      const answer = await get(path + query);
      expect([path + query, answer.statusCode, answer.json()]).toMatchObject([path + query, status, part]);
      expect(breaches(document, path, answer)).toEqual([]);
    }
  });

  it('whose file has no room in a question says so', async () => {
    const { records, clock } = await house();
    const { brands } = records;
    const files = async (domains: readonly string[]) =>
      (await brands.files(domains, 100_000)).map(({ value, ...file }) =>
        file.url.includes('//nova.') || value === undefined ? file : { ...file, value },
      );
    const cramped = { ...brands, files };
    const parts = { records: { ...records, brands: cramped }, clock, cursorSecret: new Uint8Array() };
    const resolved = await resolveBrands(parts, ['kids.example', 'shoes.example', 'alone.example']);
    expect(Object.fromEntries(resolved)).toMatchObject({
      'kids.example': { brand_name: 'kids.example', truncated: true },
      'shoes.example': { relationship_trust: 'unverifiable', truncated: true },
      'alone.example': { relationship_trust: 'standalone' },
    });
    expect(resolved.get('alone.example')).not.toHaveProperty('truncated');
  });
});

describe('a check of a list of domains', () => {
  const CHECK = '/api/properties/check';

  it('puts each domain into one list, however it is written, and keeps the counts for a week', async () => {
    const registry = await openRegistry();
    const { records, clock, get } = registry;
    await publish(records, 'news.example', { authorized_agents: [{ url: 'https://a.example/mcp' }] });
    await publish(records, 'shop.example', { authorized_agents: [] });
    const domains = [
      ...[
        'news.example',
        'https://www.SHOP.example:443/a?b',
        'never.example',
        'NEWS.example',
        ' m.never.example',
      ],
      ...['co.uk', '', '10.0.0.1', `${'a'.repeat(400)}.example`, 'sub.www.news.example'],
    ];
    const { report_id, ...found } = (await asked(registry, CHECK, { domains })).json();
    expect(found).toMatchObject({
      summary: { total: 10, ok: 1, modify: 1, assess: 2, remove: 6 },
      ok: [{ domain: 'news.example', source: 'adagents_json' }],
      modify: [{ input: domains[1], canonical: 'shop.example', status: 'ok' }],
      assess: [{ domain: 'never.example' }, { domain: 'sub.www.news.example' }],
    });
    expect(found.remove.map(({ reason, canonical }: Record<string, string>) => [reason, canonical])).toEqual([
      ...[
        ['duplicate', 'news.example'],
        ['duplicate', 'never.example'],
        ['blocked', 'co.uk'],
      ],
      ...[
        ['blocked', ''],
        ['blocked', '10.0.0.1'],
        ['blocked', 'a'.repeat(300)],
      ],
    ]);
    const report = await get(`${CHECK}/${report_id}`);
    expect(report.json()).toMatchObject({ summary: found.summary });
    const document = (await get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, `${CHECK}/{reportId}`, report)).toEqual([]);
    expect((await get(`${CHECK}/${report_id}A`)).statusCode).toBe(404);
    clock.value += 7 * 24 * 3_600_000;
    expect((await get(`${CHECK}/${report_id}`)).statusCode).toBe(404);
  });

  it('counts ten thousand, and cuts what has no room', async () => {
    const registry = await openRegistry([], { answerWithinMs: 60_000 });
    const domains = Array.from({ length: 10_000 }, (_, at) => `${at}.${'a'.repeat(60)}.example`);
    const answer = await asked(registry, CHECK, { domains });
    expect(answer.json()).toMatchObject({ summary: { total: 10_000, assess: 10_000 }, ok: [] });
    const long = domains.map((domain) => `${'b'.repeat(60)}.${'c'.repeat(8)}.${domain}`);
    const tooLong = await registry.server.inject({ method: 'POST', url: CHECK, payload: { domains: long } });
    expect([tooLong.statusCode, tooLong.json().code]).toEqual([413, 'body_too_large']);
    const written = domains.map((domain) => domain.toUpperCase());
    const cut = (await asked(registry, CHECK, { domains: written })).json();
    expect(cut).toMatchObject({ summary: { modify: 10_000 }, modify_truncated: true });
  });

  it('is refused with the place of what is wrong', async () => {
    const { server } = await openRegistry();
    for (const [name, payload, code] of [
      ['no object', [], 'bad_request'],
      ['no list', { domains: {} }, 'invalid_value'],
      ['no texts', { domains: ['a.example', 1] }, 'invalid_value'],
      ['another member', { domains: [], deep: true }, 'unknown_parameter'],
      ['too many', { domains: Array(10_001).fill('a') }, 'too_many_values'],
    ] as const) {
      const answer = await server.inject({ method: 'POST', url: CHECK, payload });
      expect([name, answer.statusCode, answer.json().code]).toEqual([name, 400, code]);
    }
  });
});

describe('a check of identifiers without their types', () => {
  const CHECK = '/api/properties/check/bulk';
  const properties = [
    {
      ...{ property_id: 'app', property_type: 'mobile_app', name: 'App' },
      identifiers: [
        { type: 'ios_bundle', value: 'com.news.app' },
        { type: 'roku_store_id', value: '4711' },
      ],
    },
    {
      ...{ property_id: 'site', property_type: 'website', name: 'Site' },
      identifiers: [{ type: 'domain', value: 'listed.example' }],
    },
  ];

  it('takes each for what a publisher lists it as, and else for what it looks like', async () => {
    const registry = await openRegistry();
    const { records, clock, get } = registry;
    await publish(records, 'news.example', {
      authorized_agents: [{ url: 'https://a.example/mcp' }],
      properties,
    });
    const table = [
      ['https://www.News.example/a', 'domain', 'news.example', 'ready'],
      ['sub.news.example', 'domain', 'sub.news.example', 'ready'],
      ['listed.example', 'domain', 'listed.example', 'known'],
      ['never.example', 'domain', 'never.example', 'unknown'],
      ['com.news.app', 'ios_bundle', 'com.news.app', 'ready'],
      ['com.other.app', 'android_package', 'com.other.app', 'unknown'],
      ['android_package:com.news.app', 'android_package', 'com.news.app', 'unknown'],
      ['IOS_BUNDLE: com.news.app ', 'ios_bundle', 'com.news.app', 'ready'],
      ['4711', 'roku_store_id', '4711', 'ready'],
      ['4712', 'apple_app_store_id', '4712', 'unknown'],
      ['B00ABCDEFG', 'fire_tv_asin', 'B00ABCDEFG', 'unknown'],
      ['domain:news.example', 'domain', 'news.example', 'ready'],
    ] as const;
    const skipped = ['', '  ', '# a comment', 'co.uk', 'words', '10.0.0.1', 'ios_bundle:', '1'.repeat(2_001)];
    const identifiers = [...table.map(([text]) => text), ...skipped];
    const { report_id, ...found } = (await asked(registry, CHECK, { identifiers })).json();
    const rows = found.entries.map(
      (entry: { input: string; verdict: string; identifier: Record<string, string> }) => [
        ...[entry.input, entry.identifier.type, entry.identifier.value, entry.verdict],
      ],
    );
    expect(rows).toEqual(table);
    const summary = { total: 20, ready: 6, known: 1, ad_infra: 0, unknown: 5, skipped: 8 };
    expect(found.summary).toEqual(summary);
    expect(found.entries[0].property_rid).toBe(found.entries[11].property_rid);
    const report = await get(`${CHECK}/${report_id}`);
    expect(report.json()).toMatchObject({ summary, entries: [] });
    const document = (await get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, `${CHECK}/{reportId}`, report)).toEqual([]);
    expect((await get(`/api/properties/check/${report_id}`)).statusCode).toBe(404);
    clock.value += 7 * 24 * 3_600_000;
    expect((await get(`${CHECK}/${report_id}`)).statusCode).toBe(404);
  });

  it('counts ten thousand, and cuts what has no room', async () => {
    const registry = await openRegistry([], { answerWithinMs: 60_000 });
    const identifiers = Array.from({ length: 10_000 }, (_, at) => `com.${'a'.repeat(60)}.a${at}`);
    const answer = await asked(registry, CHECK, { identifiers });
    expect(answer.json()).toMatchObject({
      summary: { total: 10_000, unknown: 10_000 },
      entries_truncated: true,
    });
    expect(answer.rawPayload.length).toBeLessThanOrEqual(2 * 1024 * 1024);
  });

  it('is refused with the place of what is wrong', async () => {
    const { server } = await openRegistry();
    for (const [payload, code] of [
      [[], 'bad_request'],
      [{ domains: [] }, 'unknown_parameter'],
      [{ identifiers: [{ type: 'domain' }] }, 'invalid_value'],
      [{ identifiers: Array(10_001).fill('a') }, 'too_many_values'],
    ] as const) {
      const answer = await server.inject({ method: 'POST', url: CHECK, payload });
      expect([answer.statusCode, answer.json().code]).toEqual([400, code]);
    }
  });
});

describe('a search for brands', () => {
  it('finds brands and publishers, with words written apart, and where a manifest stands', async () => {
    const { records, get } = await openRegistry();
    const house = {
      house: { domain: 'nova-house.example', name: 'Nova' },
      brand_agent: { url: 'https://b.example/mcp' },
      brands: [{ id: 'tea', names: [{ en: 'The Old Kettle' }] }],
    };
    await publishFile(records, 'nova-house.example', 'brand', { file: house });
    await publishFile(records, 'novak.example', 'brand', { file: { id: 'n', names: [{ en: 'Novak' }] } });
    const properties = [
      {
        ...{ property_id: 'home', property_type: 'website', name: 'Home' },
        identifiers: [{ type: 'domain', value: 'novahouse.example' }],
      },
    ];
    await publish(records, 'novahouse.example', { authorized_agents: [], properties });
    const document = (await get('/openapi.json')).json<OpenApi>();
    const ask = async (path: string, query: string) => {
      const answer = await get(`${path}?${query}`);
      expect([query, breaches(document, path, answer)]).toEqual([query, []]);
      return answer.json();
    };
    expect(await ask('/api/search', 'q=Nova+House')).toMatchObject({
      brands: [{ domain: 'nova-house.example', keller_type: 'master' }],
      publishers: [{ domain: 'novahouse.example', agent_count: 0 }],
      properties: [{ publisher_domain: 'novahouse.example', property_count: 1 }],
    });
    const found = await ask('/api/brands/find', 'q=nova');
    expect(found.results.map(({ domain }: { domain: string }) => domain)).toEqual([
      ...['nova-house.example', 'novak.example'],
    ]);
    expect((await ask('/api/brands/find', 'q=nova&limit=1')).results).toHaveLength(1);
    expect(await ask('/api/brands/find', 'q=kettle+old')).toEqual({
      results: [
        {
          ...{ domain: 'nova-house.example', canonical_domain: 'nova-house.example', source: 'brand_json' },
          ...{ house_domain: 'nova-house.example', brand_agent_url: 'https://b.example/mcp' },
          ...{ brand_name: 'The Old Kettle', parent_brand: 'Nova', keller_type: 'sub_brand' },
        },
      ],
    });
    expect(await ask('/api/brands/find', 'q=kettle+nova')).toEqual({ results: [] });
    expect(await ask('/api/search', 'q=%F0%9F%91%91%E2%80%AE%25_')).toEqual({
      brands: [],
      publishers: [],
      properties: [],
    });
    const REFERENCE = '/api/manifest-refs/lookup';
    expect(await ask(REFERENCE, 'domain=NOVAK.example')).toMatchObject({
      reference: { reference_type: 'url', agent_url: null, verification_status: 'valid' },
    });
    expect(await ask(REFERENCE, 'domain=never.example')).toEqual({ success: false, found: false });
    expect(await ask(REFERENCE, 'domain=novak.example&type=agent')).toEqual({ success: false, found: false });
    for (const [path, query, parameter] of [
      ['/api/search', 'q=a', 'q'],
      ['/api/search', '', 'q'],
      ['/api/search', `q=${'a'.repeat(254)}`, 'q'],
      ['/api/search', `q=${Array.from({ length: 33 }, (_, at) => at).join('+')}`, 'q'],
      ['/api/brands/find', 'q=ab&limit=51', 'limit'],
      [REFERENCE, 'domain=ab', 'domain'],
      [REFERENCE, 'domain=a.example&type=mirror', 'type'],
    ] as const)
      expect(await ask(path, query)).toMatchObject({ status: 400, parameter });
  });
});

it('tells the versions of a file, the newest first, and which says what an earlier one said', async () => {
  const { records, get, clock } = await openRegistry();
  clock.value = NOW + 10 * HOUR;
  const versions = [1, 2, 1].map((count) => ({
    authorized_agents: Array.from({ length: count }, (_, at) => ({
      url: `https://a${at}.example/mcp`,
      authorized_for: 'all',
    })),
  }));
  for (const [at, file] of versions.entries()) await publish(records, 'news.example', file, NOW + at * HOUR);
  const document = (await get('/openapi.json')).json<OpenApi>();
  const path = '/api/properties/history';
  const ask = async (query: string) => {
    const answer = await get(`${path}?${query}`);
    expect([query, breaches(document, path, answer)]).toEqual([query, []]);
    return answer.json();
  };
  expect(await ask('domain=news.example')).toMatchObject({
    total: 3,
    revisions: [
      {
        ...{ revision_number: 3, is_rollback: true, rolled_back_to: 1 },
        edit_summary: expect.stringMatching(/^1 agent authorized, 0 properties in the catalog, /),
      },
      {
        revision_number: 2,
        is_rollback: false,
        edit_summary: expect.stringMatching(/^2 agents authorized, /),
      },
      { revision_number: 1, editor_name: 'news.example', created_at: new Date(NOW).toISOString() },
    ],
  });
  expect(await ask('domain=news.example&limit=1&offset=1')).toMatchObject({
    total: 3,
    revisions: [{ revision_number: 2 }],
  });
  expect((await ask('domain=news.example&offset=3')).revisions).toEqual([]);
  expect(await ask('domain=never.example')).toMatchObject({ status: 404 });
  expect(await ask('domain=news.example&offset=1001')).toMatchObject({ status: 400, parameter: 'offset' });
  expect((await get('/api/brands/history?domain=news.example')).statusCode).toBe(404);
});

it('resolves identifiers of sites by the files that speak for them, and others by who lists them', async () => {
  const registry = await openRegistry();
  const ids = [
    { type: 'domain', value: 'victim.example' },
    { type: 'ios_bundle', value: 'example.app' },
  ];
  const properties = [{ property_id: 'app', property_type: 'mobile_app', name: 'App', identifiers: ids }];
  await publish(registry.records, 'news.example', { authorized_agents: [], properties });
  const identifiers = [
    ...[
      { type: 'domain', value: 'NEWS.example.' },
      { type: 'subdomain', value: 'blog.news.example' },
    ],
    ...[
      { type: 'domain', value: 'victim.example' },
      { type: 'domain', value: 'no domain' },
    ],
    ...[
      { type: 'ios_bundle', value: 'example.app' },
      { type: 'ios_bundle', value: 'news.example' },
    ],
  ];
  const found = (
    await asked(registry, '/api/registry/resolve', {
      identifiers,
      mode: 'resolve',
      provenance: { type: 'deal_history' },
    })
  ).json();
  expect(found.summary).toEqual({ total: 6, resolved: 3, created: 0, excluded: 1, not_found: 2 });
  expect(
    found.resolved.map(({ identifier, status }: Record<string, unknown>) => [identifier, status]),
  ).toEqual([
    ...[
      [identifiers[0], 'existing'],
      [identifiers[1], 'existing'],
      [identifiers[3], 'excluded'],
    ],
    [identifiers[4], 'existing'],
  ]);
  for (const [payload, parameter] of [
    [{ identifiers: [{ type: 'domain' }] }, 'identifiers[0]'],
    [{ identifiers: [{ type: 'domain', value: 'a'.repeat(2_001) }] }, 'identifiers[0]'],
    [{ identifiers: Array(10_001).fill({}) }, 'identifiers'],
    [{ identifiers: [], mode: 'create' }, 'mode'],
    [{ identifiers: [], mode: { toString: 1 } }, 'mode'],
    [{ identifiers: [], provenance: 'me' }, 'provenance'],
    [{ identifiers: [], deep: 1 }, 'deep'],
  ] as const)
    expect((await asked(registry, '/api/registry/resolve', payload)).json()).toMatchObject({
      status: 400,
      parameter,
    });
});
