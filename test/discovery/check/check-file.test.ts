import { describe, expect, it } from 'vitest';
import { checkBytes, type FileCheck } from '../../../src/discovery/check-file.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const check = (text: string | Uint8Array, kind: 'adagents' | 'brand' = 'adagents'): FileCheck =>
  checkBytes(typeof text === 'string' ? Buffer.from(text) : text, { kind, now: NOW });
const errors = ({ findings }: FileCheck) => findings.filter(({ severity }) => severity === 'error');

/** A comment, three misspelt names, two commas, quotes, a lower-case country, a date, one text for a list, a URL for a domain, http. */
const MISTAKEN = `{ "$schema": "https://schemas.example/3.1/adagents.json", "last_updated": "2026-01-31T09:00:00Z",
  // our agents
  "authorised_agents": [
    {
      "url": "https://sales.example/mcp",
      "authorized_for": 'display',
      "authorization_type": "propertyIds",
      "property_ids": ["site",],
      "countries": ["de", "AT"]
      "effective_until": "2027-01-01"
    },
    {
      "url": "http://other.example/mcp",
      "authorized_for": "video",
      "authorization_type": "property_tags",
      "property_tags": "sport"
    }
  ],
  "properties": [
    {
      "property_id": "site",
      "property_type": "Website",
      "name": "News",
      "identifiers": [{"type": "domain", "value": "https://news.example/"}],
      "tags": ["sport"]
    }
  ]
}
`;

describe('a file with typical mistakes', () => {
  it('becomes right in two rounds: what is certain by --fix, the rest by hand', () => {
    const first = check(MISTAKEN);
    expect(first.valid).toBe(false);
    const second = check(first.fixed ?? '');
    expect(second.findings.map(({ code, didYouMean }) => [code, didYouMean])).toEqual([
      ['url_not_https', 'https://other.example/mcp'],
    ]);
    const byHand = (first.fixed ?? '').replace('http://', 'https://');
    expect(check(byHand)).toMatchObject({ valid: true, findings: [], agents: { length: 2 } });
  });

  it('tells in one run what a second one would: each mistake has its line', () => {
    const lines = check(MISTAKEN).findings.map(({ line }) => line);
    for (const line of [2, 3, 6, 7, 8, 9, 10, 13, 16, 22, 24]) expect(lines).toContain(line);
  });

  it('keeps its layout', () => {
    const { fixed = '' } = check(MISTAKEN);
    const changed = fixed.split('\n').filter((line) => !MISTAKEN.split('\n').includes(line));
    expect(changed.map((line) => line.trim())).toEqual([
      '"authorized_agents": [',
      '"authorized_for": "display",',
      '"authorization_type": "property_ids",',
      '"property_ids": ["site"],',
      '"countries": ["DE", "AT"],',
      '"effective_until": "2027-01-01T00:00:00Z"',
      '"property_tags": ["sport"]',
      '"property_type": "website",',
      '"identifiers": [{"type": "domain", "value": "news.example"}],',
    ]);
  });
});

describe('a fix', () => {
  const entry = (more: object) => ({
    url: 'https://a.example/',
    authorized_for: 'all',
    authorization_type: 'property_ids',
    property_ids: ['site'],
    ...more,
  });
  const file = (more: object, top: object = {}) =>
    JSON.stringify({
      authorized_agents: [entry(more)],
      properties: [
        {
          property_id: 'site',
          property_type: 'website',
          name: 'Site',
          identifiers: [{ type: 'domain', value: 'news.example' }],
        },
      ],
      ...top,
    });

  it.each([
    ['another scheme, which is another agent', file({ url: 'http://a.example/' })],
    ['an id that is near another', file({ property_ids: ['sites'] })],
    ['a type that two members go with', file({ authorization_type: 'property', property_tags: ['x'] })],
    ['a type that may end the authorisation', file({ authorization_type: 'none' })],
    ['a limit that stands there already', file({ country: ['DE'], countries: ['FR'] })],
    ['two members that are meant as one limit', file({ country: ['DE'], countires: ['FR'] })],
    ['two lists', file({}).replace('"authorized_agents":', '"authorised_agents":[],"authorizedAgents":')],
    ['a limit that takes away', file({ excluded_countries: ['FR'] })],
    ['a limit that is turned round', file({ '!countries': ['FR'] })],
    ['a type that takes away', file({ authorization_type: 'no_property_ids' })],
    ['an entry that says it has ended', file({ status: 'ended' })],
    [
      'a misspelt companion of another type',
      file({ authorization_type: 'property_tags', property_ids: undefined, property_id: ['site'] }),
    ],
    ['an entry without a type', file({ authorization_type: undefined, property_ids: undefined })],
    ['a limit in words', file({ exclusive: 'no' })],
    ['a country by its name', file({ countries: ['Germany'] })],
    ['a time without a zone', file({ effective_until: '2027-01-01T00:00:00' })],
    ['a file that is cut off', file({}).slice(0, 70)],
    ['a private key', file({ signing_keys: [{ kid: 'k', kty: 'OKP', d: 'x' }] })],
  ])('is never a guess about who may sell what: %s', (_name, text) => {
    const checked = check(text);
    expect(checked.findings.length).toBeGreaterThan(0);
    expect(checked.fixed).toBe(undefined);
  });

  it('gives what an object cannot do without its name', () => {
    const text = file({ property_ids: undefined, property_id: 'site' }).replace('authorized_', 'autorized_');
    expect(check(check(text).fixed ?? '').summary.publishers[0]?.sellers).toMatchObject([
      { agent: 'https://a.example/', sells: '1 website' },
    ]);
  });

  it('never widens: a broken limit is repaired to what it says, or its entry authorises nothing', () => {
    for (const broken of [{ countries: 'de' }, { countries: ['de'] }, { placement_ids: 'home' }]) {
      const { fixed = '' } = check(file(broken));
      const [seller] = check(fixed).summary.publishers[0]?.sellers ?? [];
      expect(Object.values(seller?.limits ?? {})).toEqual([['countries' in broken ? 'DE' : 'home']]);
    }
  });

  it('of an encoding is certain for UTF-16 and for a byte order mark only', () => {
    const text = file({});
    expect(check(Buffer.from(`\ufeff${text}`)).fixed).toBe(text);
    expect(check(Buffer.from(`\ufeff${text}`, 'utf16le'))).toMatchObject({
      valid: false,
      fixed: text.trim() && expect.stringContaining(text),
    });
    const latin = check(Buffer.from(text.replace('Site', 'Sîte'), 'latin1'));
    expect(latin).toMatchObject({ valid: false, agents: ['https://a.example/'] });
    expect(latin.fixed).toBe(undefined);
  });

  it('is made in one round behind a URL that cannot be read', () => {
    const more = { url: ' https://a.example/', country: 'de', valid_until: '2027-01-01' };
    const repaired = check(check(file(more)).fixed ?? '');
    expect(repaired.fixed).toBe(undefined);
    const [seller] = repaired.summary.publishers[0]?.sellers ?? [];
    expect(seller?.limits).toEqual({ countries: ['DE'], effectiveUntil: Date.UTC(2027, 0, 1) });
  });

  it('of several things in one place is one', () => {
    expect(check(file({}).replace('"website"', "'Web_Site'")).fixed).toBe(file({}));
  });
});

it('the summary says who may sell what, as a strict reader reads it', () => {
  const { summary } = check(
    JSON.stringify({
      authorized_agents: [
        { url: 'https://a.example/', authorized_for: 'all' },
        {
          url: 'https://b.example/',
          authorized_for: 'video',
          authorization_type: 'publisher_properties',
          publisher_properties: [{ publisher_domain: 'other.example', selection_type: 'all' }],
        },
        {
          url: 'https://c.example/',
          authorized_for: 'past',
          authorization_type: 'inline_properties',
          properties: [
            { property_type: 'website', name: 'x', identifiers: [{ type: 'domain', value: 'x.example' }] },
          ],
          effective_until: '2026-01-01T00:00:00Z',
        },
        { url: 'https://d.example/', authorized_for: 'none', authorization_type: 'none' },
      ],
    }),
  );
  expect(summary).toMatchObject({
    publishers: [
      {
        publisher: null,
        sellers: [
          {
            agent: 'https://a.example/',
            sells: 'the whole inventory',
            lenient: expect.stringContaining('authorization_type'),
          },
        ],
      },
      {
        publisher: 'other.example',
        sellers: [
          { agent: 'https://a.example/' },
          { agent: 'https://b.example/', entry: '/authorized_agents/1' },
        ],
      },
    ],
    outOfTime: [{ agent: 'https://c.example/' }],
    withoutEffect: ['/authorized_agents/3'],
  });
});

it.each<[string, object, string | undefined]>([
  ['everything', {}, 'all listed properties: 1 website'],
  ['an id', { selection_type: 'by_id', property_ids: ['home'] }, '1 website'],
  ['an id of nothing', { selection_type: 'by_id', property_ids: ['no'] }, undefined],
  ['a tag of nothing', { selection_type: 'by_tag', property_tags: ['no'] }, undefined],
  [
    'an id of another publisher’s file',
    { selection_type: 'by_id', property_ids: ['no'], publisher_domain: 'other.example' },
    'listed properties that match the ids or tags of the selector',
  ],
])('the summary has the words of the rules for a selector of %s', (_name, selector, words) => {
  const own = { publisher_domain: 'own.example', selection_type: 'all', ...selector };
  const home = {
    property_id: 'home',
    property_type: 'website',
    name: 'x',
    identifiers: [{ type: 'domain', value: 'own.example' }],
  };
  const entry = {
    url: 'https://a.example/',
    authorized_for: 'x',
    authorization_type: 'publisher_properties',
  };
  const { summary } = check(
    JSON.stringify({
      publisher: { domain: 'own.example' },
      authorized_agents: [{ ...entry, publisher_properties: [own] }],
      properties: [home],
    }),
  );
  const told = summary.publishers.flatMap(({ sellers }) => sellers.map(({ sells }) => sells));
  expect(told).toEqual(words === undefined ? [] : [words]);
  expect(summary.withoutEffect).toEqual(words === undefined ? ['/authorized_agents/0'] : []);
});

it('findings and their texts are bounded whatever the file holds', () => {
  const many = `{"authorised_agents": [${'{"url": "http://a.example/", "countrys": ["de"], "x": [1,]},'.repeat(2_000)}]}`;
  const checked = check(many);
  expect(errors(checked).length).toBeGreaterThan(0);
  expect(checked.findings.length).toBeLessThanOrEqual(403);
  expect(checked.findings.find(({ code }) => code === 'too_many_findings')).toBeDefined();
  expect(JSON.stringify(checked.findings).length).toBeLessThan(500_000);
});

describe('a misspelt limit', () => {
  it('has what may have been meant as a part of its own', () => {
    const file = MISTAKEN.replace('"countries"', '"countires"');
    const found = check(file).findings.find(({ pointer }) => pointer.endsWith('/countires'));
    expect(found).toMatchObject({
      code: 'member_misspelt',
      didYouMean: 'countries',
      fix: { title: 'write "countries"' },
    });
  });
});
