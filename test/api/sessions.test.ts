import { describe, expect, it } from 'vitest';
import { newApiKey, newSecret, secretHash } from '../../src/owners/secrets.ts';
import { later } from '../budgets/later.ts';
import { fieldsOf, openBrowser } from './support/browser.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';

const AGENT = 'https://a.example/mcp';
const OWN = `/my/agents/${encodeURIComponent(AGENT)}`;
const HOUR = 3_600_000;

/** An agent of nova, and a browser. */
async function world(config: Parameters<typeof openRegistry>[1] = {}) {
  const registry = await openRegistry([bareDocument(AGENT)], config);
  await registry.addOwner(AGENT, 'nova');
  const fresh = await registry.addKey('nova');
  const browser = await openBrowser(registry.server);
  const signIn = (key = fresh.key) => browser.post('/sign-in', { key, next: OWN });
  return { ...registry, ...fresh, browser, signIn };
}

/** Behind https, where the browser sends the cookie to every page of the host. */
function secureWorld() {
  return world({ baseUrl: 'https://registry.example' });
}

/** Without what differs between any two answers. */
function sameHeaders(headers: Headers): readonly string[][] {
  return [...headers].filter(([name]) => !/^(?:date|x-request-id|ratelimit-.*|keep-alive)$/.test(name));
}

describe('signing in', () => {
  it('asks for a key, leads to the page, and gives a cookie that no script and no other site can use', async () => {
    const { browser, signIn, id } = await world();
    const asked = await browser.get(`${OWN}?done=settings`);
    expect([asked.status, asked.location]).toEqual([
      303,
      `/sign-in?why=needed&next=${encodeURIComponent(OWN)}`,
    ]);
    expect((await browser.get(asked.location ?? '')).body).toContain(
      'Sign in with an API key to open this page.',
    );
    const answer = await signIn();
    expect([answer.status, answer.location]).toEqual([303, OWN]);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^registry-session=[\w-]{43}; Max-Age=43200; HttpOnly; SameSite=Strict; Path=\/my$/,
    );
    const page = await browser.get(OWN);
    expect(page.status).toBe(200);
    for (const text of ['Signed in as <b><bdi>nova</bdi></b>', id]) expect(page.body).toContain(text);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('vary')).toBe('Cookie');
    expect(page.headers.get('access-control-allow-origin')).toBeNull();
    expect(page.headers.get('content-encoding')).toBeNull();
  });

  it('asks nobody who is signed in, and every page leads there without knowing who asks', async () => {
    const { browser, signIn } = await world();
    const { body } = await browser.get('/status');
    expect(body).toContain('<a class="mine" href="/my">Your agents</a>');
    const asked = await browser.get('/sign-in');
    expect([asked.status, asked.location]).toEqual([303, '/my']);
    const sent = await browser.get('/my');
    expect(sent.location).toBe('/sign-in?why=needed&next=%2Fmy');
    expect((await browser.get(sent.location ?? '')).status).toBe(200);
    await signIn();
    expect((await browser.get((await browser.get('/sign-in')).location ?? '')).status).toBe(200);
    expect((await browser.get(`/sign-in?next=${encodeURIComponent(OWN)}`)).location).toBe(OWN);
    expect((await browser.get('/sign-in?next=https://evil.example/my')).location).toBe('/my');
    expect((await browser.get('/sign-in?why=other')).body).toContain('Sign in with another API key');
  });

  it.each([
    ['https://registry.example', '', '__Host-registry-session'],
    ['https://registry.example/r', '/r', '__Host-registry-session%2Fr'],
  ])(
    'gives a cookie that only this host can set where the public address is %s',
    async (baseUrl, root, name) => {
      const { browser, signIn } = await world({ baseUrl });
      const answer = await signIn();
      expect(answer.location).toBe(`${root}${OWN}`);
      const [cookie, ...attributes] = answer.headers.get('set-cookie')?.split('; ') ?? [];
      expect(cookie).toMatch(new RegExp(`^${name}=[\\w-]{43}$`));
      expect(attributes).toEqual(['Max-Age=43200', 'HttpOnly', 'SameSite=Strict', 'Path=/', 'Secure']);
      const page = await browser.get(OWN);
      expect(page.status).toBe(200);
      const out = await browser.post('/my/sign-out', fieldsOf(page.body, `${root}/my/sign-out`));
      expect(out.headers.get('set-cookie')).toBe(
        `${name}=; Max-Age=0; HttpOnly; SameSite=Strict; Path=/; Secure`,
      );
    },
  );

  it('is done twenty times in a minute by a member, whatever keys it has, and leaves no more records', async () => {
    later(0); // the window does not go on meanwhile
    const { signIn, addKey, records } = await world();
    const { key, id } = await addKey('nova');
    for (let count = 0; count < 20; count += 1) expect((await signIn()).status).toBe(303);
    const refused = await signIn(key);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(refused.headers.get('set-cookie')).toBeNull();
    const opened = async () =>
      (await records.owners.auditLog({ subject: id, limit: 100 })).filter(
        ({ action }) => action === 'session.open',
      );
    expect(await opened()).toHaveLength(0);
    later(60_000);
    expect((await signIn(key)).status).toBe(303);
    expect(await opened()).toHaveLength(1);
  });

  it('cannot be tried more often than the API, with a key or without', async () => {
    const { signIn, browser } = await world({ rateLimit: { max: 3, windowMs: 60_000 } });
    for (let count = 0; count < 3; count += 1) expect((await signIn(newApiKey().key)).status).toBe(401);
    const refused = await signIn();
    expect([refused.status, browser.cookie]).toEqual([429, '']);
  });

  it('shows the key nowhere: in no page, no address and no cookie', async () => {
    const { browser, signIn, key } = await world();
    const secret = key.slice(21);
    for (const answer of [
      await signIn(),
      await browser.get(OWN),
      await browser.get('/my'),
      await signIn(`${key}x`),
    ])
      expect(JSON.stringify([...answer.headers]) + answer.body).not.toContain(secret);
  });

  it.each(['', 'nonsense', 'ark_0123456789abcdef', newApiKey().key, '"><script>alert(1)</script>'])(
    'refuses %j, and repeats nothing of it',
    async (key) => {
      const { browser, signIn } = await world();
      const { status, body } = await signIn(key);
      expect([status, browser.cookie]).toEqual([401, '']);
      expect(body).toContain('Sign-in failed: the API key is malformed');
      expect(body).not.toContain('alert(1)');
    },
  );

  it.each([
    '//evil.example',
    'https://evil.example',
    '/my/../x',
    '/my?x=1',
    '/docs',
    '\\/evil.example',
    '/my//evil',
  ])('leads to no other page than an own one: %s', async (next) => {
    const { browser, key } = await world();
    expect((await browser.post('/sign-in', { key, next })).location).toBe('/my');
  });
});

describe('a session', () => {
  it('is known to every process on the records, and after a restart', async () => {
    const { browser, signIn, records, clock } = await world();
    await signIn();
    const { createServer } = await import('../../src/api/server.ts');
    const { createMetrics } = await import('../../src/ops/metrics.ts');
    const { pino } = await import('pino');
    const { openSqliteIndex } = await import('../../src/index/embedded/sqlite-index.ts');
    const other = createServer({
      ...{ records, clock, logger: pino({ level: 'silent' }), metrics: createMetrics({ version: '1' }) },
      index: await openSqliteIndex(records.store, { clock }),
      config: { version: '1', trustedProxies: [] },
    });
    const there = await openBrowser(other);
    there.cookie = browser.cookie;
    expect((await there.get(OWN)).status).toBe(200);
    await there.submit((await there.get(OWN)).body, '/my/sign-out');
    expect((await browser.get(OWN)).location).toMatch(/^\/sign-in\?why=over/);
  });

  it.each<[string, (parts: Awaited<ReturnType<typeof world>>) => unknown]>([
    [
      'its time is up',
      ({ clock }) => {
        clock.value += 12 * HOUR;
      },
    ],
    ['its key is revoked', ({ records, id }) => records.keys.revoke(id, PROBED_AT)],
    [
      'its member is gone',
      async ({ records }) => {
        await records.owners.unregister(AGENT, 'nova', PROBED_AT);
        await records.members.remove('nova', PROBED_AT);
      },
    ],
    [
      'its cookie was changed',
      ({ browser }) => {
        browser.cookie = `${browser.cookie.slice(0, -1)}_`;
      },
    ],
  ])('is over when %s, and a form that comes then changes nothing', async (_why, end) => {
    const parts = await world();
    const { browser, signIn, records } = parts;
    await signIn();
    const { body } = await browser.get(OWN);
    await end(parts);
    const before = await records.owners.settings(AGENT);
    const answer = await browser.submit(body, `${OWN}/settings`);
    // back to where the form stood
    expect([answer.status, answer.location]).toEqual([
      303,
      `/sign-in?why=over&next=${encodeURIComponent(OWN)}`,
    ]);
    expect(await records.owners.settings(AGENT)).toEqual(before);
    expect((await browser.get('/sign-in?why=over')).body).toContain('Your session has ended');
  });

  it.each(['/%6dy', '/m%79?x=1', `/%6Dy${OWN.slice(3)}`])(
    'is needed however a path is written: %s',
    async (path) => {
      const { browser } = await world();
      const answer = await browser.get(path);
      expect([answer.status, answer.location]).toEqual([303, '/sign-in?why=needed&next=%2Fmy']);
      const form = await browser.post(`${path.split('?')[0]}/sign-out`, { form: 'x' });
      expect([303, 404]).toContain(form.status);
    },
  );

  it('is not that of a cookie whose name begins with a no-break space, which a neighbour can set', async () => {
    const { browser, signIn } = await secureWorld();
    await signIn();
    const { cookie } = browser;
    const of = async (header: string) => (await browser.get('/my', { cookie: header })).status;
    expect(await of(`\u00a0${cookie}`)).toBe(303);
    expect(await of(`theme=dark; \u00a0${cookie}`)).toBe(303);
    expect(await of(`theme=dark; ${cookie}; \u00a0${cookie.slice(0, -43)}${'A'.repeat(43)}`)).toBe(200);
  });

  it('ends with the key where that ends earlier', async () => {
    const { browser, signIn, records, clock } = await world();
    const key = newApiKey();
    await records.keys.create({ ...key, member: 'nova', expiresAt: PROBED_AT + HOUR }, PROBED_AT);
    expect((await signIn(key.key)).headers.get('set-cookie')).toContain('Max-Age=3600;');
    clock.value += HOUR;
    expect((await browser.get(OWN)).location).toMatch(/why=over/);
  });

  it('is one of ten of its key: the oldest goes, and each leaves an audit record', async () => {
    const { browser, signIn, clock, records, id } = await world();
    const cookies: string[] = [];
    for (let count = 0; count < 11; count += 1) {
      clock.value += 1;
      await signIn();
      cookies.push(browser.cookie);
    }
    const statuses = [];
    for (const cookie of cookies) {
      browser.cookie = cookie;
      statuses.push((await browser.get('/my')).status);
    }
    expect(statuses).toEqual([303, ...Array.from({ length: 10 }, () => 200)]);
    const log = await records.owners.auditLog({ subject: id, limit: 100 });
    expect(log.filter(({ action }) => action === 'session.open')).toHaveLength(11);
  });

  it.each([
    '/',
    `/agents/${encodeURIComponent(AGENT)}`,
    '/changes',
    '/publishers?domain=a.example',
    '/status',
    '/lab',
    '/validate',
    '/docs',
    '/join',
    '/sign-in',
    '/sign-in?why=out',
    '/no/such/page',
    '/api/registry/agents',
    '/api/registry/agents?compliance=true',
    `/api/registry/agents/${encodeURIComponent(AGENT)}/compliance`,
    `/api/registry/agents/${encodeURIComponent(AGENT)}/settings`,
    '/api/registry/keys',
    '/api/me/agents',
    '/openapi.json',
  ])('changes no byte of %s, which is sent its cookie behind https', async (path) => {
    const { browser, signIn } = await secureWorld();
    const without = await browser.get(path);
    await signIn();
    const withCookie = await browser.get(path, { cookie: browser.cookie });
    const over = await browser.get(path, { cookie: `${browser.cookie.slice(0, -43)}${'A'.repeat(43)}` });
    for (const answer of [withCookie, over])
      expect([answer.status, answer.body, sameHeaders(answer.headers)]).toEqual([
        ...[without.status, without.body, sameHeaders(without.headers)],
      ]);
    expect(without.headers.get('set-cookie')).toBeNull();
    if (without.headers.get('cache-control')?.includes('public'))
      expect(without.headers.get('vary') ?? '').not.toContain('Cookie');
  });

  it('leaves the forms for everybody as they are: another key signs in, and an invitation is taken', async () => {
    const { browser, signIn, addKey, records } = await secureWorld();
    await signIn();
    const another = await addKey('other');
    const again = await browser.post('/sign-in', { key: another.key, next: '/my' });
    expect([again.status, again.location]).toEqual([303, '/my']);
    expect((await browser.get('/my')).body).toContain('Signed in as <b><bdi>other</bdi></b>');
    const secret = newSecret();
    await records.members.invite({ hash: secretHash(secret) ?? '', expiresAt: PROBED_AT + HOUR }, PROBED_AT);
    const fields = { invitation: secret, slug: 'acme', display_name: 'Acme' };
    expect((await browser.post('/join', fields)).body).toContain('joined-acme');
  });
});

describe('a form of an owner', () => {
  it.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour', { 'sec-fetch-site': 'same-site' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['nowhere', { origin: 'null' }],
    ['nobody knows where', {}],
  ])('is not taken from %s, for sign-in neither', async (_from, headers) => {
    const { browser, signIn, key, records } = await world();
    expect((await browser.post('/sign-in', { key, next: '/my' }, headers)).status).toBe(400);
    await signIn();
    const { body } = await browser.get(OWN);
    const answer = await browser.post(`${OWN}/settings`, fieldsOf(body, `${OWN}/settings`), headers);
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('was not sent from a page of this registry');
    expect(await records.owners.settings(AGENT)).toMatchObject({ monitoringPaused: false });
  });

  it('has each field once: of two values none is chosen', async () => {
    const { browser, signIn, records } = await world();
    await signIn();
    const { body } = await browser.get(OWN);
    const { form = '' } = fieldsOf(body, `${OWN}/settings`);
    const twice = new URLSearchParams([
      ['form', form],
      ['monitoring_paused', 'true'],
      ['monitoring_paused', 'false'],
    ]);
    const answer = await browser.post(`${OWN}/settings`, twice);
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('can be given once');
    expect(await records.owners.settings(AGENT)).toMatchObject({ monitoringPaused: false });
  });

  it.each(['', 'x', `${'A'.repeat(22)}.${'A'.repeat(43)}`])(
    'needs the token of its session, not %j',
    async (form) => {
      const { browser, signIn, records } = await world();
      await signIn();
      const answer = await browser.post(`${OWN}/settings`, { form, monitoring_paused: 'true' });
      expect(answer.status).toBe(400);
      expect(answer.body).toContain('its token belongs to another session');
      expect(await records.owners.settings(AGENT)).toMatchObject({ monitoringPaused: false });
    },
  );

  it('is not taken with the token of another session', async () => {
    const { browser, signIn } = await world();
    await signIn();
    const { body } = await browser.get(OWN);
    await signIn();
    expect((await browser.submit(body, `${OWN}/settings`)).status).toBe(400);
  });

  it('does its work once when it is sent twice, and says so', async () => {
    const { browser, signIn, records } = await world();
    await signIn();
    const { body } = await browser.get(OWN);
    const answers = await Promise.all([1, 2].map(() => browser.submit(body, `${OWN}/settings`)));
    expect(answers.map(({ location }) => location).sort()).toEqual([
      `${OWN}?done=again`,
      `${OWN}?done=settings`,
    ]);
    expect((await browser.get(`${OWN}?done=again`)).body).toContain('This form was already sent.');
    const log = await records.owners.auditLog({ subject: AGENT, limit: 100 });
    expect(log.filter(({ action }) => action === 'agent.settings')).toHaveLength(1);
  });

  it('leads back to its page when its address is opened', async () => {
    const { browser, signIn } = await world();
    expect((await browser.get(`${OWN}/run`)).location).toBe(
      `/sign-in?why=needed&next=${encodeURIComponent(`${OWN}/run`)}`,
    );
    await signIn();
    for (const name of ['run', 'settings', 'credential', 'statement', 'proof/look'])
      expect((await browser.get(`${OWN}/${name}`)).location).toBe(
        name.startsWith('proof') ? `${OWN}/proof` : OWN,
      );
    for (const path of ['/my/keys/make', '/my/keys/revoke'])
      expect((await browser.get(path)).location).toBe('/my/keys');
    expect((await browser.get('/my/ask')).location).toBe('/my');
    expect((await browser.get('/join/domain')).location).toBe('/join');
  });

  it('has a body, for whoever is signed in and whoever is not', async () => {
    const { browser, signIn } = await world();
    await signIn();
    const headers = { cookie: browser.cookie, origin: browser.origin };
    for (const path of ['/sign-in', '/my/sign-out', `${OWN}/settings`, '/lab', '/validate']) {
      const answer = await fetch(`${browser.origin}${path}`, { method: 'POST', headers });
      expect([path, answer.status]).toEqual([path, 400]);
    }
  });

  it('larger than any form is refused, and so is another media type', async () => {
    const { browser, signIn } = await world();
    await signIn();
    const { body } = await browser.get(OWN);
    expect((await browser.submit(body, `${OWN}/settings`, { x: 'y'.repeat(70_000) })).status).toBe(413);
    const json = { origin: browser.origin, 'content-type': 'application/json' };
    expect((await browser.post(`${OWN}/settings`, {}, json)).status).toBe(415);
  });
});
