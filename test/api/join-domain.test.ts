import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { composeProofs } from '../../src/compose/proofs.ts';
import { readConfig } from '../../src/config.ts';
import { newDomainInvitation, openDomainInvitation } from '../../src/owners/domain-invitation.ts';
import { newApiKey, newMemberId, newSecret, secretHash } from '../../src/owners/secrets.ts';
import { openNameServer, type Zone } from '../owners/support/name-server.ts';
import { FILE, openSite, type SiteAnswer } from '../owners/support/site.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';

const JOIN = '/api/registry/join';
const DOMAIN = 'nova.example';
const DAY = 86_400_000;
const NAMES = { slug: 'nova', display_name: 'Nova Media' };

/** A registry that lets whoever proves a domain join, and the domain with what is published there. */
async function world(join: 'invitation' | 'domain' = 'domain', config: { answerWithinMs?: number } = {}) {
  const published: Record<string, SiteAnswer> = {};
  const texts: Zone = {};
  const network = { connectTo: [await openSite(DOMAIN, published)] };
  const clock = { now: () => PROBED_AT };
  const nameServer = await openNameServer(texts);
  const proofs = composeProofs({ config: readConfig({}), network, clock, nameServer });
  onTestFinished(() => proofs.close());
  const registry = await openRegistry([], { join, ...config }, { findProof: proofs.find });
  const document = (await registry.get('/openapi.json')).json() as OpenApi;
  const post = async (path: string, payload: object) => {
    const answer = await registry.server.inject({ method: 'POST', url: path, payload });
    expect(breaches(document, path, answer, 'post')).toEqual([]);
    return { status: answer.statusCode, body: answer.json() };
  };
  const invite = async (domain = DOMAIN) => (await post(`${JOIN}/domain`, { domain })).body;
  return {
    ...{ ...registry, published, texts, post, invite },
    comes: (invitation: string, names: object = NAMES) => post(JOIN, { invitation, ...names }),
    /** As the browser of somebody on our own page sends the form. */
    sendForm: (url: string, fields: Record<string, string>) =>
      registry.server.inject({
        ...{ method: 'POST', url, payload: new URLSearchParams(fields).toString() },
        headers: {
          ...{ 'content-type': 'application/x-www-form-urlencoded', host: 'registry.example' },
          ...{ origin: 'http://registry.example', 'sec-fetch-site': 'same-origin' },
        },
      }),
  };
}

describe('joining by a domain', () => {
  it('is refused where the operator wants invitations', async () => {
    const { post, comes, get } = await world('invitation');
    expect(await post(`${JOIN}/domain`, { domain: DOMAIN })).toMatchObject({
      ...{ status: 501, body: { code: 'not_offered' } },
    });
    const secret = new Uint8Array(32);
    const { invitation } = newDomainInvitation(DOMAIN, secret, PROBED_AT);
    expect((await comes(invitation)).status).toBe(501);
    expect((await get('/join', { accept: 'text/html' })).body).not.toContain('/join/domain');
  });

  it('makes a member of whoever publishes the text, once, and its key works', async () => {
    const { invite, comes, published, get, records } = await world();
    const { invitation, token, file_url, dns_name } = await invite();
    expect([file_url, dns_name]).toEqual([`https://${DOMAIN}${FILE}`, `_agent-registry.${DOMAIN}`]);
    const early = await comes(invitation);
    expect([early.status, early.body.code]).toEqual([409, 'not_proven']);
    for (const place of [file_url, dns_name]) expect(early.body.detail).toContain(place);
    published[FILE] = { body: `# ours\n${token}\n` };
    const { status, body } = await comes(invitation);
    expect([status, body.member]).toEqual([201, 'joined-nova']);
    expect((await get('/api/me/agents', { authorization: `Bearer ${body.key}` })).statusCode).toBe(200);
    const [joined] = await records.owners.auditLog({ subject: 'joined-nova', limit: 10 });
    expect(joined).toMatchObject({ action: 'member.join', details: { key: body.id, domain: DOMAIN } });
    const other = { slug: 'orbit', display_name: 'Orbit' };
    const again = await comes(invitation, other);
    expect([again.status, again.body.code]).toEqual([409, 'domain_taken']);
    expect((await records.members.list()).map(({ slug }) => slug)).toEqual(['joined-nova']);
  });

  it('finds what is published, however many others ask in vain at the same time', async () => {
    const { invite, server, published } = await world();
    const strangers = await Promise.all(Array.from({ length: 40 }, () => invite()));
    const { invitation, token } = await invite();
    published[FILE] = { body: token };
    const join = async (text: string, remoteAddress: string, slug: string) => {
      const payload = { invitation: text, slug, display_name: slug };
      return (await server.inject({ method: 'POST', url: JOIN, payload, remoteAddress })).statusCode;
    };
    const answers = strangers.map(({ invitation: text }, n) =>
      join(text, `127.${n % 3}.0.${n + 2}`, `s${n}`),
    );
    expect(await join(invitation, '127.0.0.1', 'nova')).toBe(201);
    expect(new Set(await Promise.all(answers))).toEqual(new Set([409]));
    for (let n = 0; n < 6; n += 1) await join(strangers[n]?.invitation ?? '', '127.0.0.2', 's');
  });

  it('waits longer for the site than for the store, so that the key of a new member is never lost', async () => {
    const { invite, comes, sendForm, published } = await world('domain', { answerWithinMs: 1_000 });
    const { invitation, token } = await invite();
    const before = () => delay(1_100);
    published[FILE] = { status: 404, before };
    expect((await sendForm('/join', { invitation, ...NAMES })).statusCode).toBe(409);
    published[FILE] = { body: token, before };
    expect((await comes(invitation)).status).toBe(201);
  });

  it('takes a TXT record as well', async () => {
    const { invite, comes, texts } = await world();
    const { invitation, token, dns_name } = await invite();
    texts[dns_name] = [['v=spf1 -all'], [token.slice(0, 20), token.slice(20)]];
    expect((await comes(invitation)).status).toBe(201);
  });

  it('gives nothing to whoever reads what another one has published', async () => {
    const { invite, comes, published } = await world();
    const [theirs, ours] = [await invite(), await invite()];
    published[FILE] = { body: theirs.token };
    expect((await comes(ours.invitation)).body.code).toBe('not_proven');
    for (const seen of [theirs.token, /=(\S+)/.exec(theirs.token)?.[1] ?? ''])
      expect((await comes(seen)).status).toBe(404);
    expect((await comes(theirs.invitation)).status).toBe(201);
  });

  it('stays good when the name is taken, and of two at once one joins', async () => {
    const { invite, comes, published, records } = await world();
    const hash = secretHash(newSecret()) ?? '';
    await records.members.invite({ hash, expiresAt: PROBED_AT + DAY }, PROBED_AT);
    const wanted = { id: newMemberId(), slug: 'joined-nova', displayName: 'Nova' };
    await records.members.join({ hash, key: newApiKey(), wanted }, PROBED_AT);
    const { invitation, token } = await invite();
    published[FILE] = { body: token };
    expect((await comes(invitation)).body.code).toBe('slug_taken');
    const slugs = ['orbit', 'pulse'];
    const came = await Promise.all(slugs.map((slug) => comes(invitation, { slug, display_name: slug })));
    const made = came.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    expect((await records.members.list()).map(({ slug }) => slug).sort()).toEqual(
      ['joined-nova', made[0]?.body.member].sort(),
    );
  });

  it.each([
    ['www.nova.example', [DOMAIN]],
    ['co.uk', undefined],
    ['localhost', undefined],
    ['127.0.0.1', undefined],
    ['', undefined],
  ])('gives no invitation for %j', async (domain, valid_values) => {
    const { post } = await world();
    const { status, body } = await post(`${JOIN}/domain`, { domain });
    expect([status, body.parameter, body.valid_values]).toEqual([400, 'domain', valid_values]);
  });

  it('needs names, and looks at nothing before', async () => {
    const { invite, comes, post } = await world();
    const { invitation } = await invite();
    expect((await comes(invitation, {})).body).toMatchObject({ status: 400, parameter: 'slug' });
    expect((await comes(invitation, { ...NAMES, slug: 'Nova' })).body.parameter).toBe('slug');
    expect((await post(JOIN, NAMES)).body.parameter).toBe('invitation');
    expect((await post(`${JOIN}/domain`, { domain: 7 })).status).toBe(400);
  });

  it('works by the page, which shows the text and has the invitation in its form', async () => {
    const { get, sendForm, published } = await world();
    expect((await get('/join', { accept: 'text/html' })).body).toContain('action="/join/domain"');
    const wrong = await sendForm('/join/domain', { domain: '"><script>' });
    expect([wrong.statusCode, wrong.body.includes('role="alert"')]).toEqual([400, true]);
    expect(wrong.body).not.toContain('"><script>');
    const { body, headers } = await sendForm('/join/domain', { domain: DOMAIN });
    expect(headers['cache-control']).toContain('no-store');
    const token = /<code>(agent-registry-challenge=[^<]*)</.exec(body)?.[1] ?? '';
    const invitation = /name="invitation"[^>]*value="(domain:[^"]*)"/.exec(body)?.[1] ?? '';
    published[FILE] = { body: token };
    const joined = await sendForm('/join', { invitation, ...NAMES });
    expect(joined.body).toMatch(/ark_[0-9a-f]{16}_/);
  });
});

describe('an invitation for a domain', () => {
  const secret = new Uint8Array(32).fill(1);
  const { invitation, token, expiresAt } = newDomainInvitation(DOMAIN, secret, PROBED_AT);

  it('is good for seven days, with the same text to publish', () => {
    expect(openDomainInvitation(invitation, secret, PROBED_AT)).toEqual({
      ...{ invitation, token, expiresAt, domain: DOMAIN },
    });
    expect(openDomainInvitation(invitation, secret, expiresAt - 1)?.token).toBe(token);
    expect(expiresAt).toBe(PROBED_AT + 7 * DAY);
    expect(openDomainInvitation(invitation, secret, expiresAt)).toBeUndefined();
  });

  it.each([
    ['of another domain', invitation.replace(DOMAIN, 'evil.example')],
    ['of another end', invitation.replace(/:(\d{10}):/, ':9999999999:')],
    ['with another seal', `${invitation.slice(0, -1)}${invitation.endsWith('A') ? 'B' : 'A'}`],
    ['with a line behind it', `${invitation}\n`],
    ['that is cut', invitation.slice(0, -1)],
    ['that is empty', ''],
  ])('%s is none', (_what, text) => {
    expect(openDomainInvitation(text, secret, PROBED_AT)).toBeUndefined();
  });

  it('of another registry is none', () => {
    expect(openDomainInvitation(invitation, new Uint8Array(32), PROBED_AT)).toBeUndefined();
  });
});
