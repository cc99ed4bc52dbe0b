import { describe, expect, it } from 'vitest';
import { newSecret, secretHash } from '../../src/owners/secrets.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';

const JOIN = '/api/registry/join';
const DAY = 86_400_000;

async function world() {
  const registry = await openRegistry();
  const document = (await registry.get('/openapi.json')).json() as OpenApi;
  const invited = async (member?: string) => {
    const secret = newSecret();
    const hash = secretHash(secret) ?? '';
    const expiresAt = PROBED_AT + DAY;
    await registry.records.members.invite({ hash, expiresAt, ...(member && { member }) }, PROBED_AT);
    return secret;
  };
  const join = async (payload: object) => {
    const answer = await registry.server.inject({ method: 'POST', url: JOIN, payload });
    expect(breaches(document, JOIN, answer, 'post')).toEqual([]);
    return { status: answer.statusCode, body: answer.json() };
  };
  /** As the browser of somebody on our own page sends the form. */
  const sendForm = (fields: Record<string, string>) =>
    registry.server.inject({
      ...{ method: 'POST', url: '/join', payload: new URLSearchParams(fields).toString() },
      headers: {
        ...{ 'content-type': 'application/x-www-form-urlencoded', host: 'registry.example' },
        ...{ origin: 'http://registry.example', 'sec-fetch-site': 'same-origin' },
      },
    });
  return { ...registry, invited, join, sendForm };
}

describe('joining', () => {
  it('makes a member and its first key, once, and the key works', async () => {
    const { invited, join, get } = await world();
    const invitation = await invited();
    const wish = { invitation, slug: 'nova', display_name: ' Nova  Media ' };
    const { status, body } = await join(wish);
    expect([status, body.member]).toEqual([201, 'joined-nova']);
    const authorization = `Bearer ${body.key}`;
    expect((await get('/api/me/agents', { authorization })).statusCode).toBe(200);
    expect((await get('/api/me/settings', { authorization })).json()).toMatchObject({
      ...{ slug: 'joined-nova', id: expect.stringMatching(/^mem_[0-9a-f]{16}$/), display_name: 'Nova Media' },
    });
    expect((await join({ ...wish, slug: 'other' })).status).toBe(404);
  });

  it.each([
    ['acme', 'joined-acme'],
    ['joined-acme', 'joined-acme'],
    ['joined', 'joined-joined'],
    ['a'.repeat(56), `joined-${'a'.repeat(56)}`],
  ])('as %s makes the member %s, in the namespace of those that join', async (slug, member) => {
    const { invited, join } = await world();
    const { status, body } = await join({ invitation: await invited(), slug, display_name: 'Acme' });
    expect([status, body.member]).toEqual([201, member]);
  });

  it('takes no slug, tier or agent that the operator gives to a member, before or after', async () => {
    const { invited, join, records, get } = await world();
    const acme = { slug: 'acme', displayName: 'Acme', foundingMember: false, tier: 'leader' };
    await records.members.import([{ ...acme, slug: 'first' }], PROBED_AT);
    const stranger = (slug: string, invitation: string) => join({ invitation, slug, display_name: slug });
    const { key } = (await stranger('acme', await invited())).body;
    expect((await stranger('first', await invited())).body.member).toBe('joined-first');
    await records.members.import([acme], PROBED_AT);
    const agent = 'https://a.example/mcp';
    await records.members.register({ agent, url: agent, member: 'acme' }, PROBED_AT);
    const headers = { authorization: `Bearer ${key}` };
    expect((await get('/api/me/agents', headers)).json().agents).toEqual([]);
    expect((await get('/api/me/settings', headers)).json()).not.toHaveProperty('membership_tier');
    expect((await records.members.get('acme'))?.tier).toBe('leader');
  });

  it('is refused with the reason, and the invitation stays good', async () => {
    const { invited, join } = await world();
    const invitation = await invited();
    const names = { slug: 'nova', display_name: 'Nova' };
    const refused: readonly (readonly [wish: object, status: number, parameter: string | undefined])[] = [
      [{}, 400, 'invitation'],
      [{ ...names, invitation: newSecret() }, 404, 'invitation'],
      [{ ...names, invitation: 'short' }, 404, 'invitation'],
      [{ invitation }, 400, 'slug'],
      [{ ...names, invitation, slug: 'Nova' }, 400, 'slug'],
      [{ ...names, invitation, slug: 'joined-' }, 400, 'slug'],
      [{ ...names, invitation, slug: 'joined--nova' }, 400, 'slug'],
      [{ ...names, invitation, slug: 'n'.repeat(57) }, 400, 'slug'],
      [{ ...names, invitation, display_name: '\u0000' }, 400, 'display_name'],
      [{ ...names, invitation, display_name: 'n'.repeat(201) }, 400, 'display_name'],
      [{ ...names, invitation, tier: 'leader' }, 400, 'tier'],
    ];
    for (const [wish, status, parameter] of refused) {
      const answer = await join(wish);
      expect([wish, answer.status, answer.body.parameter]).toEqual([wish, status, parameter]);
    }
    expect((await join({ ...names, invitation })).status).toBe(201);
    const taken = await join({ ...names, invitation: await invited() });
    expect([taken.status, taken.body.code]).toEqual([409, 'slug_taken']);
  });

  it('ends with the day of its invitation', async () => {
    const { invited, join, clock } = await world();
    const asked = { invitation: await invited(), slug: 'nova', display_name: 'Nova' };
    clock.value = PROBED_AT + DAY;
    expect((await join(asked)).status).toBe(404);
    clock.value -= 1;
    expect((await join(asked)).status).toBe(201);
  });

  it('works by the page of the link, which says what was wrong and keeps what was written', async () => {
    const { invited, sendForm, get } = await world();
    const invitation = await invited();
    const page = await get(`/join?invitation=${invitation}`, { accept: 'text/html' });
    expect(page.body).toContain(`value="${invitation}"`);
    const wrong = await sendForm({ invitation, slug: 'No', display_name: '<b>Nova</b>' });
    expect([wrong.statusCode, wrong.body.includes('role="alert"')]).toEqual([400, true]);
    expect(wrong.body).toContain('&lt;b&gt;Nova&lt;/b&gt;');
    const good = await sendForm({ invitation, slug: 'nova', display_name: 'Nova' });
    expect(good.body).toMatch(/ark_[0-9a-f]{16}_/);
    expect(good.body).toContain('<b>joined-nova</b>');
    expect(page.body).toContain('Badges require the tier <bdi>Professional</bdi>');
    expect(good.body).toContain('Your organisation cannot earn badges yet.');
    expect(good.body).toMatch(/<code><bdi>joined-nova<\/bdi><\/code> \(id <code>mem_[0-9a-f]{16}<\/code>\)/);
    expect(page.body).toContain('adds the prefix <code>joined-</code>');
    expect(good.headers['cache-control']).toContain('no-store');
    expect((await sendForm({ invitation, slug: 'more', display_name: 'More' })).statusCode).toBe(404);
  });
});
