import { describe, expect, it } from 'vitest';
import type { ApiScope } from '../../src/domain/api-scope.ts';
import { newApiKey } from '../../src/owners/secrets.ts';
import { fieldsOf, openBrowser } from './support/browser.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';

const DAY = 86_400_000;
const NAUGHTY = `</code><script>alert(1)</script>"'&`;

/** A browser that is signed in with a key of nova. */
async function world(bounds: { scopes?: readonly ApiScope[]; expiresAt?: number } = {}) {
  const registry = await openRegistry();
  const first = await registry.addKey('nova');
  const { id, key, hash } = newApiKey();
  await registry.records.keys.create({ id, hash, member: 'nova', ...bounds }, PROBED_AT);
  const others = await registry.addKey('other');
  const browser = await openBrowser(registry.server);
  await browser.post('/sign-in', { key, next: '/my/keys' });
  const make = async (fields: Record<string, string>, page?: string) =>
    browser.submit(page ?? (await browser.get('/my/keys')).body, '/my/keys/make', fields);
  return { ...registry, first, id, key, others, browser, make };
}

const keysIn = (page: string) =>
  [...page.matchAll(/<code>(ark_[0-9a-f]{16}_[\w-]{43})<\/code>/g)].map(([, key]) => key);

describe("the page of a member's keys", () => {
  it('lists those of the member, and of no other', async () => {
    const { browser, first, id, others } = await world();
    const { status, body, headers } = await browser.get('/my/keys');
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    for (const text of [first.id, id, 'this session', '>all<']) expect(body).toContain(text);
    expect(body).not.toContain(others.id);
    expect((await browser.get('/my')).body).toContain('href="/my/keys"');
  });

  it('stays small with as many keys as a member makes, whatever their labels', async () => {
    const { browser, records, id: keyId } = await world();
    const actor = { kind: 'key', keyId, member: 'nova' } as const;
    for (let count = 0; count < 78; count += 1) {
      const fresh = newApiKey();
      await records.keys.createOwn({ ...fresh, actor, max: 99, label: '&'.repeat(100) }, PROBED_AT);
      if (count >= 48) await records.keys.revoke(fresh.id, PROBED_AT);
    }
    const { body } = await browser.get('/my/keys');
    expect(body.match(/<tr><th scope="row">/g)).toHaveLength(70);
    expect(Buffer.byteLength(body)).toBeLessThan(130_000);
  });

  it('takes several scopes, each in a field of its own, and any other field once', async () => {
    const { browser, records } = await world();
    const page = (await browser.get('/my/keys')).body;
    const { form = '' } = fieldsOf(page, '/my/keys/make');
    const fields: [string, string][] = [
      ['form', form],
      ['scopes', 'read'],
      ['scopes', 'runs'],
      ['days', '30'],
    ];
    const twice = await browser.post('/my/keys/make', new URLSearchParams([...fields, ['days', '365']]));
    expect([twice.status, keysIn(twice.body)]).toEqual([400, []]);
    const made = await browser.post('/my/keys/make', new URLSearchParams(fields));
    const [key = ''] = keysIn(made.body);
    expect((await records.keys.find(key.slice(0, 20)))?.scopes).toEqual(['read', 'runs']);
  });

  it('makes a key, shows it once, and makes none when the form comes again', async () => {
    const { browser, make, get, records, id } = await world();
    const page = (await browser.get('/my/keys')).body;
    const made = await make({ label: NAUGHTY, scopes: 'runs', days: '30' }, page);
    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const [key = '', ...more] = keysIn(made.body);
    expect(more).toEqual([]);
    expect(made.body).not.toContain('<script>alert(1)');
    const answer = await get('/api/registry/agents', { authorization: `Bearer ${key}` });
    expect(answer.statusCode).toBe(200);
    expect(await records.keys.find(key.slice(0, 20))).toMatchObject({
      ...{ member: 'nova', label: NAUGHTY, scopes: ['runs'], expiresAt: PROBED_AT + 30 * DAY },
    });
    const again = await make({ label: NAUGHTY, scopes: 'runs', days: '30' }, page);
    expect([again.status, again.location]).toEqual([303, '/my/keys?done=again']);
    const after = (await browser.get('/my/keys?done=again')).body;
    expect(after).toContain('if you did not copy it, revoke it and create another');
    expect(after).not.toContain(key.slice(21));
    expect(await records.keys.list('nova')).toHaveLength(3);
    const [record] = await records.owners.auditLog({ subject: key.slice(0, 20), limit: 1 });
    expect(record).toMatchObject({ actor: id, action: 'key.create' });
  });

  it.each<[string, Record<string, string>, string]>([
    ['no scope', { days: '30' }, 'Select at least one scope'],
    [
      'a scope that the key of the session lacks',
      { scopes: 'runs', days: '30' },
      'only grant the scopes that it has',
    ],
    ['an unknown scope', { scopes: 'root', days: '30' }, 'A list of one or more scopes'],
    ['days that are none', { scopes: 'read', days: '1e3' }, 'A whole number of days'],
    ['a label of two lines', { scopes: 'read', days: '1', label: 'a\nb' }, 'on one line'],
  ])('makes none of %s, and says why', async (_what, fields, why) => {
    const { make, records } = await world({ scopes: ['read', 'keys'] });
    const answer = await make(fields);
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(why);
    expect(await records.keys.list('nova')).toHaveLength(2);
  });

  it('makes none that outlives the key of the session', async () => {
    const { make, records } = await world({ expiresAt: PROBED_AT + DAY });
    const [key = ''] = keysIn((await make({ scopes: 'read', days: '90' })).body);
    expect((await records.keys.find(key.slice(0, 20)))?.expiresAt).toBe(PROBED_AT + DAY);
  });

  it('revokes a key that the key of the session made, and none of another member', async () => {
    const { browser, records, make, others } = await world();
    const [key = ''] = keysIn((await make({ scopes: 'read', days: '90' })).body);
    const form = async () => (await browser.get('/my/keys')).body;
    const done = await browser.submit(await form(), '/my/keys/revoke', { id: key.slice(0, 20) });
    expect([done.status, done.location]).toEqual([303, '/my/keys?done=revoked']);
    expect((await browser.get('/my/keys?done=revoked')).body).toContain('The key was revoked');
    expect((await records.keys.find(key.slice(0, 20)))?.revokedAt).toBe(PROBED_AT);
    const refused = await browser.submit(await form(), '/my/keys/revoke', { id: others.id });
    expect(refused.status).toBe(404);
    expect(refused.body).toContain('Your member has no such API key');
    expect((await records.keys.find(others.id))?.revokedAt).toBeUndefined();
  });

  it('offers to revoke the key of the session and the keys that it made, and refuses any other', async () => {
    const { browser, records, make, first, id } = await world();
    const [key = ''] = keysIn((await make({ scopes: 'read', days: '90' })).body);
    const { body } = await browser.get('/my/keys');
    const offered = [...body.matchAll(/aria-label="Revoke (ark_[0-9a-f]{16})"/g)].map(([, one]) => one);
    expect(offered.sort()).toEqual([id, key.slice(0, 20)].sort());
    expect(body).toContain(`by <code><bdi>${id}</bdi></code>`);
    const refused = await browser.submit(body, '/my/keys/revoke', { id: first.id });
    expect(refused.status).toBe(403);
    expect(refused.body).toContain('use the key that created this one, or ask the operator');
    expect((await records.keys.find(first.id))?.revokedAt).toBeUndefined();
  });

  it('says that the keys which a revoked key made are revoked, and ends their sessions', async () => {
    const { browser, make, server, records, id } = await world();
    const [key = ''] = keysIn((await make({ scopes: 'keys', days: '90' })).body);
    const child = key.slice(0, 20);
    const grandchild = newApiKey();
    const actor = { kind: 'key', keyId: child, member: 'nova' } as const;
    await records.keys.createOwn({ ...grandchild, actor, max: 9, scopes: ['keys'] }, PROBED_AT);
    const there = await openBrowser(server);
    await there.post('/sign-in', { key: grandchild.key, next: '/my/keys' });
    const { body } = await browser.get('/my/keys');
    const done = await browser.submit(body, '/my/keys/revoke', { id: child });
    expect(done.location).toBe('/my/keys?done=tree-revoked');
    expect((await browser.get('/my/keys?done=tree-revoked')).body).toContain(
      'The key was revoked, with the keys that it created.',
    );
    expect((await there.get('/my/keys')).location).toMatch(/^\/sign-in\?why=over/);
    expect((await records.keys.find(id))?.revokedAt).toBeUndefined();
  });

  it('signs out whoever revokes the key that was signed in with', async () => {
    const { browser, id } = await world();
    const { body } = await browser.get('/my/keys');
    await browser.submit(body, '/my/keys/revoke', { id });
    expect((await browser.get('/my/keys')).location).toMatch(/^\/sign-in\?why=over/);
  });

  it('offers no change without the scope keys, and takes none', async () => {
    const { browser, records, first } = await world({ scopes: ['read', 'settings'] });
    const { body } = await browser.get('/my/keys');
    expect(body).toContain('lacks the scope <code>keys</code>');
    expect(body).not.toMatch(/my\/keys\/(?:make|revoke)/);
    const form = /name="form" value="([^"]*)"/.exec(body)?.[1] ?? '';
    for (const [path, fields] of [
      ['make', { scopes: 'read', days: '9' }],
      ['revoke', { id: first.id }],
    ] as const)
      expect((await browser.post(`/my/keys/${path}`, { form, ...fields })).status).toBe(403);
    expect((await records.keys.list('nova')).filter(({ revokedAt }) => revokedAt !== undefined)).toEqual([]);
    expect(await records.keys.list('nova')).toHaveLength(2);
  });
});
