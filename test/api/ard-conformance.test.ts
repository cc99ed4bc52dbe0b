import { describe, expect, it } from 'vitest';
import { bareDocument, fullDocument } from './support/documents.ts';
import { openRegistry } from './support/registry.ts';

/**
 * The rules of the format's own conformance tester for v0.91, in both roles: whoever publishes entries, and whoever is a
 * registry. What it warns of counts like what it refuses.
 */
const IDENTIFIER = /^urn:air:[a-zA-Z0-9.-]+(?::[a-zA-Z0-9._:-]+)?:[a-zA-Z0-9._-]+$/;
const TYPES = new Set([
  ...['application/ai-catalog+json', 'application/ai-registry', 'application/ai-registry+json'],
  ...['application/agent-card+json', 'application/a2a-agent-card+json', 'application/mcp-server-card+json'],
  ...['application/agent-skills+zip', 'application/agent-skills+gzip'],
]);

type Entry = Readonly<Record<string, unknown>>;

/** What the tester says of an entry that somebody publishes. */
function faultsOf(entry: Entry): string[] {
  const { identifier, displayName, type, representativeQueries: queries, trustManifest: trust } = entry;
  const faults = [
    typeof identifier !== 'string' || !IDENTIFIER.test(identifier) ? 'identifier' : '',
    typeof displayName !== 'string' || displayName === '' ? 'displayName' : '',
    typeof type !== 'string' || !TYPES.has(type) ? 'type' : '',
    'url' in entry === 'data' in entry ? 'url or data' : '',
    !Array.isArray(queries) || queries.length < 2 || queries.length > 5 ? 'representativeQueries' : '',
    Array.isArray(queries) && queries.some((query) => typeof query !== 'string') ? 'a query' : '',
    trust !== undefined && !(trust as Entry).identity ? 'identity' : '',
    'score' in entry || 'source' in entry ? 'of a search only' : '',
  ];
  return faults.filter((fault) => fault !== '');
}

/** What it says of a result of a search. */
function resultFaults({ identifier, score, source }: Entry): string[] {
  const isScore = Number.isInteger(score) && Number(score) >= 0 && Number(score) <= 100;
  return [
    ...(isScore ? [] : ['score']),
    ...(typeof source === 'string' && source !== '' ? [] : ['source']),
    ...(typeof identifier === 'string' && identifier !== '' ? [] : ['identifier']),
  ];
}

const METER = 'https://meter.example/mcp';
const a2a = () => {
  const document = bareDocument('https://desk.example/a2a/v1?tenant=1');
  return { ...document, base: { ...document.base, protocol: 'a2a' as const } };
};

async function asked() {
  const { server, get } = await openRegistry([fullDocument(METER), a2a()], {
    baseUrl: 'https://registry.example',
  });
  const post = async (path: string, body: object) =>
    server.inject({
      ...{ method: 'POST', url: `/api/ard/${path}` },
      ...{ headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) },
    });
  return { get, post };
}

describe('the conformance tester of ARD v0.91', () => {
  it('finds nothing in the manifest, and nothing in any entry of the list', async () => {
    const { get } = await asked();
    const manifest = (await get('/.well-known/ard.json')).json();
    const { items } = (await get('/api/ard/agents')).json();
    expect([manifest.entries.length, items.length]).toEqual([2, 2]);
    expect([...manifest.entries, ...items].map(faultsOf)).toEqual([[], [], [], []]);
    expect('collections' in manifest).toBe(false);
  });

  it('finds nothing in a search', async () => {
    const { post } = await asked();
    const filter = { type: ['application/mcp-server-card+json'] };
    const question = { query: { text: 'attention', filter }, federation: 'none', pageSize: 2 };
    const { results } = (await post('search', question)).json();
    expect(results.map(resultFaults)).toEqual([[]]);
  });

  it.each([
    ['urn:air:ard-conformance.invalid:probe:not-found', 404, 'NOT_FOUND'],
    ['not-a-valid-ard-urn', 400, 'INVALID_ARGUMENT'],
  ])('is told why it does not get %s', async (identifier, status, errorCode) => {
    const answer = await (await asked()).get(`/api/ard/agents/${encodeURIComponent(identifier)}`);
    expect([answer.statusCode, answer.json()]).toEqual([
      status,
      expect.objectContaining({ errorCode, message: expect.stringMatching(/./) }),
    ]);
  });

  it('gets counts of what nobody has, and of everything', async () => {
    const { post } = await asked();
    const facets = [{ field: 'type' }];
    const none = (await post('explore', { query: { text: 'weather' }, resultType: { facets } })).json();
    expect(none).toMatchObject({ resultType: 'facets', facets: { type: { buckets: [] } } });
    const all = (await post('explore', { query: {}, resultType: { facets } })).json();
    expect(all.facets.type.buckets.map(({ count }: { count: number }) => count)).toEqual([1, 1]);
  });

  it('would find faults', () => {
    const entry = {
      identifier: 'acme',
      type: 'text/html',
      url: 'https://a.example',
      data: {},
      trustManifest: {},
    };
    expect(faultsOf({ ...entry, representativeQueries: [1], score: 5 })).toEqual([
      ...['identifier', 'displayName', 'type', 'url or data', 'representativeQueries', 'a query'],
      ...['identity', 'of a search only'],
    ]);
    expect(resultFaults({ score: 100.5 })).toEqual(['score', 'source', 'identifier']);
  });
});
