import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { loadBadgeKeys } from '../../src/signing/badge-keys.ts';
import { readBadge } from '../../src/signing/badge-token.ts';
import { fixedKeys, readJwkSet } from '../../src/signing/key-source.ts';
import { run, tempFolder } from '../cli/support/cli.ts';
import { of } from '../compliance/support/badge-story.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT, sharedRegistry } from './support/registry.ts';
import { AGENT, BASE, optOut, SELLER, tested } from './support/tested-agent.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FAILS = of({ 'sales-guaranteed': 'fail' });
const JWKS = '/.well-known/jwks.json';
const path = (role: string, agent = AGENT) =>
  `/api/registry/agents/${encodeURIComponent(agent)}/badge/${role}/token`;
const TOKEN = path('media-buy');

describe('GET …/badge/{role}/token', () => {
  const seller = sharedRegistry(() => tested(SELLER));

  it('gives what a third party can verify with the published keys and nothing else', async () => {
    const { get, records } = await tested(SELLER);
    const { statusCode, headers, body } = await get(TOKEN);
    expect([statusCode, headers['content-type']]).toEqual([200, 'application/jwt']);
    const issuer = `urn:uuid:${await records.id()}`;
    const { payload } = await jwtVerify(body, createLocalJWKSet((await get(JWKS)).json()), {
      ...{ issuer, subject: AGENT, typ: 'agent-badge+jwt', algorithms: ['EdDSA'] },
      currentDate: new Date(PROBED_AT),
    });
    const [{ badge_url: _, ...badge }] = (await get(BASE)).json().verified_badges;
    expect(payload).toEqual({
      ...{ iss: issuer, sub: AGENT, iat: PROBED_AT / 1_000, exp: PROBED_AT / 1_000 + 86_400 },
      ...badge,
    });
  });

  it('is from the public address where there is one', async () => {
    const { get, addOwner, records } = await openRegistry([bareDocument(AGENT)], {
      baseUrl: 'https://registry.example',
    });
    await addOwner(AGENT, 'nova');
    const member = { slug: 'nova', displayName: 'nova', foundingMember: false };
    await records.members.import([{ ...member, tier: 'builder', subscriptionStatus: 'active' }], PROBED_AT);
    await keepRun(records, PROBED_AT, SELLER, { agent: AGENT });
    expect(decodeJwt((await get(TOKEN)).body).iss).toBe('https://registry.example');
    const [badge] = (await get(BASE)).json().verified_badges;
    expect(badge.badge_url).toBe(`https://registry.example${path('media-buy').replace('/token', '.svg')}`);
  });

  it('is the same for an hour, for everybody, and may be kept', async () => {
    const { get, clock, owner, stranger } = await tested(SELLER);
    const first = await get(TOKEN);
    clock.value = PROBED_AT + HOUR - 1;
    for (const headers of [{}, owner, stranger]) {
      const again = await get(TOKEN, headers);
      expect([again.body, again.headers.etag]).toEqual([first.body, first.headers.etag]);
    }
    const unchanged = await get(TOKEN, { 'if-none-match': String(first.headers.etag) });
    expect([unchanged.statusCode, unchanged.body]).toEqual([304, '']);
    expect(unchanged.headers['cache-control']).toBe('public, max-age=300');
    clock.value = PROBED_AT + HOUR;
    const next = await get(TOKEN, { 'if-none-match': String(first.headers.etag) });
    expect([next.statusCode, decodeJwt(next.body).iat]).toEqual([200, (PROBED_AT + HOUR) / 1_000]);
  });

  it('is never older than its badge', async () => {
    const { get, records, clock } = await tested();
    clock.value = PROBED_AT + 40 * 60_000;
    await keepRun(records, PROBED_AT + 20 * 60_000, SELLER, { agent: AGENT });
    expect(decodeJwt((await get(TOKEN)).body).iat).toBe((PROBED_AT + 20 * 60_000) / 1_000);
  });

  it('is of the newest line, or of the one that is asked for', async () => {
    const { get } = await tested(SELLER, of({ 'sales-guaranteed': 'pass' }, { proto_version: '3.10.0' }));
    const lineOf = async (query: string) =>
      decodeJwt((await get(TOKEN + query)).body).verified_protocol_version;
    expect([await lineOf(''), await lineOf('?line=3.0')]).toEqual(['3.10', '3.0']);
    expect([await lineOf('?line=3.10-beta'), await lineOf('?line=v3.0.0-rc.1')]).toEqual(['3.10', '3.0']);
    expect((await get(`${TOKEN}?line=3.1`)).statusCode).toBe(404);
  });

  it('goes on in grace, and ends with the badge', async () => {
    const { get, records } = await tested(SELLER);
    await keepRun(records, PROBED_AT + DAY, FAILS, { agent: AGENT });
    expect((await get(TOKEN)).statusCode).toBe(200);
    await keepRun(records, PROBED_AT + 4 * DAY, FAILS, { agent: AGENT });
    expect((await get(TOKEN)).statusCode).toBe(404);
  });

  it('is refused in one and the same way for whoever has none, for whatever reason', async () => {
    const { get, records } = await tested(SELLER);
    const none = await get(path('brand'));
    expect([none.statusCode, none.json().code]).toEqual([404, 'not_found']);
    const others = [await get(path('media-buy', 'https://nobody.example/')), await get(`${TOKEN}?line=9.9`)];
    await optOut({ records });
    others.push(await get(TOKEN));
    for (const other of others) expect([other.statusCode, other.body]).toEqual([404, none.body]);
  });

  it.each([
    ['a role that is none', path('juggling'), 404, 'not_found'],
    ['an address that is none', path('media-buy', 'nonsense'), 400, 'bad_agent_url'],
    ['another parameter', `${TOKEN}?format=jwt`, 400, 'unknown_parameter'],
    ['a line that is none', `${TOKEN}?line=latest`, 400, 'invalid_value'],
    ['a label that is too long', `${TOKEN}?line=3.0-${'a'.repeat(61)}`, 400, 'invalid_value'],
    ['no line', `${TOKEN}?line=`, 400, 'empty_value'],
    ['two lines', `${TOKEN}?line=3.0&line=3.1`, 400, 'repeated_parameter'],
  ])('refuses %s', async (_what, url, status, code) => {
    const { get } = await seller();
    const { statusCode, headers, ...answer } = await get(url);
    expect([statusCode, answer.json().code]).toEqual([status, code]);
    expect(headers['cache-control']).not.toBe('public, max-age=300');
  });
});

describe('GET /.well-known/jwks.json', () => {
  it('has public keys alone, and may be kept', async () => {
    const { get } = await openRegistry();
    const { headers, ...answer } = await get(JWKS);
    expect(headers).toMatchObject({
      'content-type': 'application/jwk-set+json',
      'cache-control': 'public, max-age=300',
    });
    const { keys } = answer.json();
    expect(keys).toEqual([
      {
        ...{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', key_ops: ['verify'] },
        ...{ proto_use: 'badge-signing', x: expect.any(String), kid: expect.stringMatching(/^badge-/) },
      },
    ]);
    expect((await get(JWKS, { 'if-none-match': String(headers.etag) })).statusCode).toBe(304);
    expect((await get(`${JWKS}?kid=a`)).statusCode).toBe(400);
  });

  it('is of the keys that the registry was given; after a rotation tokens of the key before still hold', async () => {
    const folder = tempFolder();
    const keys = ['--kind', 'badge', '--keys', folder];
    await run('keys', 'generate', ...keys);
    const before = await loadBadgeKeys(folder);
    await run('keys', 'rotate', ...keys);
    const after = await loadBadgeKeys(folder);
    const { get } = await openRegistry([], { badgeKeys: after });
    const published = readJwkSet((await get(JWKS)).body);
    expect(published).toEqual(after.published);
    expect(published?.map(({ kid }) => kid)).toEqual([after.signer.keyid, before.signer.keyid]);
  });
});

describe('a token that was handed out', () => {
  it('outlives its badge by no more than a day', async () => {
    const { get, records, clock } = await tested(SELLER);
    const { body } = await get(TOKEN);
    const keys = fixedKeys(readJwkSet((await get(JWKS)).body));
    await optOut({ records });
    clock.value = PROBED_AT + DAY;
    const now = clock.value / 1_000;
    expect(await readBadge(body, { keys, now, agent: AGENT })).toMatchObject({ code: 'badge_expired' });
    expect((await get(TOKEN)).statusCode).toBe(404);
  });
});
