import { describe, expect, it } from 'vitest';
import { resolveBrands } from '../../src/api/operations/graph/resolve-brands.ts';
import { publish, publishFile } from '../contract/records-steps.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry } from './support/registry.ts';

const PROPERTIES = '/api/properties/resolve/bulk';

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
  ['what is no text', { domains: ['a.example', 1] }, { parameter: 'domains[1]' }],
  ['what is no domain', { domains: ['a.example', '__proto__'] }, { parameter: 'domains[1]' }],
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
      'NEWS.example.': { publisher_domain: 'news.example' },
      'never.example': null,
    });
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

const BRANDS = '/api/brands/resolve/bulk';
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
      'alone.example': { relationship_trust: 'standalone', brand_name: 'alone' },
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
