import { createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import type { BadgeClaims } from '../../src/signing/badge-claims.ts';
import { derivedKeys } from '../../src/signing/badge-keys.ts';
import { readBadgeRevocations, revocationList } from '../../src/signing/badge-revocations.ts';
import { BADGE_CHECKS, type BadgeExpectation, readBadge, signBadge } from '../../src/signing/badge-token.ts';
import { fixedKeys } from '../../src/signing/key-source.ts';
import { generateKey, publicJwk, readSigningKey } from '../../src/signing/private-key.ts';
import type { Jwk } from '../../src/signing/public-key.ts';
import { base64url, signedText } from '../../src/signing/token-parts.ts';

const NOW = 1_767_690_000;
const KEYS = await derivedKeys(new Uint8Array(32).fill(7), 'badge');
const SET = KEYS.published;
const CLAIMS: BadgeClaims = {
  iss: 'https://registry.example',
  sub: 'https://sales.example/mcp',
  iat: NOW,
  exp: NOW + 86_400,
  role: 'media-buy',
  verified_protocol_version: '3.0',
  proto_version: '3.0.0',
  verified_at: '2026-01-06T09:00:00.000Z',
  verified_specialisms: ['sales-guaranteed'],
  verification_modes: ['spec', 'live'],
};
const TOKEN = await signBadge(KEYS.signer, CLAIMS);
const HEADER = { alg: 'EdDSA', typ: 'agent-badge+jwt', kid: KEYS.signer.keyid };

const read = (token: string, over: Partial<BadgeExpectation> = {}) =>
  readBadge(token, { keys: fixedKeys(SET), now: NOW, issuer: CLAIMS.iss, ...over });

/** Signed with the registry's own key, whatever it says. */
async function signedAs(header: object, claims: object): Promise<string> {
  const text = signedText(header, claims);
  return `${text}.${base64url(await KEYS.signer.sign(new TextEncoder().encode(text)))}`;
}

const claiming = (over: Readonly<Record<string, unknown>>) => signedAs(HEADER, { ...CLAIMS, ...over });
const keyed = (over: Jwk) => fixedKeys(SET.map((jwk) => ({ ...jwk, ...over })));

describe("a badge's token", () => {
  it('holds, and gives its claims', async () => {
    const expected = { agent: CLAIMS.sub, issuer: CLAIMS.iss };
    expect(await read(TOKEN, expected)).toEqual({ valid: true, claims: CLAIMS });
  });

  it('is the same every time, so that it can be kept', async () => {
    expect(await signBadge(KEYS.signer, CLAIMS)).toBe(TOKEN);
  });

  it('is verified by others with the published keys alone: jose as they would use it', async () => {
    const { payload, protectedHeader } = await jwtVerify(
      TOKEN,
      createLocalJWKSet({ keys: [...SET] as never }),
      {
        issuer: CLAIMS.iss,
        subject: CLAIMS.sub,
        typ: 'agent-badge+jwt',
        algorithms: ['EdDSA'],
        currentDate: new Date(NOW * 1_000),
      },
    );
    expect([payload, protectedHeader]).toEqual([CLAIMS, HEADER]);
  });

  it('and by nothing but the cryptography of the platform', () => {
    const [header = '', claims = '', signature = ''] = TOKEN.split('.');
    const key = createPublicKey({ key: SET[0] as never, format: 'jwk' });
    const holds = (text: string) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
    expect([holds(`${header}.${claims}`), holds(`${header}.${claims}A`)]).toEqual([true, false]);
  });

  it('ends by itself a day after it was issued', async () => {
    expect(await read(TOKEN, { now: CLAIMS.exp - 1 })).toMatchObject({ valid: true });
    expect(await read(TOKEN, { now: CLAIMS.exp })).toMatchObject({ code: 'badge_expired', check: 'window' });
  });

  it('fails as soon as any character of it is another', async () => {
    const alphabet = 'ABCZabcz059-_.=+/ ';
    const changed = fc.tuple(fc.nat(TOKEN.length - 1), fc.constantFrom(...alphabet));
    await fc.assert(
      fc.asyncProperty(changed, async ([at, other]) => {
        fc.pre(TOKEN[at] !== other);
        const token = TOKEN.slice(0, at) + other + TOKEN.slice(at + 1);
        expect((await read(token)).valid).toBe(false);
      }),
      { numRuns: 300 },
    );
    for (const token of ['', TOKEN.slice(0, -1), `${TOKEN}A`, `${TOKEN}.`, ` ${TOKEN}`])
      expect((await read(token)).valid).toBe(false);
  });
});

const unsignedAs = (header: object) => `${signedText(header, CLAIMS)}.`;

describe('a token that is no badge of ours is refused, and the check says why', () => {
  it.each<[string, () => string | Promise<string>, Partial<BadgeExpectation>, string, string]>([
    ['what is no token', () => 'badge', {}, 'form', 'malformed'],
    ['an endless one', () => `eyJ${'A'.repeat(9_000)}.e30.AA`, {}, 'form', 'malformed'],
    ['no signature', () => unsignedAs(HEADER), {}, 'form', 'malformed'],
    ['extensions', () => signedAs({ ...HEADER, crit: ['b64'] }, CLAIMS), {}, 'form', 'malformed'],
    ['another type', () => signedAs({ ...HEADER, typ: 'JWT' }, CLAIMS), {}, 'type', 'type_invalid'],
    ['no type', () => signedAs({ ...HEADER, typ: undefined }, CLAIMS), {}, 'type', 'type_invalid'],
    ['alg none', () => signedAs({ ...HEADER, alg: 'none' }, CLAIMS), {}, 'algorithm', 'alg_not_allowed'],
    ['alg HS256', () => signedAs({ ...HEADER, alg: 'HS256' }, CLAIMS), {}, 'algorithm', 'alg_not_allowed'],
    ['no agent', () => claiming({ sub: undefined }), {}, 'claims', 'claims_incomplete'],
    ['no axes', () => claiming({ verification_modes: [] }), {}, 'claims', 'claims_incomplete'],
    ['a time that is none', () => claiming({ verified_at: 'once' }), {}, 'claims', 'claims_incomplete'],
    ['an exp of text', () => claiming({ exp: String(CLAIMS.exp) }), {}, 'claims', 'claims_incomplete'],
    ['another key', () => signedAs({ ...HEADER, kid: 'other' }, CLAIMS), {}, 'key', 'key_unknown'],
    ['no key', () => signedAs({ ...HEADER, kid: undefined }, CLAIMS), {}, 'key', 'key_unknown'],
    ['keys that are not to be had', () => TOKEN, { keys: fixedKeys(undefined) }, 'key', 'keys_unavailable'],
    ['two keys of one name', () => TOKEN, { keys: fixedKeys([...SET, ...SET]) }, 'key', 'key_unknown'],
    [
      'a key for requests',
      () => TOKEN,
      { keys: keyed({ proto_use: 'request-signing' }) },
      'purpose',
      'key_purpose_invalid',
    ],
    [
      'a key with its private part',
      () => TOKEN,
      { keys: keyed({ d: 'A' }) },
      'purpose',
      'key_purpose_invalid',
    ],
    [
      'another public part',
      () => TOKEN,
      { keys: keyed({ x: 'A'.repeat(43) }) },
      'cryptography',
      'signature_invalid',
    ],
    ['a longer life', () => claiming({ exp: CLAIMS.exp + 1 }), {}, 'window', 'lifetime_invalid'],
    ['no life', () => claiming({ exp: CLAIMS.iat }), {}, 'window', 'lifetime_invalid'],
    ['one of tomorrow', () => TOKEN, { now: NOW - 61 }, 'window', 'not_yet_valid'],
    ['one of yesterday', () => TOKEN, { now: NOW + 86_400 }, 'window', 'expired'],
    ['another registry', () => TOKEN, { issuer: 'https://other.example' }, 'issuer', 'issuer_mismatch'],
    ['another agent', () => TOKEN, { agent: 'https://other.example/mcp' }, 'agent', 'agent_mismatch'],
  ])('%s', async (_what, token, over, check, fault) => {
    const verdict = await read(await token(), over);
    expect(verdict).toMatchObject({ valid: false, check, code: `badge_${fault}` });
    expect(BADGE_CHECKS).toContain(check);
  });
});

describe('a badge is signed', () => {
  it.each([
    ['an approval key', { alg: 'ed25519', purpose: 'governance-signing' }],
    ['a P-256 key', { alg: 'ecdsa-p256-sha256', purpose: 'badge-signing' }],
  ] as const)('never with %s', async (_what, key) => {
    const signer = await readSigningKey(await generateKey({ ...key, vocabulary: 'proto' }));
    await expect(signBadge(signer, CLAIMS)).rejects.toThrow('is not an Ed25519 key for badge-signing');
  });

  it('with a key that was made for it, of either vocabulary', async () => {
    for (const vocabulary of ['proto', 'adcp'] as const) {
      const jwk = await generateKey({ alg: 'ed25519', purpose: 'badge-signing', vocabulary });
      const token = await signBadge(await readSigningKey(jwk), CLAIMS);
      expect(await read(token, { keys: fixedKeys([publicJwk(jwk)]) })).toMatchObject({ valid: true });
    }
  });
});

describe('what a registry has taken back', () => {
  const AT = NOW * 1_000;
  const listed = (over: Partial<Parameters<typeof revocationList>[0]> = {}) =>
    readBadgeRevocations(
      JSON.stringify(revocationList({ issuer: CLAIMS.iss, now: AT, kids: [], badges: [], ...over })),
    );
  const badge = { agent: CLAIMS.sub, role: 'media-buy', line: '3.0', revokedAt: AT + 1 } as const;

  it.each<[string, Partial<BadgeExpectation>, string | null]>([
    ['nothing', { revocations: listed() }, null],
    ['the badge', { revocations: listed({ badges: [badge] }) }, 'badge_revoked'],
    ['the badge of another line', { revocations: listed({ badges: [{ ...badge, line: '3.1' }] }) }, null],
    [
      'the badge before this one, of the same agent and role',
      { revocations: listed({ badges: [{ ...badge, revokedAt: Date.parse(CLAIMS.verified_at) }] }) },
      null,
    ],
    ['the key', { revocations: listed({ kids: [KEYS.signer.keyid] }) }, 'badge_key_revoked'],
    ['another key', { revocations: listed({ kids: ['other'] }) }, null],
    [
      'the key, in the set itself',
      { keys: keyed({ revoked_at: '2026-01-01T00:00:00Z' }) },
      'badge_key_revoked',
    ],
    ['the key, from tomorrow on', { keys: keyed({ revoked_at: NOW + 86_400 }) }, null],
    ['the key, at a time that cannot be read', { keys: keyed({ revoked_at: 'soon' }) }, 'badge_key_revoked'],
    ['what is not known', { revocations: { unavailable: 'no answer' } }, 'badge_revocations_unavailable'],
    [
      'what another registry says',
      { revocations: listed({ issuer: 'https://other.example' }) },
      'badge_revocations_unavailable',
    ],
    [
      'what an old list says',
      { revocations: listed({ now: AT - 3_900_000 }) },
      'badge_revocations_unavailable',
    ],
  ])('%s', async (_what, over, code) => {
    const verdict = await read(TOKEN, over);
    expect(verdict.valid ? null : verdict.code).toBe(code);
    if (!verdict.valid) expect(BADGE_CHECKS).toContain(verdict.check);
  });

  it.each(['', '[]', '{"keys": []}', '{"issuer": "a", "expires_at": "2026-01-01T00:00:00Z"}'])(
    'a list that is none is not passed over: %j',
    (text) => {
      expect(() => readBadgeRevocations(text)).toThrow('it is not a list of revoked badges');
    },
  );

  it('names an agent to nobody who does not know it', () => {
    const list = revocationList({ issuer: CLAIMS.iss, now: AT, kids: [], badges: [badge] });
    expect(JSON.stringify(list)).not.toContain('sales.example');
  });
});

it('no badge holds for whoever names no registry', async () => {
  const anybody = { keys: fixedKeys(SET), now: NOW };
  expect(await readBadge(TOKEN, anybody)).toMatchObject({ valid: false, code: 'badge_issuer_unnamed' });
});
