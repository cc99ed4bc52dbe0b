import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentOfIdentifier, identifierOfAgent } from '../../src/api/ard/identifier.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { parseAgentUrl } from '../../src/domain/agent-url.ts';
import { stitchAll } from '../../src/index/generations/keep-indexed.ts';
import { EXPOSED, NOW, observed } from '../contract/records-fixtures.ts';
import { probing, publish, takeOne } from '../contract/records-steps.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { bareDocument, fullDocument } from './support/documents.ts';
import { openRegistry, sharedRegistry, type TestRegistry } from './support/registry.ts';

const METER = 'https://meter.example/mcp';
const BASE = 'https://registry.example';
const MCP = 'application/mcp-server-card+json';
const A2A = 'application/a2a-agent-card+json';

const named = (host: string, name: string, protocol: 'mcp' | 'a2a' | null = 'mcp') => {
  const document = bareDocument(`https://${host}.example/mcp`);
  return { ...document, base: { ...document.base, name, protocol } };
};

async function asking(documents: Parameters<typeof openRegistry>[0] = [fullDocument(METER)], baseUrl = BASE) {
  const registry = await openRegistry(documents, baseUrl === '' ? {} : { baseUrl });
  const document = (await registry.get('/openapi.json')).json<OpenApi>();
  return {
    ...registry,
    async post(path: 'search' | 'explore', payload: unknown) {
      const url = `/api/ard/${path}`;
      const headers = { 'content-type': 'application/json' };
      const answer = await registry.server.inject({
        method: 'POST',
        url,
        headers,
        payload: JSON.stringify(payload),
      });
      expect(breaches(document, url, answer, 'post')).toEqual([]);
      return answer;
    },
  };
}

const vendor = sharedRegistry(() => asking());
const types = sharedRegistry(() =>
  asking([named('a', 'News mcp'), named('b', 'News card', 'a2a'), named('c', 'News dark', null)]),
);

const search = (text: string, more: object = {}) => ({ query: { text }, ...more });
const namesIn = (answer: Awaited<ReturnType<TestRegistry['get']>>) =>
  answer.json().results.map(({ displayName }: { displayName: string }) => displayName);

describe('POST /api/ard/search', () => {
  const news = sharedRegistry(() =>
    asking([named('a', 'Big News'), named('b', 'News sports'), named('c', 'Old news')]),
  );

  it('answers a sentence with entries, their artefact, and where the whole entry is', async () => {
    const { post } = await asking([fullDocument(METER), named('other', 'Other')]);
    const answer = await post('search', search('Which vendor can measure attention for me?'));
    expect(answer.json()).toEqual({
      results: [
        expect.objectContaining({
          identifier: 'urn:air:meter.example:agent:mcp',
          type: MCP,
          url: METER,
          score: expect.any(Number),
          source: `${BASE}/api/ard`,
          metadata: expect.objectContaining({ agentType: 'measurement' }),
          '@context': { reg: 'urn:agent-registry:terms#' },
          'reg:claimedAccreditations': ['MRC'],
        }),
      ],
    });
    expect(answer.json().results[0]).not.toHaveProperty('representativeQueries');
  });

  it.each([
    ['news', ['Big News', 'News sports', 'Old news']],
    ['find me a news agent, please', ['Big News', 'News sports', 'Old news']],
    ['news sports', ['News sports']],
    ['weather sports', ['News sports']],
    ['weather forecast tools', []],
    ['sales news', ['Big News', 'News sports', 'Old news']],
    ['measurement news', ['Big News', 'News sports', 'Old news']],
  ])('finds for "%s" what has most of its words', async (text, expected) => {
    const { post } = await news();
    expect(namesIn(await post('search', search(text))).toSorted()).toEqual(expected);
  });

  it('gives less to what meets less of a text', async () => {
    const { post } = await asking([named('a', 'Big News')]);
    const [whole, part] = [
      await post('search', search('news')),
      await post('search', search('news weather')),
    ];
    expect([whole.json().results[0].score, part.json().results[0].score]).toEqual([100, 50]);
  });

  it('gives every entry once, page by page, and a token to no other query', async () => {
    const { post } = await asking(Array.from({ length: 25 }, (_, at) => named(`a${at}`, `News ${at}`)));
    const found: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = await post('search', search('news', { pageSize: 10, ...(pageToken && { pageToken }) }));
      found.push(...namesIn(page));
      pageToken = page.json().pageToken;
      if (pageToken === undefined) break;
      const other = await post('search', { query: { text: 'news', filter: { type: MCP } }, pageToken });
      expect([other.statusCode, other.json().errorCode]).toEqual([400, 'INVALID_ARGUMENT']);
    } while (pageToken !== undefined);
    expect([found.length, new Set(found).size]).toEqual([25, 25]);
  });

  it('gives every entry once, page by page, also of agents with long addresses', async () => {
    const documents = Array.from({ length: 250 }, (_, at) => {
      const url = `https://a${at}.example/${'long/'.repeat(380)}`;
      const document = bareDocument(url);
      return { ...document, base: { ...document.base, name: `News ${at}`, protocol: 'mcp' as const } };
    });
    const { post } = await asking(documents);
    const found: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = await post('search', search('news', { pageSize: 60, ...(pageToken && { pageToken }) }));
      found.push(...namesIn(page));
      pageToken = page.json().pageToken;
    } while (pageToken !== undefined);
    expect([found.length, new Set(found).size]).toEqual([250, 250]);
  });

  it.each(['.~AAAA', 'e~AAAA', '1e999~AAAA', '1~', '~AAAA', '1~A.A', 'x~AAAA'])(
    'refuses the page token %j, which it did not issue',
    async (pageToken) => {
      const { post } = await news();
      const page = await post('search', search('news', { pageToken }));
      expect([page.statusCode, page.json().errorCode]).toEqual([400, 'INVALID_ARGUMENT']);
    },
  );

  it.each([
    [undefined, ['News card', 'News mcp']],
    [{ type: [MCP] }, ['News mcp']],
    [{ type: A2A }, ['News card']],
    [{ type: [MCP, A2A] }, ['News card', 'News mcp']],
    [{ type: ['application/ai-skill+md'] }, []],
    [{ 'metadata.agentType': 'sales' }, ['News card', 'News mcp']],
    [{ 'metadata.agentType': 'signals' }, []],
    [{ 'metadata.verified': 'true' }, []],
    [{ tags: ['x,y'] }, []],
    [{ publisher: ['A.example', 'nobody.example'] }, ['News mcp']],
    [{ publisher: 'example' }, []],
    [{ publisher: ['a.example', 'b.example'], type: A2A }, ['News card']],
  ])('filters by %j, and counts the same entries', async (filter, expected) => {
    const { post } = await types();
    const query = { text: 'news', ...(filter && { filter }) };
    expect(namesIn(await post('search', { query })).toSorted()).toEqual(expected);
    const counted = await post('explore', { query, resultType: { facets: [{ field: 'type' }] } });
    const counts = counted.json().facets.type.buckets.map(({ count }: { count: number }) => count);
    expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(expected.length);
  });

  it.each([
    [{ ard: 'https://agenticresourcediscovery.org/ns#' }, 'ard:type', 200],
    [undefined, 'https://agenticresourcediscovery.org/ns#type', 200],
    [['https://agenticresourcediscovery.org/context/v1', { x: 'https://x.example/' }], 'type', 200],
    [{ other: 'https://other.example/ns#' }, 'other:type', 400],
    [undefined, 'ard:type', 400],
    [undefined, 'reg:channels', 400],
    [{ reg: 'https://other.example/ns#' }, 'reg:channels', 400],
    [{ type: 'https://other.example/ns#type' }, 'type', 400],
    [{ publisher: 'https://other.example/ns#publisher' }, 'publisher', 400],
    [undefined, 'publisherId', 400],
    [undefined, '__proto__', 400],
    ['https://evil.example/context', 'type', 400],
    [{ x: 7 }, 'type', 400],
  ])('reads a key by its context %j: %s', async (context, key, status) => {
    const { post } = await types();
    const filter = Object.fromEntries([[key, [MCP]]]);
    const text = JSON.stringify({ query: { ...(context && { '@context': context }), text: 'news', filter } });
    const answer = await post('search', JSON.parse(text));
    expect(answer.statusCode).toBe(status);
    if (status === 200) expect(namesIn(answer)).toEqual(['News mcp']);
  });

  it('selects and counts by our own terms, whatever prefix they have', async () => {
    const { post } = await asking([fullDocument(METER), named('other', 'Meter too')]);
    for (const key of ['x:claimedAccreditations', 'urn:agent-registry:terms#claimedAccreditations']) {
      const query = {
        '@context': { x: 'urn:agent-registry:terms#' },
        text: 'meter',
        filter: { [key]: ['MRC'] },
      };
      expect((await post('search', { query })).json().results).toHaveLength(1);
      const answer = await post('explore', { query, resultType: { facets: [{ field: key }] } });
      expect(answer.json().facets[key].buckets).toEqual([{ value: 'MRC', count: 1 }]);
    }
  });

  it('finds nothing by words that only an agent has that nobody can call', async () => {
    const { post } = await types();
    expect(namesIn(await post('search', search('dark news'))).toSorted()).toEqual(['News card', 'News mcp']);
    const answer = await post('explore', {
      query: { text: 'dark' },
      resultType: { facets: [{ field: 'type' }] },
    });
    expect(answer.json().facets.type.buckets).toEqual([]);
    expect(namesIn(await post('search', search('dark')))).toEqual([]);
  });

  it.each([
    [{}],
    [{ query: {} }],
    [{ query: { text: '   ' } }],
    [{ query: { text: '***' } }],
    [{ query: { text: 7 } }],
    [{ query: { text: 'x'.repeat(1_001) } }],
    [{ query: { text: 'x', more: 1 } }],
    [{ query: { text: 'x', filter: [] } }],
    [{ query: { text: 'x', filter: { type: [] } } }],
    [{ query: { text: 'x', filter: { type: [{}] } } }],
    [{ query: { text: 'x' }, federation: 'all' }],
    [{ query: { text: 'x' }, federation: { toString: 1 } }],
    [{ query: { text: 'x' }, pageSize: 101 }],
    [{ query: { text: 'x' }, pageSize: '5' }],
    [{ query: { text: 'x' }, pageToken: 'AAAA' }],
    [[]],
    [null],
  ])('refuses a question that it cannot read (case %#)', async (payload) => {
    const { post } = await vendor();
    const answer = await post('search', payload);
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { errorCode: 'INVALID_ARGUMENT', message: expect.any(String) },
    ]);
  });

  it('refers to nobody, and says so to whoever asks', async () => {
    const { post } = await vendor();
    expect((await post('search', search('meter', { federation: 'referrals' }))).json().referrals).toEqual([]);
    expect((await post('search', search('meter'))).json()).not.toHaveProperty('referrals');
  });
});

describe('POST /api/ard/explore', () => {
  it('counts terms of all entries without a query, within the limit', async () => {
    const { post } = await asking([
      ...[1, 2, 3].map((at) => named(`a${at}`, 'News')),
      named('b', 'News', 'a2a'),
    ]);
    const facets = [
      { field: 'type', limit: 1 },
      { field: 'metadata.agentType' },
      { field: 'type', minCount: 2 },
    ];
    const answer = await post('explore', { resultType: { facets: facets.slice(0, 2) } });
    expect(answer.json()).toEqual({
      resultType: 'facets',
      facets: {
        type: { buckets: [{ value: MCP, count: 3 }], otherCount: 1 },
        'metadata.agentType': { buckets: [{ value: 'sales', count: 4 }] },
      },
    });
    const few = await post('explore', { resultType: { facets: facets.slice(2) } });
    expect(few.json().facets.type).toEqual({ buckets: [{ value: MCP, count: 3 }] });
  });

  it.each([
    {},
    { resultType: 'facets' },
    { resultType: { facets: [] } },
    { resultType: { facets: [{ field: 'x' }] } },
    { resultType: { facets: [{ field: 'publisher' }] } },
  ])('refuses %j', async (payload) => {
    const { post } = await vendor();
    expect((await post('explore', payload)).statusCode).toBe(400);
  });

  it('says that it is the facet which names no term', async () => {
    const { post } = await vendor();
    const answer = await post('explore', { resultType: { facets: [{ field: 'x' }] } });
    expect(answer.body).toContain('resultType.facets.field');
    expect(answer.body).not.toContain('query.filter');
  });
});

describe('GET /api/ard/agents', () => {
  const two = sharedRegistry(() => asking([named('a', 'A'), named('b', 'B', 'a2a')]));

  it('lists entries by name, and gives each by its identifier as the list has it', async () => {
    const registry = await asking([]);
    const { records, index, clock, get } = registry;
    clock.value = NOW + 1;
    await publish(records, 'news.example', { authorized_agents: [{ url: METER, authorized_for: 'x' }] });
    await records.sources.commitProbe(
      probing(await takeOne(records, 'agent', METER, NOW + 1), observed(METER, { exposed: EXPOSED })),
    );
    await stitchAll({ records, index, clock, rederive: deriveStored });
    const { items, total } = (await get(`/api/ard/agents?filter=type='${encodeURIComponent(MCP)}'`)).json();
    expect([items.length, total]).toEqual([1, 1]);
    const path = `/api/ard/agents/${encodeURIComponent(items[0].identifier)}`;
    const one = await get(path);
    expect(one.json()).toEqual(items[0]);
    expect(one.json().representativeQueries.length).toBeGreaterThanOrEqual(2);
    expect((await get(path, { 'if-none-match': String(one.headers.etag) })).statusCode).toBe(304);
    const document = (await get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, '/api/ard/agents/{identifier}', one)).toEqual([]);
  });

  it.each([
    ["?filter=type = 'application/a2a-agent-card+json'", 1],
    ["?filter=type = 'application/a2a-agent-card+json,application/mcp-server-card+json'", 2],
    ['?filter=type=\'application/mcp-server-card+json\' AND metadata.agentType = "signals"', 0],
    ["?filter=publisherId = 'a.example, nobody.example'", 1],
    ["?filter=publisher = 'a.example'", 1],
    ["?filter=publisherId = 'nobody.example'", 0],
    ["?filter=publisher = 'a.example' AND publisherId = 'b.example'", undefined],
    ["?filter=publisherId = 'a b'", undefined],
    ['?orderBy=displayName&pageSize=1', 1],
    ['?filter=type', undefined],
    ["?filter=__proto__ = 'x'", undefined],
    ["?filter=name = 'x'", undefined],
    ['?orderBy=updatedAt DESC', undefined],
    ['?pageSize=0', undefined],
    ['?limit=5', undefined],
  ])('reads %s', async (query, count) => {
    const { get } = await two();
    const answer = await get(`/api/ard/agents${query.replaceAll(' ', '%20').replaceAll('+', '%2B')}`);
    expect(answer.json().items?.length).toBe(count);
    if (count === undefined) expect(answer.json().errorCode).toBe('INVALID_ARGUMENT');
  });

  it.each([
    ['urn%3Aair%3Anobody.example%3Aagent%3Amcp', 404, 'NOT_FOUND'],
    ['urn%3Aair%3Aard-conformance.invalid%3Aprobe%3Anot-found', 404, 'NOT_FOUND'],
    ['URN%3Aair%3Ameter.example%3Aagent%3Amcp', 400, 'INVALID_ARGUMENT'],
    ['not-a-valid-ard-urn', 400, 'INVALID_ARGUMENT'],
    ['urn%3Aair%3Ameter.example%3Aagent%3A%zz', 400, 'INVALID_ARGUMENT'],
    ['urn%253Aair%253Ameter.example%253Aagent%253Amcp', 400, 'INVALID_ARGUMENT'],
  ])('answers %s with %i', async (segment, status, errorCode) => {
    const { get } = await vendor();
    const answer = await get(`/api/ard/agents/${segment}`);
    expect([answer.statusCode, answer.json().errorCode, answer.headers['cache-control']]).toEqual([
      status,
      errorCode,
      'no-store',
    ]);
  });
});

describe('the identifier of an agent', () => {
  it.each([
    ['https://meter.example/mcp', 'urn:air:meter.example:agent:mcp'],
    ['https://meter.example/', 'urn:air:meter.example:agent:_'],
    ['http://meter.example:8080/a/b_c', 'urn:air:meter.example:agent-http-8080:a_2Fb_5Fc'],
    ['https://meter.example:8443/mcp?x=1', 'urn:air:meter.example:agent-8443:mcp_3Fx_3D1'],
    ['https://[2001:db8::1]/mcp', undefined],
  ])('is for %s %s', (agent, identifier) => {
    expect(identifierOfAgent(agent)).toBe(identifier);
  });

  it('names one agent, and leads back to it', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.nat(70_000), (address, port) => {
        const url = new URL(address);
        if (port < 65_536) url.port = String(port);
        const parsed = parseAgentUrl(url.href);
        if (!parsed.ok) return;
        const identifier = identifierOfAgent(parsed.url);
        if (identifier !== undefined) expect(agentOfIdentifier(identifier)).toBe(parsed.url);
      }),
    );
  });

  it('is one spelling only', () => {
    for (const other of [
      'urn:air:METER.example:agent:mcp',
      'urn:air:meter.example:agent-443:mcp',
      'urn:air:meter.example:agent:m_63p',
    ])
      expect(agentOfIdentifier(other)).toBeUndefined();
  });
});

describe('GET /.well-known/ard.json', () => {
  it.each([
    [BASE, 'elsewhere.example', BASE],
    ['', '127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['', 'a.example/"<x>', 'http://localhost'],
  ])('names the registry at %s, asked as %s', async (baseUrl, host, origin) => {
    const { get } = await asking([], baseUrl);
    const answer = await get('/.well-known/ard.json', { host });
    expect(answer.statusCode).toBe(200);
    const [registry, mcp] = answer.json().entries;
    expect(registry).toMatchObject({ type: 'application/ai-registry+json', url: `${origin}/api/ard` });
    expect(mcp.data.remotes).toEqual([{ type: 'streamable-http', url: `${origin}/mcp` }]);
    for (const { identifier, trustManifest } of [registry, mcp])
      expect(new URL(trustManifest.identity).hostname).toBe(identifier.split(':')[2]);
    const document = (await get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, '/.well-known/ard.json', answer)).toEqual([]);
  });
});
