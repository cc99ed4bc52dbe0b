import { describe, expect, it, onTestFinished } from 'vitest';
import { composeProofs } from '../../src/compose/proofs.ts';
import { readConfig } from '../../src/config.ts';
import type { ApiScope } from '../../src/domain/api-scope.ts';
import { newApiKey } from '../../src/owners/secrets.ts';
import { openNameServer } from '../owners/support/name-server.ts';
import { FILE, openSite, type SiteAnswer } from '../owners/support/site.ts';
import { fieldsOf, openBrowser } from './support/browser.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';

const AGENT = 'https://sales.nova.example/mcp';
const OWN = `/my/agents/${encodeURIComponent(AGENT)}`;
const PROOF = `${OWN}/proof`;
const NAUGHTY = `"><script>alert(1)</script>`;

/** A browser that is signed in with a key of nova, and the host of the agent with what is published there. */
async function world({ scopes, looks = true }: { scopes?: readonly ApiScope[]; looks?: boolean } = {}) {
  const published: Record<string, SiteAnswer> = {};
  const clock = { now: () => PROBED_AT };
  const network = { connectTo: [await openSite('sales.nova.example', published)] };
  const proofs = composeProofs({
    ...{ config: readConfig({}), network, clock, nameServer: await openNameServer({}) },
  });
  onTestFinished(() => proofs.close());
  const parts = looks ? { findProof: proofs.find } : {};
  const registry = await openRegistry([bareDocument(AGENT)], {}, parts);
  const names = ['nova', 'orbit'].map((slug) => ({ slug, displayName: slug, foundingMember: false }));
  await registry.records.members.import(names, PROBED_AT);
  const { key, hash, id } = newApiKey();
  await registry.records.keys.create({ id, hash, member: 'nova', ...(scopes && { scopes }) }, PROBED_AT);
  const browser = await openBrowser(registry.server);
  await browser.post('/sign-in', { key, next: '/my' });
  const ask = async (fields: Record<string, string>) =>
    browser.submit((await browser.get('/my')).body, '/my/ask', fields);
  const act = async (name: string) => browser.submit((await browser.get(PROOF)).body, `${PROOF}/${name}`);
  const audit = async () =>
    (await registry.records.owners.auditLog({ subject: AGENT, limit: 50 }))
      .toReversed()
      .filter(({ action }) => action.startsWith('agent.'));
  return { ...registry, browser, ask, act, published, audit, id };
}

const tokenIn = (page: string) => /<code>(agent-registry-challenge=[^<]*)<\/code>/.exec(page)?.[1] ?? '';

describe('asking for an agent on the pages of a member', () => {
  it('leads to the text to publish, and with the text published to the page of the owner', async () => {
    const { browser, ask, act, published, audit, id, records } = await world();
    const asked = await ask({ url: AGENT, type: 'sales', name: 'Nova', description: '' });
    expect([asked.status, asked.location]).toEqual([303, `${PROOF}?done=asked`]);
    expect((await browser.get('/my')).body).toMatch(/>Nova<.*>sales<.*>Pending verification</s);
    const { body } = await browser.get(asked.location ?? '');
    expect(body).toMatch(/Details, published after verification.*>Nova<.*>sales</s);
    expect(body).not.toContain('<dt>Description</dt>');
    expect(tokenIn(body)).toContain(`member=nova agent=${AGENT}`);
    for (const text of ['https://sales.nova.example/.well-known/', '_agent-registry.nova.example'])
      expect(body).toContain(text);
    const vain = await act('look');
    expect(vain.status).toBe(200);
    for (const text of ['Verification text not found.', 'HTTP 404']) expect(vain.body).toContain(text);
    published[FILE] = { body: tokenIn(body) };
    const found = await act('look');
    expect([found.status, found.location]).toEqual([303, `${OWN}?done=proven`]);
    const owned = (await browser.get(found.location ?? '')).body;
    for (const text of [
      'Verified: the agent is yours.',
      '>Run first test</button>',
      'First test: <time datetime="2026-01-06T10:00:00.000Z">',
    ])
      expect(owned).toContain(text);
    expect(await records.runs.due(5, PROBED_AT)).toEqual([]);
    expect(await records.owners.owner(AGENT)).toMatchObject({ member: 'nova', via: 'file' });
    expect((await audit()).map(({ action, actor }) => [action, actor])).toEqual(
      ['agent.ask', 'agent.challenge', 'agent.prove'].map((action) => [action, id]),
    );
    expect((await ask({ url: AGENT })).location).toBe(`${OWN}?done=yours`);
  });

  it('shows a pending agent as pending verification, and not as the agent of another', async () => {
    const { browser, ask } = await world();
    await ask({ url: AGENT, name: 'Nova' });
    const list = (await browser.get('/my')).body;
    expect(list).toContain(`<h2><a href="${OWN}"><bdi>Nova</bdi></a></h2>`);
    expect(list).not.toContain('Not in the list');
    const { status, body } = await browser.get(OWN);
    expect(status).toBe(200);
    expect(body).toContain('<bdi>Pending verification</bdi>');
    expect(body).toContain(`href="${PROOF}">Verify this agent</a>`);
    expect(body).not.toContain('Not your agent');
  });

  it.each([
    [{ url: 'ftp://sales.nova.example' }, 'Url: '],
    [{ url: 'https://127.0.0.1/mcp' }, 'a loopback address'],
    [{ url: '' }, 'Url: '],
    [{ url: AGENT, type: NAUGHTY }, 'Type: '],
    [{ url: NAUGHTY, name: NAUGHTY }, 'Url: '],
  ])('says what is wrong with what was filled in, and keeps it: %j', async (fields, why) => {
    const { ask, records } = await world();
    const { status, body } = await ask(fields as Record<string, string>);
    expect(status).toBe(400);
    expect(body).toContain(why);
    expect(body).not.toContain('<script>alert');
    const kept = fields.url.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    expect(body).toContain(`value="${kept}"`);
    expect(await records.owners.registered({ member: 'nova', limit: 5 })).toEqual([]);
  });

  it('takes a form once, and none that this session was not given', async () => {
    const { browser, audit } = await world();
    const { form = '' } = fieldsOf((await browser.get('/my')).body, '/my/ask');
    expect((await browser.post('/my/ask', { form, url: AGENT })).status).toBe(303);
    const again = await browser.post('/my/ask', { form, url: AGENT });
    expect([again.status, again.location]).toEqual([303, '/my?done=again']);
    expect((await browser.post('/my/ask', { form: 'x', url: AGENT })).status).toBe(400);
    const foreign = { origin: 'https://elsewhere.example' };
    expect((await browser.post('/my/ask', { form, url: AGENT }, foreign)).status).toBe(400);
    expect((await audit()).map(({ action }) => action)).toEqual(['agent.ask', 'agent.challenge']);
  });

  it('is given up, and asked for anew', async () => {
    const { browser, ask, act, records } = await world();
    await ask({ url: AGENT });
    const gone = await act('give-up');
    expect(gone.location).toBe('/my?done=given-up');
    expect(await records.owners.registered({ member: 'nova', limit: 5 })).toEqual([]);
    expect((await browser.get(PROOF)).status).toBe(404);
    const other = await browser.get(OWN);
    expect(other.body).toContain(`href="/my?url=${encodeURIComponent(AGENT)}#ask"`);
    expect((await browser.get(`/my?url=${encodeURIComponent(AGENT)}`)).body).toContain(`value="${AGENT}"`);
  });

  it('says why the proof counts no more when another member was first', async () => {
    const { addKey, ask, act, browser, published, records, server } = await world();
    const { body } = await browser.get((await ask({ url: AGENT })).location ?? '');
    const { key, id } = await addKey('orbit');
    const send = async (path: string, payload?: object) => {
      const url = `/api/me/agents${path}`;
      const headers = { authorization: `Bearer ${key}` };
      return (await server.inject({ method: 'POST', url, headers, ...(payload && { payload }) })).json();
    };
    await send('', { url: AGENT });
    const { token } = await send(`/${encodeURIComponent(AGENT)}/challenge`);
    const actor = { kind: 'key', keyId: id, member: 'orbit' } as const;
    published[FILE] = {
      body: tokenIn(body),
      // while nova's text is looked for, orbit proves its own
      before: () =>
        records.owners.prove({ agent: AGENT, member: 'orbit', token, via: 'file', actor }, PROBED_AT),
    };
    const late = await act('look');
    expect(late.status).toBe(404);
    expect(late.body).toContain('Another member has verified this agent in the meantime');
  });

  it('needs a key that may ask, and says so', async () => {
    const { browser, records } = await world({ scopes: ['read'] });
    const { body } = await browser.get('/my');
    expect(body).toContain('lacks the scope <code>agents</code>');
    expect(body).not.toContain('action="/my/ask"');
    expect((await browser.post('/my/ask', { form: 'x', url: AGENT })).status).toBe(403);
    expect(await records.owners.registered({ member: 'nova', limit: 5 })).toEqual([]);
  });

  it('says where this registry looks for no proofs', async () => {
    const { browser, ask } = await world({ looks: false });
    const { body } = await browser.get((await ask({ url: AGENT })).location ?? '');
    expect(body).toContain('does not verify domains automatically');
    expect(body).not.toContain('proof/look"');
  });
});
