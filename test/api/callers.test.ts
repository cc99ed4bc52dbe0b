import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/owners/secrets.ts';
import { later } from '../budgets/later.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry } from './support/registry.ts';

const LIST = '/api/registry/agents';
const AGENT = 'https://a.example/mcp';
const DETAIL = `${LIST}/${encodeURIComponent(AGENT)}/compliance`;
const SETTINGS = `${LIST}/${encodeURIComponent(AGENT)}/settings`;
const PATHS = [LIST, DETAIL, SETTINGS];
const REFUSED = 'Bearer realm="registry", error="invalid_token"';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('the Authorization header', () => {
  it.each<[string, (key: string, revoked: string) => string]>([
    ['a key that was never made', () => `Bearer ${newApiKey().key}`],
    ['a revoked key', (_key, revoked) => `Bearer ${revoked}`],
    ['the id of a key alone', (key) => `Bearer ${key.slice(0, 20)}`],
    ["a key's id with another secret", (key) => `Bearer ${key.slice(0, 21)}${newApiKey().key.slice(21)}`],
    ['a key with one character less', (key) => `Bearer ${key.slice(0, -1)}`],
    ['a key with one character more', (key) => `Bearer ${key}A`],
    ['a key with its last character changed', (key) => `Bearer ${key.slice(0, -1)}*`],
    ['a key in capitals', (key) => `Bearer ${key.toUpperCase()}`],
    ['a key of no form of ours', () => 'Bearer wrong'],
    ['an empty key', () => 'Bearer '],
    ['another scheme', () => 'Basic dXNlcjpwYXNz'],
    ['a good key under another scheme', (key) => `Basic ${key}`],
    ['a key without its scheme', (key) => key],
    ['nothing', () => ''],
    ['a key with a space', (key) => `Bearer ${key.slice(0, 9)} ${key.slice(9)}`],
    ['two keys', (key) => `Bearer ${key}, Bearer ${key}`],
    ['an endless key', () => `Bearer ${'x'.repeat(5_000)}`],
  ])('with %s is 401 and never a silent downgrade', async (_what, headerOf) => {
    const { get, server, records, addKey } = await openRegistry();
    const { key } = await addKey('acme');
    const revoked = await addKey('acme');
    await records.keys.revoke(revoked.id, 1);
    const authorization = headerOf(key, revoked.key);
    for (const path of PATHS) {
      const response = await get(path, { authorization });
      expect(response.statusCode).toBe(401);
      expect(response.headers['www-authenticate']).toBe(REFUSED);
      expect(response.json().code).toBe('invalid_key');
    }
    const head = await server.inject({ method: 'HEAD', url: LIST, headers: { authorization } });
    expect([head.statusCode, head.body]).toEqual([401, '']);
  });

  it('with a good key is served, whatever the case of its scheme', async () => {
    const { get, addKey } = await openRegistry();
    const { key } = await addKey('acme');
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect((await get(LIST, { authorization: `${scheme} ${key}` })).statusCode).toBe(200);
    }
  });

  it('with a key is refused from the very request after its revocation', async () => {
    const { get, records, addKey } = await openRegistry();
    const { id, key } = await addKey('acme');
    expect((await get(LIST, bearer(key))).statusCode).toBe(200);
    await records.keys.revoke(id, 1);
    expect((await get(LIST, bearer(key))).statusCode).toBe(401);
  });

  it('is remembered as the day on which a key was used', async () => {
    const { get, records, addKey, clock } = await openRegistry();
    const { id, key } = await addKey('acme');
    await get(LIST, bearer(key));
    expect(await records.keys.find(id)).toMatchObject({ lastUsedAt: clock.value });
  });

  it('is served all the same where the use of its key cannot be noted, and says so once', async () => {
    const warned: unknown[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void warned.push(JSON.parse(line)) });
    const { get, records, addKey } = await openRegistry([], {}, { logger });
    const { id, key } = await addKey('acme');
    Object.assign(records.keys, { noteUse: () => Promise.reject(new Error('the disk is full')) });
    for (const _ of [1, 2, 3]) expect((await get(LIST, bearer(key))).statusCode).toBe(200);
    expect(warned).toMatchObject([{ key: id, msg: 'use of an API key could not be recorded' }]);
  });

  it('gives a member one limit, whatever keys it has', async () => {
    const { get, addKey } = await openRegistry([], { rateLimit: { max: 1, windowMs: 60_000 } });
    const [one, two, other] = [await addKey('acme'), await addKey('acme'), await addKey('bolt')];
    const status = async ({ key }: { key: string }) => (await get(LIST, bearer(key))).statusCode;
    expect([await status(one), await status(two), await status(other)]).toEqual([200, 429, 200]);
  });
});

describe('what changes something', () => {
  it('is bounded for a member, whatever keys it has, and reading goes on', async () => {
    later(0); // the window does not go on meanwhile
    const { server, get, addKey } = await openRegistry();
    const [one, two, other] = [await addKey('acme'), await addKey('acme'), await addKey('bolt')];
    const change = async ({ key }: { key: string }) => {
      const payload = { monitoring_paused: true };
      return server.inject({ method: 'PATCH', url: SETTINGS, headers: bearer(key), payload });
    };
    for (let times = 0; times < 120; times += 1) expect((await change(one)).statusCode).toBe(404);
    const { statusCode, headers } = await change(two);
    expect([statusCode, headers['retry-after']]).toEqual([429, '60']);
    expect((await change(other)).statusCode).toBe(404);
    expect((await get(LIST, bearer(one.key))).statusCode).toBe(200);
    later(60_000);
    expect((await change(one)).statusCode).toBe(404);
  });
});

describe('a stranger', () => {
  it("gets the public caller's answer byte for byte, whatever is asked and whoever owns the agent", async () => {
    const agents = [AGENT, 'https://b.example/mcp', 'https://c.example/mcp'];
    const { get, records, addKey, addOwner } = await openRegistry(agents.map((url) => bareDocument(url)));
    await addOwner(AGENT, 'owner');
    await addOwner('https://b.example/mcp', 'owner');
    await records.owners.changeSettings(
      { agent: 'https://b.example/mcp', actor: { kind: 'operator' }, change: { optedOut: true } },
      1,
    );
    const owners = await addKey('owner');
    const stranger = await addKey('stranger');
    const agent = fc.constantFrom(...agents, 'https://nobody.example/', 'nonsense');
    const operation = fc.constantFrom('compliance', 'settings');
    const tag = fc.constantFrom('none', 'any', 'of the owner');
    await fc.assert(
      fc.asyncProperty(agent, operation, tag, async (url, name, wanted) => {
        const path = `${LIST}/${encodeURIComponent(url)}/${name}`;
        const { etag } = (await get(path, bearer(owners.key))).headers;
        const tags = { none: {}, any: { 'if-none-match': '"x"' }, 'of the owner': ifNoneMatch(etag) };
        const anybody = await get(path, tags[wanted]);
        const theirs = await get(path, { ...tags[wanted], ...bearer(stranger.key) });
        expect([theirs.statusCode, theirs.body]).toEqual([anybody.statusCode, anybody.body]);
        expect(comparable(theirs.headers)).toEqual(comparable(anybody.headers));
        if (name === 'settings') expect(theirs.statusCode).not.toBe(304);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a member', () => {
  it('gets the list of everybody, its own agents included', async () => {
    const { get, addKey, addOwner } = await openRegistry([bareDocument(AGENT)]);
    await addOwner(AGENT, 'owner');
    const { key } = await addKey('owner');
    const path = `${LIST}?compliance=true&health=true&total=true`;
    const [anybody, owner] = [await get(path), await get(path, bearer(key))];
    expect([owner.statusCode, owner.body]).toEqual([200, anybody.body]);
    expect(comparable(owner.headers)).toEqual(comparable(anybody.headers));
  });
});

function ifNoneMatch(etag: unknown): Record<string, string> {
  return typeof etag === 'string' ? { 'if-none-match': etag } : {};
}

/** Names in their order, and values but those that are of the request. */
function comparable(headers: Readonly<Record<string, unknown>>): unknown[] {
  const own = new Set(['date', 'x-request-id']);
  return Object.entries(headers).map(([name, value]) => (own.has(name) ? name : [name, value]));
}
