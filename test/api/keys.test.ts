import { describe, expect, it } from 'vitest';
import type { ApiScope } from '../../src/domain/api-scope.ts';
import { newApiKey } from '../../src/owners/secrets.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry, PROBED_AT, sharedRegistry } from './support/registry.ts';
import { bearer } from './support/tested-agent.ts';

const PATH = '/api/registry/keys';
const DAY = 86_400_000;

/** A member with a key, another member, and what asks for keys. */
async function world(bounds: { scopes?: readonly ApiScope[]; expiresAt?: number } = {}) {
  const registry = await openRegistry();
  await registry.addKey('nova');
  const { id, key, hash } = newApiKey();
  await registry.records.keys.create({ id, hash, member: 'nova', ...bounds }, PROBED_AT);
  const others = await registry.addKey('other');
  const ask = async (method: 'GET' | 'POST' | 'DELETE', path = PATH, payload?: object, by = key) => {
    const sent = { method, url: path, headers: by === '' ? {} : bearer(by), ...(payload && { payload }) };
    return registry.server.inject(sent);
  };
  const document = (await registry.get('/openapi.json')).json<OpenApi>();
  return { ...registry, id, key, others, ask, document };
}

describe('the API keys of a member', () => {
  const refusing = sharedRegistry(async () => {
    const registry = await world();
    await registry.ask('GET'); // notes that the key is used today
    return registry;
  });

  it('are made, listed and revoked as described; the secret is in one answer, which nobody keeps', async () => {
    const { ask, id, document, get } = await world();
    const made = await ask('POST', PATH, { label: 'build', scopes: ['runs', 'read'], days: 90 });
    expect([made.statusCode, made.headers['cache-control']]).toEqual([201, 'no-store']);
    expect(breaches(document, PATH, made, 'post')).toEqual([]);
    const { key, ...record } = made.json();
    expect(record).toMatchObject({
      ...{ made_by: id, renewed_by: null },
      ...{ member: 'nova', label: 'build', scopes: ['read', 'runs'], revoked_at: null, last_used_at: null },
      ...{ expires_at: new Date(PROBED_AT + 90 * DAY).toISOString() },
    });
    expect((await get('/api/registry/agents', bearer(key))).statusCode).toBe(200);
    const listed = await ask('GET');
    expect(breaches(document, PATH, listed)).toEqual([]);
    expect(listed.headers['cache-control']).toBe('private, no-cache');
    expect(listed.json().keys.map((one: { id: string }) => one.id)).toEqual(
      expect.arrayContaining([record.id, id]),
    );
    expect(listed.body).not.toContain(key.slice(21));
    const revoked = await ask('DELETE', `${PATH}/${record.id}`);
    expect(breaches(document, `${PATH}/{id}`, revoked, 'delete')).toEqual([]);
    expect(revoked.json()).toMatchObject({ id: record.id, revoked_at: new Date(PROBED_AT).toISOString() });
    expect((await ask('DELETE', `${PATH}/${record.id}`)).json()).toEqual(revoked.json());
    expect((await get('/api/registry/agents', bearer(key))).statusCode).toBe(401);
  });

  it('have no scope and no end beyond the key that makes them', async () => {
    const { ask, document } = await world({ scopes: ['read', 'keys'], expiresAt: PROBED_AT + 2 * DAY });
    const plain = (await ask('POST', PATH, {})).json();
    expect(plain).toMatchObject({
      ...{ scopes: ['read', 'keys'], expires_at: new Date(PROBED_AT + 2 * DAY).toISOString() },
    });
    const long = (await ask('POST', PATH, { days: 3 })).json();
    expect(long.expires_at).toBe(new Date(PROBED_AT + 2 * DAY).toISOString());
    expect((await ask('POST', PATH, { days: 1 })).json().expires_at).toBe(
      new Date(PROBED_AT + DAY).toISOString(),
    );
    const more = await ask('POST', PATH, { scopes: ['read', 'runs'] });
    expect(breaches(document, PATH, more, 'post')).toEqual([]);
    expect(more.json()).toMatchObject({
      ...{ status: 400, code: 'invalid_value', parameter: 'scopes', valid_values: ['read', 'keys'] },
    });
    // nor does a key that was made so, by what it makes
    const grandchild = await ask('POST', PATH, { days: 3_650 }, plain.key);
    expect(grandchild.json()).toMatchObject({ scopes: ['read', 'keys'], expires_at: plain.expires_at });
  });

  it.each<[string, unknown, string]>([
    ['no object', [], 'bad_request'],
    ['another member', { member: 'other' }, 'unknown_parameter'],
    ['a label of spaces', { label: ' ' }, 'invalid_value'],
    ['a label of two lines', { label: 'a\nb' }, 'invalid_value'],
    ['a long label', { label: 'x'.repeat(101) }, 'invalid_value'],
    ['a label that is no text', { label: 7 }, 'invalid_value'],
    ['no scope at all', { scopes: [] }, 'invalid_value'],
    ['an unknown scope', { scopes: ['read', 'everything'] }, 'invalid_value'],
    ['scopes that are a text', { scopes: 'read' }, 'invalid_value'],
    ['a name of every object', { scopes: ['constructor'] }, 'invalid_value'],
    ['0 days', { days: 0 }, 'invalid_value'],
    ['too many days', { days: 3_651 }, 'invalid_value'],
    ['half a day', { days: 1.5 }, 'invalid_value'],
    ['days as a text', { days: '9' }, 'invalid_value'],
  ])('are not made of %s', async (_what, wish, code) => {
    const { ask, document, records } = await refusing();
    const idsOf = async () => (await records.keys.list()).map(({ id }) => id);
    const before = await idsOf();
    const answer = await ask('POST', PATH, wish as object);
    expect(breaches(document, PATH, answer, 'post')).toEqual([]);
    expect(answer.json()).toMatchObject({ status: 400, code });
    expect(await idsOf()).toEqual(before);
  });

  it('are fifty at most; a revoked one makes room', async () => {
    const { ask, document, id } = await world();
    const statuses = [];
    for (let count = 0; count < 49; count += 1) statuses.push((await ask('POST', PATH, {})).statusCode);
    expect(statuses.filter((status) => status === 201)).toHaveLength(48);
    const refused = await ask('POST', PATH, {});
    expect(breaches(document, PATH, refused, 'post')).toEqual([]);
    expect(refused.json()).toMatchObject({ status: 409, code: 'too_many_keys' });
    const { keys } = (await ask('GET')).json();
    expect(keys).toHaveLength(50);
    await ask('DELETE', `${PATH}/${keys.find((one: { made_by: string | null }) => one.made_by === id).id}`);
    expect((await ask('POST', PATH, {})).statusCode).toBe(201);
  });

  it('of another member are as unknown as those that nobody made, and stay', async () => {
    const { ask, others, records, document } = await world();
    const answers = [];
    for (const one of [others.id, 'ark_0123456789abcdef', '%00', 'x'.repeat(100)]) {
      const answer = await ask('DELETE', `${PATH}/${one}`);
      expect(breaches(document, `${PATH}/{id}`, answer, 'delete')).toEqual([]);
      answers.push([answer.statusCode, answer.json().detail]);
    }
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(answers[0]?.[0]).toBe(404);
    expect((await records.keys.find(others.id))?.revokedAt).toBeUndefined();
    expect((await ask('GET')).body).not.toContain(others.id);
  });

  it('are shown to nobody without a key, and changed by none without the scope', async () => {
    const { ask, document, others } = await world({ scopes: ['read', 'settings', 'credentials', 'runs'] });
    for (const [method, path, described] of [
      ['GET', PATH, PATH],
      ['POST', PATH, PATH],
      ['DELETE', `${PATH}/${others.id}`, `${PATH}/{id}`],
    ] as const) {
      const answer = await ask(method, path, method === 'GET' ? undefined : {}, '');
      expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([
        401,
        'Bearer realm="registry"',
      ]);
      const name = method.toLowerCase() as 'get' | 'post' | 'delete';
      expect(breaches(document, described, answer, name)).toEqual([]);
      if (method === 'GET') continue;
      const lacking = await ask(method, path, {});
      expect(breaches(document, described, lacking, name)).toEqual([]);
      expect(lacking.json()).toMatchObject({ code: 'insufficient_scope', required_scope: 'keys' });
    }
    expect((await ask('GET', `${PATH}?member=other`)).statusCode).toBe(400);
  });

  it('are revoked with all that they made, and the answer names those keys, also when it is asked for again', async () => {
    const { ask, get, document } = await world();
    const child = (await ask('POST', PATH, {})).json();
    const grandchild = (await ask('POST', PATH, {}, child.key)).json();
    const revoked = await ask('DELETE', `${PATH}/${child.id}`);
    expect(breaches(document, `${PATH}/{id}`, revoked, 'delete')).toEqual([]);
    expect(revoked.json()).toMatchObject({ id: child.id, also_revoked: [grandchild.id] });
    expect((await ask('DELETE', `${PATH}/${child.id}`)).json()).toEqual(revoked.json());
    for (const { key } of [child, grandchild])
      expect((await get('/api/registry/agents', bearer(key))).statusCode).toBe(401);
  });

  it('revoke no key that they did not make: not their maker, and no other key of the member', async () => {
    const { ask, id, document, records } = await world();
    const child = (await ask('POST', PATH, {})).json();
    const foreign = (await records.keys.list('nova')).find((one) => ![id, child.id].includes(one.id));
    for (const target of [id, foreign?.id]) {
      const answer = await ask('DELETE', `${PATH}/${target}`, undefined, child.key);
      expect(breaches(document, `${PATH}/{id}`, answer, 'delete')).toEqual([]);
      expect(answer.json()).toMatchObject({
        ...{ status: 403, code: 'not_key_maker', detail: expect.stringContaining('ask the operator') },
      });
    }
    expect((await ask('GET', PATH, undefined, child.key)).json().count).toBe(3);
    expect((await records.keys.list('nova')).every(({ revokedAt }) => revokedAt === undefined)).toBe(true);
  });

  it('name in the audit log which key made and revoked them', async () => {
    const { ask, id, records } = await world();
    const { id: made } = (await ask('POST', PATH, { label: 'build' })).json();
    await ask('DELETE', `${PATH}/${made}`);
    const log = await records.owners.auditLog({ subject: made, limit: 9 });
    expect(log.map(({ actor, action }) => [actor, action])).toEqual([
      [id, 'key.revoke'],
      [id, 'key.create'],
    ]);
  });
});
