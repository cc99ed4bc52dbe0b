import { describe, expect, it } from 'vitest';
import { NOW } from '../contract/records-fixtures.ts';
import { publish } from '../contract/records-steps.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry, sharedRegistry, type TestRegistry } from './support/registry.ts';

const AGENT = 'https://sales.example/mcp';
const VALIDATE = '/api/registry/validate/product-authorization';
const EXPAND = '/api/registry/expand/product-identifiers';
const site = (id: string, value: string, tags: readonly string[] = []): object => ({
  property_id: id,
  property_type: 'website',
  name: id,
  identifiers: [{ type: 'domain', value }],
  tags,
});

/** `news.example` lists its own site, that of a stranger, and one that the agent may not sell. */
async function published(): Promise<TestRegistry> {
  const registry = await openRegistry();
  registry.clock.value = NOW + 1;
  const properties = [
    site('home', 'news.example', ['front']),
    site('strange', 'shop.example', ['front']),
    site('blog', 'blog.news.example'),
  ];
  const entry = { url: AGENT, authorized_for: 'Display', authorization_type: 'property_ids' };
  await publish(registry.records, 'news.example', {
    authorized_agents: [{ ...entry, property_ids: ['home', 'strange'], countries: ['DE'] }],
    properties,
  });
  await publish(registry.records, 'bare.example', {
    authorized_agents: [{ url: AGENT, authorized_for: 'all' }],
  });
  return registry;
}

const known = sharedRegistry(published);

const asked = (publisher_properties: unknown, more: object = {}): object => ({
  agent_url: AGENT,
  publisher_properties,
  ...more,
});
const news = (more: object = {}): object => ({ publisher_domain: 'news.example', ...more });

async function post({ server, get }: TestRegistry, url: string, payload: unknown) {
  const answer = await server.inject({ method: 'POST', url, payload: payload as object });
  const document = (await get('/openapi.json')).json<OpenApi>();
  expect(breaches(document, url, answer, 'post')).toEqual([]);
  return answer;
}

describe('may this agent sell this product', () => {
  it.each<[string, object, object]>([
    [
      'all of a publisher, of which it may sell two of three',
      asked([news()]),
      {
        authorized: false,
        coverage_percentage: 66,
        total_requested: 3,
        total_authorized: 2,
        selectors: [{ selection_type: 'all', unauthorized_items: ['blog'], source: 'adagents_json' }],
        because: [{ code: 'other_property' }],
      },
    ],
    [
      'some, by id',
      asked([news({ selection_type: 'by_id', property_ids: ['home', 'home'] })]),
      { authorized: true, coverage_percentage: 100, total_requested: 1 },
    ],
    ['some, by tag', asked([news({ tags: ['front'] })]), { authorized: true, total_authorized: 2 }],
    [
      'none of that tag',
      asked([news({ property_tags: ['frnt'] })]),
      {
        authorized: false,
        total_requested: 0,
        because: [
          {
            code: 'no_such_property',
            file: 'https://news.example/.well-known/adagents.json',
            rule: 'the file lists no property with the tag frnt; the nearest is front',
          },
        ],
      },
    ],
    [
      'none of two tags and a type',
      asked([news({ property_tags: ['a', 'b'], property_types: ['podcast'] })]),
      {
        authorized: false,
        because: [{ rule: 'the file lists no property with one of the tags a, b and the type podcast' }],
      },
    ],
    [
      'by a tag, of a publisher that nobody knows',
      asked([{ publisher_domain: 'never.example', property_tags: ['front'] }]),
      { authorized: false, total_requested: 0, because: [{ code: 'unknown_publisher' }] },
    ],
    [
      'none of that type, although the id is right',
      asked([news({ property_ids: ['home'], property_types: ['mobile_app'] })]),
      { authorized: false, selectors: [{ unauthorized_items: ['home'] }] },
    ],
    [
      'an id that nobody listed',
      asked([news({ property_ids: ['no'] })]),
      { authorized: false, total_requested: 1 },
    ],
    [
      'not elsewhere',
      asked([news({ property_ids: ['home'] })], { country: 'fr' }),
      { authorized: false, country: 'FR', because: [{ code: 'country' }] },
    ],
    [
      'the inventory of one that lists none',
      asked([{ publisher_domains: ['bare.example'] }]),
      { authorized: true, total_requested: 1 },
    ],
    [
      'not of two when one is unknown',
      asked([{ publisher_domains: ['bare.example', 'never.example'] }]),
      { authorized: false, selectors: [{ authorized_count: 1 }, { authorized_count: 0, source: 'none' }] },
    ],
    [
      'not before there was a file',
      asked([news({ property_ids: ['home'] })], { at: '2001-01-01' }),
      {
        authorized: false,
        at: '2001-01-01T00:00:00.000Z',
        because: [{ code: 'no_file' }],
      },
    ],
    [
      'what the file of the moment says',
      asked([news({ property_ids: ['home', 'blog'] })], { at: new Date(NOW).toISOString() }),
      { total_authorized: 1, selectors: [{ unauthorized_items: ['blog'] }] },
    ],
    [
      'all of it in ten years',
      asked([news({ tags: ['front'] })], { at: '2036-01-01T00:00:00+01:00' }),
      { authorized: true, at: '2035-12-31T23:00:00.000Z', total_authorized: 2 },
    ],
  ])('%s', async (_name, question, part) => {
    const answer = await post(await known(), VALIDATE, question);
    expect([answer.statusCode, answer.json()]).toMatchObject([200, part]);
  });

  it.each([
    ['now', {}],
    ['in the past', { at: new Date(NOW).toISOString() }],
  ])('reads long properties again and again only as far as the effort reaches, %s', async (_name, more) => {
    const registry = await published();
    const long = Array.from({ length: 600 }, (_, n) => ({
      type: 'domain',
      value: `${n}.${`${'x'.repeat(60)}.`.repeat(3)}long.example`,
    }));
    const properties = Array.from({ length: 10 }, (_, n) => ({
      ...site(`p${n}`, 'long.example'),
      identifiers: long,
    }));
    const home = site('home', 'long.example');
    const authorized_agents = [{ url: AGENT, authorized_for: 'all' }];
    const file = { authorized_agents, properties: [...properties, home] };
    await publish(registry.records, 'long.example', file);
    const ids = ['home', ...properties.map((_, n) => `p${n}`)];
    const many = asked(Array(40).fill({ publisher_domain: 'long.example', property_ids: ids }), more);
    const answer = (await post(registry, VALIDATE, many)).json();
    const counts = answer.selectors.map((one: { authorized_count: number }) => one.authorized_count);
    expect([answer.truncated, answer.authorized, counts[0], counts[39]]).toEqual([true, false, 11, 0]);
    // of the others nothing is read
    const one = asked(Array(40).fill({ publisher_domain: 'long.example', property_ids: ['home'] }));
    expect((await post(registry, VALIDATE, one)).json()).toMatchObject({
      authorized: true,
      total_authorized: 40,
    });
  });

  it.each<[string, unknown, string]>([
    ['no publisher', asked([{}]), 'publisher_properties[0].publisher_domain'],
    ['no selector', asked([]), 'publisher_properties'],
    ['an empty list of ids', asked([news({ property_ids: [] })]), 'publisher_properties[0].property_ids'],
    ['ids that are no text', asked([news({ property_ids: [1] })]), 'publisher_properties[0].property_ids'],
    [
      'ids that are missing',
      asked([news({ selection_type: 'by_id' })]),
      'publisher_properties[0].property_ids',
    ],
    ['another limit', asked([news({ countries: ['DE'] })]), 'publisher_properties[0].countries'],
    ['no moment', asked([news()], { at: 'soon' }), 'at'],
    ['a moment that is not a string', asked([news()], { at: 7 }), 'at'],
    ['a moment of a year with five digits', asked([news()], { at: '9999-12-31T23:59:59-12:00' }), 'at'],
    [
      'a URL for a domain',
      asked([news({ publisher_domain: 'https://a.example' })]),
      'publisher_properties[0].publisher_domain',
    ],
    ['no agent', { publisher_properties: [news()] }, 'agent_url'],
    ['many publishers', asked(Array(101).fill(news())), 'publisher_properties'],
  ])('refuses %s', async (_name, question, parameter) => {
    const registry = await known();
    for (const url of [VALIDATE, EXPAND]) {
      const answer = await post(registry, url, question);
      expect([answer.statusCode, answer.json().parameter]).toEqual([400, parameter]);
    }
  });
});

describe('the identifiers of a product', () => {
  it('are those that the agent may sell, and none of a stranger’s site', async () => {
    const registry = await known();
    const answer = await post(registry, EXPAND, asked([news(), { publisher_domain: 'bare.example' }]));
    const identifiers = answer.json().identifiers as { type: string; value: string }[];
    expect(answer.json()).toMatchObject({
      identifiers: [{ value: 'news.example', property_id: 'home' }, { value: 'bare.example' }],
      properties: [{ property_id: 'home', property_type: 'website' }],
      property_count: 1,
      identifier_count: 2,
    });
    for (const { type, value } of identifiers) {
      const query = `agent_url=${encodeURIComponent(AGENT)}&identifier_type=${type}&identifier_value=${value}`;
      const said = await registry.get(`/api/registry/validate/property-authorization?${query}`);
      expect(said.json().authorized).toBe(true);
    }
  });
});
