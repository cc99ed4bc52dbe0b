import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAdagents } from '../../src/discovery/read-adagents.ts';
import { readBrand } from '../../src/discovery/read-brand.ts';
import { GOOD_ADAGENTS } from './fixtures/adagents.ts';
import { GOOD_BRAND } from './fixtures/brand.ts';
import { bytesOf, type Fixture } from './fixtures/fixture.ts';

const read = (file: object) => readAdagents(bytesOf(file));
const signal = (url: string): object => ({
  url,
  authorized_for: 'x',
  authorization_type: 'signal_ids',
  signal_ids: ['s'],
});
const property = (id: number): object => ({
  property_id: `p${id}`,
  property_type: 'website',
  name: 'x',
  identifiers: [{ type: 'domain', value: `s${id}.example` }],
});
const codes = (findings: readonly { code: string; message: string }[]): string[] =>
  findings.map(
    ({ code, message }) => `${code} ${/(\d+ read, )?\d+ (left out|more.*)$/.exec(message)?.[0] ?? ''}`,
  );

describe('the normal form', () => {
  test('an entry keeps its declared URL byte for byte beside the canonical one', () => {
    const { declaration } = read({
      agents: [
        { url: 'HTTPS://Sales.Example:443/MCP/#top', protocol: 'mcp', capabilities: ['get_products'] },
      ],
    });
    expect(declaration?.entries).toEqual([
      {
        pointer: '/agents/0',
        url: 'HTTPS://Sales.Example:443/MCP/#top',
        agent: 'https://sales.example/MCP',
        scope: { type: 'all' },
        limits: {},
        signingKeys: [],
        claimedProtocol: 'mcp',
        claimedCapabilities: ['get_products'],
      },
    ]);
  });

  test('limits are times in milliseconds and lists of texts', () => {
    const [entry] =
      read({
        authorized_agents: [
          {
            ...signal('https://a.example'),
            countries: ['DE'],
            exclusive: true,
            delegation_type: 'direct',
            effective_from: '2026-01-01T01:00:00+01:00',
            effective_until: '2026-01-02',
            collections: [
              { publisher_domain: 'A.example', collection_ids: ['d', 'd'] },
              { publisher_domain: 'b.example' },
            ],
          },
        ],
      }).declaration?.entries ?? [];
    expect(entry?.limits).toEqual({
      countries: ['DE'],
      exclusive: true,
      delegationType: 'direct',
      effectiveFrom: Date.UTC(2026, 0, 1),
      effectiveUntil: Date.UTC(2026, 0, 2),
      collections: [{ publisherDomain: 'a.example', collectionIds: ['d'] }, { publisherDomain: 'b.example' }],
    });
  });

  test('a private key is published nowhere further', () => {
    const key = { kid: 'k', kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'secret', alg: 'ES256' };
    const { declaration } = read({
      authorized_agents: [{ ...signal('https://a.example'), signing_keys: [key] }],
    });
    expect(declaration?.entries[0]?.signingKeys).toEqual([
      { kid: 'k', kty: 'EC', crv: 'P-256', x: 'x', y: 'y', alg: 'ES256' },
    ]);
    expect(JSON.stringify(declaration)).not.toContain('secret');
  });

  test('domains are A-labels in lower case, wherever they stand', () => {
    const { declaration } = read({
      authorized_agents: [
        {
          url: 'https://a.example',
          authorized_for: 'x',
          authorization_type: 'publisher_properties',
          publisher_properties: [
            { publisher_domains: ['Bücher.Example', 'bücher.example.'], selection_type: 'all' },
          ],
        },
      ],
      revoked_publisher_domains: [{ publisher_domain: 'OUT.example' }],
      publisher: { domain: 'News.Example' },
    });
    expect(declaration?.entries[0]?.scope).toEqual({
      type: 'publisher_properties',
      selectors: [{ publisherDomains: ['xn--bcher-kva.example'], selection: { type: 'all' } }],
    });
    expect(declaration?.revokedPublisherDomains).toEqual([{ publisherDomain: 'out.example' }]);
    expect(declaration?.publisher).toEqual({ domain: 'news.example' });
  });

  test('texts are without control and bidirectional characters, wherever they may show', () => {
    const { declaration } = read({
      agents: [{ url: 'https://a.example', capabilities: ['get\u202e_products\u0000'] }],
      properties: [{ ...property(1), name: ' a\u0007\u2066\n b\ud800', tags: ['ne\u202dws'] }],
    });
    expect(declaration?.entries[0]?.claimedCapabilities).toEqual(['get_products']);
    expect(declaration?.properties[0]).toMatchObject({ name: 'a b\ufffd', tags: [] });
    const [entry] =
      read({
        authorized_agents: [{ ...signal('https://a.example'), authorized_for: 'all\u202e\u0085 of it' }],
      }).declaration?.entries ?? [];
    expect(entry?.authorizedFor).toBe('all of it');
  });

  test('null is as good as absent, for every member that describes and does not narrow', () => {
    const nothing = (...names: string[]): object => Object.fromEntries(names.map((name) => [name, null]));
    const entry = nothing('encryption_keys', 'last_updated');
    const adagents = read({
      authorized_agents: [{ ...signal('https://a.example'), ...entry }],
      properties: [{ ...property(1), ...nothing('tags', 'supported_channels') }],
      ...nothing('authoritative_location', 'agents', 'contact', 'publisher', 'last_updated'),
      ...nothing('revoked_publisher_domains', 'collections', 'signals'),
    });
    expect([adagents.findings, adagents.declaration?.entries.length]).toEqual([[], 1]);
    const simple = read({
      agents: [{ url: 'https://a.example', ...nothing('protocol', 'capabilities') }],
      contact: { email: 'x@a.example', ...nothing('name', 'domain', 'seller_id') },
      properties: null,
    });
    expect([simple.findings, simple.declaration?.variant]).toEqual([[], 'simple']);
    const agent = { type: 'sales', url: 'https://a.example', id: 'a' };
    const brand = readBrand(
      bytesOf({
        agents: [{ ...agent, ...nothing('name', 'description', 'jwks_uri') }],
        ...nothing('house', 'brands', 'contact', 'identity_agent', 'brand_agent', 'id', 'names'),
      }),
    );
    expect([brand.findings, brand.declaration?.variant]).toEqual([[], 'agents_only']);
  });

  test('brand names are keyed by language and a portfolio’s agents know their brand', () => {
    const { declaration } = readBrand(bytesOf(GOOD_BRAND[3]?.file ?? {}));
    expect(declaration?.brands[0]).toEqual({
      id: 'acme',
      names: [
        { language: 'en', name: 'Acme' },
        { language: 'de', name: 'Akme' },
        { language: 'fr', name: 'Acmé' },
      ],
    });
    expect(declaration?.agents.map(({ type, brandId, jwksUri }) => [type, brandId, jwksUri])).toEqual([
      ['brand', 'acme', undefined],
      ['sales', 'zeta', 'https://sales.example/keys.json'],
    ]);
    expect(declaration?.contact).toEqual({
      name: 'Brand desk',
      email: 'brand@house.example',
      website: 'https://house.example',
    });
    expect(declaration?.authorizedOperators[0]).toMatchObject({
      domain: 'operator.example',
      validUntil: Date.UTC(2027, 0, 1),
    });
  });
});

describe('bounds', () => {
  const list = (count: number): object => ({
    authorized_agents: Array.from({ length: count }, (_, i) => signal(`https://a${i}.example`)),
  });

  test('500 agents are kept and the rest is counted', () => {
    const { declaration, findings } = read(list(503));
    expect(declaration?.entries).toHaveLength(500);
    expect(codes(findings)).toEqual(['too_many_agents 500 read, 3 left out']);
  });

  test('an operator can raise the bound, and many entries of one agent count as one agent', () => {
    expect(readAdagents(bytesOf(list(503)), { maxAgents: 600 }).findings).toEqual([]);
    const one = { authorized_agents: Array.from({ length: 800 }, () => signal('https://a.example')) };
    expect(read(one).declaration?.entries).toHaveLength(800);
  });

  test.each([
    ['in another spelling', [], 'HTTPS://A0.example:443/'],
    [
      'among so many others that nobody looks',
      Array.from({ length: 20_001 }, (_, i) => i),
      'https://z.example',
    ],
  ])('an entry for everything is not alone when another one has no room, %s', (_, others, last) => {
    const bare = { url: 'https://a0.example/', authorized_for: 'x' };
    const behind = [...others.map((i) => signal(`https://o${i}.example`)), signal(last)];
    const file = { authorized_agents: [bare, signal('https://a1.example'), ...behind] };
    const { declaration, findings } = readAdagents(bytesOf(file), { maxAgents: 2 });
    expect(declaration?.entries.map(({ agent }) => agent)).toEqual(['https://a1.example/']);
    expect(findings.map(({ code }) => code)).toContain('legacy_entry_beside');
  });

  test('properties and domains are bounded over the whole file', () => {
    const file = {
      authorized_agents: [
        {
          url: 'https://a.example',
          authorized_for: 'x',
          authorization_type: 'publisher_properties',
          publisher_properties: [
            { publisher_domains: ['a.example', 'b.example', 'c.example'], selection_type: 'all' },
          ],
        },
      ],
      properties: [property(1), property(2), property(3)],
    };
    const { declaration, findings } = readAdagents(bytesOf(file), { maxProperties: 1, maxNamedDomains: 2 });
    expect(declaration?.properties).toHaveLength(1);
    expect(codes(findings)).toEqual([
      'too_many_domains 2 read, 1 left out',
      'too_many_properties 1 read, 2 left out',
    ]);
  });

  test('5,000 entries about one publisher are kept, however few agents they name', () => {
    const one = { authorized_agents: Array.from({ length: 5_003 }, () => signal('https://a.example')) };
    expect(read(one).declaration?.entries).toHaveLength(5_000);
    expect(codes(read(one).findings)).toEqual(['too_many_entries 5000 read, 3 left out']);
  });

  test('a manager may have an entry for each of thousands of publishers, and name 12,000 in one', () => {
    const selecting = (...publisher_domains: string[]): object => ({
      ...{ url: 'https://a.example', authorized_for: 'x' },
      authorization_type: 'publisher_properties',
      publisher_properties: [{ publisher_domains, selection_type: 'all' }],
    });
    const names = Array.from({ length: 12_000 }, (_, i) => `p${i}.example`);
    const each = read({ authorized_agents: names.slice(0, 6_000).map((name) => selecting(name)) });
    expect([each.declaration?.entries.length, each.findings]).toEqual([6_000, []]);
    const [entry] = read({ authorized_agents: [selecting(...names)] }).declaration?.entries ?? [];
    expect(entry?.scope).toMatchObject({ selectors: [{ publisherDomains: names }] });
  });

  test('tags are bounded over the whole file, in number and in length', () => {
    const tagged = (...tags: string[]): object => ({ ...property(tags.length), tags });
    const file = { authorized_agents: [], properties: [tagged('a', 'b'), tagged('c', 'd', 'e')] };
    const { declaration, findings } = readAdagents(bytesOf(file), { maxTags: 3 });
    expect(declaration?.properties.map(({ tags }) => tags)).toEqual([['a', 'b'], ['c']]);
    expect(codes(findings)).toEqual(['too_many_tags 3 read, 2 left out']);
    const many = Array.from({ length: 60 }, (_, i) => `${i}${'x'.repeat(i === 0 ? 100 : 0)}`);
    const labels = readAdagents(bytesOf({ authorized_agents: [], properties: [tagged(...many)] }));
    expect(labels.declaration?.properties[0]?.tags).toEqual(many.slice(1));
    expect(codes(labels.findings)).toEqual(['label_too_long 1 left out']);
  });

  test('findings are bounded too, and a document has at most so many values', () => {
    const { findings } = read({ agents: Array.from({ length: 300 }, () => 5) });
    expect(findings).toHaveLength(201);
    expect(codes(findings)).toContain('too_many_findings 100 more, 100 of them errors');
    const json = { depth: 32, values: 100, keys: 100, string: 100 };
    expect(codes(readAdagents(bytesOf({ agents: Array(200).fill(0) }), { json }).findings)).toEqual([
      'too_many_values ',
    ]);
  });
});

describe('properties', () => {
  const broken = fc.jsonValue();
  const good = signal('https://good.example/mcp');

  test('a bad entry never costs its neighbours', () => {
    fc.assert(
      fc.property(fc.array(broken), fc.array(broken), (before, after) => {
        const file = { authorized_agents: [...before, good, ...after] };
        expect(read(file).declaration?.entries.map((entry) => entry.agent)).toContain(
          'https://good.example/mcp',
        );
      }),
    );
  });

  test('any member of a good file can become anything without a throw', () => {
    const files: readonly Fixture[] = [...GOOD_ADAGENTS, ...GOOD_BRAND];
    fc.assert(
      fc.property(fc.constantFrom(...files), fc.nat(), broken, ({ file }, at, value) => {
        const mutated = bytesOf(replaced(file as object, at, value));
        for (const reading of [readAdagents(mutated), readBrand(mutated)]) {
          const isExplained =
            reading.declaration !== undefined ||
            reading.findings.some(({ severity }) => severity === 'error');
          expect(isExplained).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('any JSON and any cut of a good file is read or explained', () => {
    fc.assert(
      fc.property(broken, (value) => void [read(value as object), readBrand(bytesOf(JSON.stringify(value)))]),
    );
    const whole = bytesOf(GOOD_BRAND[3]?.file ?? {});
    for (let end = 0; end < whole.length; end += 7)
      expect(readBrand(whole.subarray(0, end)).findings.length).toBeGreaterThan(0);
  });
});

/** The same tree with its `at`-th member (in order of walking, modulo their number) replaced. */
function replaced(tree: object, at: number, value: unknown): object {
  const copy = structuredClone(tree);
  const members: (readonly [Record<string, unknown>, string])[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      members.push([node as Record<string, unknown>, key]);
      walk((node as Record<string, unknown>)[key]);
    }
  };
  walk(copy);
  const [owner, key] = members[at % members.length] ?? [{}, ''];
  owner[key] = value;
  return copy;
}
