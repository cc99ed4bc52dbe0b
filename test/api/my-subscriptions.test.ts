import { describe, expect, it } from 'vitest';
import type { ApiScope } from '../../src/domain/api-scope.ts';
import { newApiKey } from '../../src/owners/secrets.ts';
import { HOOKS } from '../webhooks/fixtures.ts';
import { fieldsOf, openBrowser } from './support/browser.ts';
import { PROBED_AT } from './support/registry.ts';
import { PATH, wokenWorld } from './support/woken.ts';

const PAGE = '/my/subscriptions';
const NAUGHTY = `https://hooks.example/'"><script>alert(1)</script>&amp;`;

/** A browser that is signed in with a key of nova, and a receiver that is woken. */
async function world(statuses: Parameters<typeof wokenWorld> = [], scopes?: readonly ApiScope[]) {
  const woken = await wokenWorld(...statuses);
  const { id, key, hash } = newApiKey();
  await woken.records.keys.create({ id, hash, member: 'nova', ...(scopes && { scopes }) }, PROBED_AT);
  const browser = await openBrowser(woken.server);
  await browser.post('/sign-in', { key, next: PAGE });
  const page = async () => (await browser.get(PAGE)).body;
  const submit = async (name: string, fields: Record<string, string>) =>
    browser.submit(await page(), `${PAGE}/${name}`, fields);
  const own = () => woken.records.subscriptions.list('nova');
  return { ...woken, id, browser, page, submit, own };
}

describe("the page of a member's subscriptions", () => {
  it('makes one for the types that are ticked, lists it, and is led to from every page of the owner', async () => {
    const { browser, page, own, id, records } = await world();
    expect((await browser.get('/my')).body).toContain(`href="${PAGE}"`);
    expect(await page()).toContain('No subscriptions yet.');
    const { form = '' } = fieldsOf(await page(), `${PAGE}/make`);
    const types = ['agent.discovered', 'agent.removed'];
    const fields = [['form', form], ['url', ` ${HOOKS} `], ...types.map((type) => ['types', type])];
    const made = await browser.post(`${PAGE}/make`, new URLSearchParams(fields as [string, string][]));
    expect([made.status, made.location]).toEqual([303, `${PAGE}?done=made`]);
    const [one] = await own();
    expect(one).toMatchObject({ url: HOOKS, types: 'agent.discovered,agent.removed' });
    const after = await browser.get(`${PAGE}?done=made`);
    expect(after.headers.get('cache-control')).toBe('no-store');
    for (const text of ['Subscription created.', HOOKS, 'agent.discovered, agent.removed', 'none yet'])
      expect(after.body).toContain(text);
    const [record] = await records.owners.auditLog({ subject: one?.id ?? '', limit: 1 });
    expect(record).toMatchObject({ actor: id, action: 'subscription.create' });
  });

  it('shows why the last attempt failed and when the next one comes, then that it was taken', async () => {
    const { submit, page, listed, pass, agree } = await world([503]);
    await submit('make', { url: HOOKS });
    expect(await page()).toMatch(/>Pending<.*The receiver is not verified yet.*Verify again now/s);
    await agree();
    await listed('a');
    await pass(1);
    await pass(1);
    expect(await page()).toMatch(/Retrying<.*The receiver answered 503.*Next attempt: <time/s);
    await pass(10);
    expect(await page()).toMatch(/>Active<.*>all<.*>Accepted</s);
  });

  it('shows a dead one with its reason, and revives it where it stood', async () => {
    const { submit, page, listed, pass, own, bodies, agree } = await world([410]);
    await submit('make', { url: HOOKS });
    await agree();
    await listed('a');
    await pass(1);
    await pass(1);
    expect(await page()).toMatch(/>Stopped<.*The receiver answered 410/s);
    const { id = '' } = (await own())[0] ?? {};
    const revived = await submit('revive', { id });
    expect([revived.status, revived.location]).toEqual([303, `${PAGE}?done=revived`]);
    expect(await page()).not.toContain(`${PAGE}/revive`);
    expect(await page()).toContain(`${PAGE}/test`);
    for (const seconds of [6, 1, 2]) await pass(seconds);
    expect(bodies()).toHaveLength(1);
  });

  it('keeps what was typed when the member has changed its subscriptions at one site too often', async () => {
    const { submit, own } = await world();
    await submit('make', { url: HOOKS });
    const { id = '' } = (await own())[0] ?? {};
    let answer = await submit('test', { id });
    for (let times = 0; times < 80 && answer.status !== 429; times += 1)
      answer = await submit('test', { id });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, expect.any(String)]);
    expect(answer.body).toContain('try again in');
    expect(answer.body).toContain(`${PAGE}/make`);
  });

  it('says what a receiver that does not agree has to answer', async () => {
    const { submit, page, pass } = await world([404]);
    await submit('make', { url: HOOKS });
    await pass(1);
    expect(await page()).toMatch(
      />Pending<.*The receiver answered 404; answer the verification request with status 200 and the JSON/s,
    );
  });

  it('has one sent now, and says what came of it', async () => {
    const { submit, page, pass, own, bodies, agree } = await world([503]);
    await submit('make', { url: HOOKS });
    await agree();
    await pass(6);
    const { id = '' } = (await own())[0] ?? {};
    const asked = await submit('test', { id });
    expect([asked.status, asked.location]).toEqual([303, `${PAGE}?done=tested`]);
    expect(await page()).toContain('Delivery pending');
    await pass(6);
    expect(await page()).toMatch(/Retrying<.*The receiver answered 503/s);
    await pass(10);
    expect(bodies()).toHaveLength(1);
    expect(await page()).toContain('>Accepted<');
  });

  it('removes one of the member, and none of another', async () => {
    const { submit, own, subscribe, addKey, server } = await world();
    const { id } = await subscribe();
    const { key } = await addKey('other');
    const headers = { authorization: `Bearer ${key}` };
    const others = await server.inject({
      ...{ method: 'POST', url: '/api/me/subscriptions', headers, payload: { url: HOOKS } },
    });
    const refused = await submit('remove', { id: others.json().id });
    expect(refused.status).toBe(404);
    expect(refused.body).toContain('Your member has no such subscription');
    const removed = await submit('remove', { id });
    expect([removed.status, removed.location]).toEqual([303, `${PAGE}?done=removed`]);
    expect(await own()).toEqual([]);
  });

  it.each([
    ['an address that is none', { url: 'nowhere' }, 'The url is not valid'],
    ['plain http', { url: 'http://hooks.example/' }, 'Only https is sent to'],
    ['a type that is none', { url: HOOKS, types: 'nothing.else' }, 'Unknown event type'],
  ])('makes none of %s, says why, and keeps what was filled in', async (_what, fields, why) => {
    const { submit, own } = await world();
    const answer = await submit('make', fields);
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(why);
    expect(answer.body).toContain(`value="${fields.url}"`);
    expect(await own()).toEqual([]);
  });

  it('shows a hostile address as text, and says when there are enough', async () => {
    const { send, page, submit } = await world();
    for (let count = 0; count < 20; count += 1)
      expect((await send('POST', PATH, { url: NAUGHTY })).statusCode).toBe(201);
    expect(await page()).not.toContain('<script>alert(1)');
    expect(Buffer.byteLength(await page())).toBeLessThan(130_000);
    const more = await submit('make', { url: HOOKS });
    expect(more.status).toBe(409);
    expect(more.body).toContain('Your member has 20 subscriptions');
  });

  it('takes a form once, from its own site alone, and from a key with the scope alone', async () => {
    const { browser, page, own, server } = await world();
    const fields = { ...fieldsOf(await page(), `${PAGE}/make`), url: HOOKS };
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await browser.post(`${PAGE}/make`, fields, foreign)).status).toBe(400);
    expect((await browser.post(`${PAGE}/make`, { url: HOOKS })).status).toBe(400);
    expect(await own()).toEqual([]);
    await browser.post(`${PAGE}/make`, fields);
    expect((await browser.post(`${PAGE}/make`, fields)).location).toBe(`${PAGE}?done=again`);
    expect(await own()).toHaveLength(1);
    expect((await server.inject({ url: PAGE })).headers.location).toMatch(/^\/sign-in\?why=needed/);
    const reader = await world([], ['read']);
    const body = await reader.page();
    expect(body).toContain('lacks the scope <code>settings</code>');
    expect(body).not.toContain(`${PAGE}/make`);
    const { form = '' } = fieldsOf(body, '/my/sign-out');
    expect((await reader.browser.post(`${PAGE}/make`, { form, url: HOOKS })).status).toBe(403);
    expect(await reader.own()).toEqual([]);
  });
});
