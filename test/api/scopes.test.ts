import { describe, expect, it } from 'vitest';
import { API_SCOPES, type ApiScope } from '../../src/domain/api-scope.ts';
import { newApiKey } from '../../src/owners/secrets.ts';
import { openRegistry, PROBED_AT, type TestRegistry } from './support/registry.ts';
import { AGENT, SELLER, tested } from './support/tested-agent.ts';

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

async function keyWith(
  { records }: Pick<TestRegistry, 'records'>,
  over: { scopes?: readonly ApiScope[]; expiresAt?: number },
) {
  const { id, key, hash } = newApiKey();
  await records.keys.create({ id, hash, member: 'nova', ...over }, PROBED_AT);
  return { id, headers: bearer(key) };
}

interface Documented {
  readonly method: 'GET' | 'PATCH' | 'PUT' | 'POST' | 'DELETE';
  readonly url: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

/** Every operation of the document that has to do with one agent. */
async function agentOperations({ get }: Pick<TestRegistry, 'get'>): Promise<readonly Documented[]> {
  const { paths } = (await get('/openapi.json')).json<{
    paths: Record<string, Record<string, Documented>>;
  }>();
  return Object.entries(paths)
    .filter(([path]) => path.includes('{encodedUrl}'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => ({
        ...{ method: method.toUpperCase() as Documented['method'], url: path, ...(security && { security }) },
      })),
    );
}

const needed = ({ security }: Documented) => security?.flatMap(({ apiKey = [] }) => apiKey) ?? [];
const pathTo = (url: string, agent: string) =>
  url
    .replace('{encodedUrl}', encodeURIComponent(agent))
    .replace('{role}', 'media-buy')
    .replace('{version}', '3.0')
    .replace('{storyboardId}', 'capability_discovery')
    .replace('{id}', 'run-1');

const OWNERS_ONLY = {
  'GET settings': 'read',
  'PATCH settings': 'settings',
  'GET credential': 'read',
  'PUT credential': 'credentials',
  'DELETE credential': 'credentials',
  'DELETE statement': 'settings',
  'POST runs': 'runs',
  'POST run': 'runs',
  'POST requeue': 'runs',
  'PUT pause': 'settings',
  'PUT statement': 'settings',
  'PUT interval': 'settings',
  'PUT opt-out': 'settings',
  'PUT lifecycle': 'settings',
  'GET requests': 'read',
  'GET audit': 'read',
  'GET auth-status': 'read',
  'PUT connect': 'credentials',
  'PUT oauth-client-credentials': 'credentials',
  'POST test': 'credentials',
};

describe('the scopes of an API key', () => {
  it('are demanded by each operation that is for owners, and the document says which', async () => {
    const registry = await tested(SELLER);
    const scoped = (await agentOperations(registry)).filter((one) => needed(one).length > 0);
    const named = scoped.map((one) => [`${one.method} ${one.url.split('/').at(-1)}`, needed(one).join()]);
    expect(Object.fromEntries(named)).toEqual(OWNERS_ONLY);
    // what needs a key without naming a scope would be an operation that somebody forgot
    const keyed = (await agentOperations(registry)).filter(({ security = [{}] }) =>
      security.every((one) => 'apiKey' in one),
    );
    expect(keyed.filter((one) => needed(one).length === 0)).toEqual([]);
  });

  it('that are missing are a 403 that names them, the same for every agent, owned, of others or unknown', async () => {
    const registry = await tested(SELLER);
    await registry.put([], true);
    const scoped = (await agentOperations(registry)).filter((one) => needed(one).length > 0);
    for (const operation of scoped) {
      const [scope = ''] = needed(operation);
      const without = await keyWith(registry, { scopes: API_SCOPES.filter((one) => one !== scope) });
      const answers = [];
      for (const agent of [AGENT, 'https://unknown.example/mcp']) {
        const { method } = operation;
        const url = pathTo(operation.url, agent);
        const { statusCode, headers, body } = await registry.server.inject({
          method,
          url,
          headers: without.headers,
        });
        answers.push([statusCode, body, headers['www-authenticate'], headers['cache-control']]);
        expect(JSON.parse(body)).toMatchObject({ code: 'insufficient_scope', required_scope: scope });
      }
      expect(answers[0]).toEqual(answers[1]);
      expect([answers[0]?.[0], answers[0]?.[2]]).toEqual([403, expect.stringContaining(`scope="${scope}"`)]);
    }
  });

  it('that are there are enough: no other is asked for', async () => {
    const registry = await tested(SELLER);
    for (const operation of (await agentOperations(registry)).filter((one) => needed(one).length > 0)) {
      const { headers } = await keyWith(registry, { scopes: needed(operation) as ApiScope[] });
      const url = pathTo(operation.url, AGENT);
      const { statusCode } = await registry.server.inject({ method: operation.method, url, headers });
      expect([operation.url, [401, 403, 404].includes(statusCode)]).toEqual([operation.url, false]);
    }
  });

  it("without read show an owner's key what everybody sees, byte for byte, and leave no trace of a look", async () => {
    const registry = await tested(SELLER);
    const { headers } = await keyWith(registry, { scopes: ['settings', 'credentials', 'runs'] });
    const open = (await agentOperations(registry)).filter(
      ({ method, ...one }) => method === 'GET' && needed({ method, ...one }).length === 0,
    );
    expect(open.length).toBeGreaterThan(5);
    for (const { url } of open) {
      const [theirs, anybodys] = [
        await registry.get(pathTo(url, AGENT), headers),
        await registry.get(pathTo(url, AGENT)),
      ];
      expect([theirs.statusCode, theirs.body, theirs.headers.etag]).toEqual([
        anybodys.statusCode,
        anybodys.body,
        anybodys.headers.etag,
      ]);
      expect(Object.keys(theirs.headers)).toEqual(Object.keys(anybodys.headers));
    }
    const log = await registry.records.owners.auditLog({ subject: AGENT, limit: 9 });
    expect(log.filter(({ action }) => action === 'runs.read')).toEqual([]);
  });

  it('of a key that was made without any are all of them', async () => {
    const registry = await tested(SELLER);
    const { headers } = await keyWith(registry, {});
    const url = `/api/registry/agents/${encodeURIComponent(AGENT)}/settings`;
    const change = { method: 'PATCH', url, headers, payload: { monitoring_paused: true } } as const;
    expect((await registry.server.inject(change)).statusCode).toBe(200);
  });
});

describe('an API key that ends', () => {
  it('is refused from that moment on as a revoked one is; its successor goes on', async () => {
    const registry = await openRegistry();
    const old = await registry.addKey('nova');
    const { id, key, hash } = newApiKey();
    await registry.records.keys.renew({ from: old.id, id, hash, overlapMs: 60_000 }, PROBED_AT);
    const statusOf = async (one: string) =>
      (await registry.get('/api/registry/agents', bearer(one))).statusCode;
    registry.clock.value = PROBED_AT + 59_999;
    expect([await statusOf(old.key), await statusOf(key)]).toEqual([200, 200]);
    registry.clock.value = PROBED_AT + 60_000;
    expect([await statusOf(old.key), await statusOf(key)]).toEqual([401, 200]);
  });
});
