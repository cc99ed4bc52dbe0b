import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { compactVerify, importJWK, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  APPROVAL_CHECKS,
  type ApprovalClaims,
  type ApprovalVerdict,
} from '../../src/signing/approval-token.ts';
import {
  type ApprovalExpectation,
  type ApprovalIssuers,
  readApproval,
  signApproval,
} from '../../src/signing/approvals.ts';
import { fixedKeys, keysUnavailable } from '../../src/signing/key-source.ts';
import { payloadHash } from '../../src/signing/payload-hash.ts';
import type { Jwk } from '../../src/signing/public-key.ts';
import { makeKey, NOW, type TestKey } from './support.ts';

const ISSUER = 'https://governance.example/mcp';
const SELLER = 'https://seller.example/mcp';
const BUYER = 'https://buyer.example/mcp';
const payload = { idempotency_key: 'k-1', packages: [{ product_id: 'lamp', budget: 5000 }] };

let key: TestKey;
let other: TestKey;
beforeAll(async () => {
  key = await makeKey('g-1', 'governance-signing');
  other = await makeKey('g-1', 'governance-signing');
});

const claims = (): ApprovalClaims => ({
  iss: ISSUER,
  sub: 'plan-1',
  aud: SELLER,
  iat: NOW,
  nbf: NOW,
  exp: NOW + 900,
  jti: 'apr_1',
  phase: 'execution',
  caller: BUYER,
  tool: 'create_media_buy',
  plan_hash: payloadHash(payload),
  conditions: ['keep it calm'],
  budget: { amount: 5000, currency: 'EUR' },
});
const expected: ApprovalExpectation = {
  audiences: [SELLER],
  caller: BUYER,
  tool: 'create_media_buy',
  payload,
  planId: 'plan-1',
  now: NOW + 10,
};
const trusting = (...keys: readonly Jwk[]): ApprovalIssuers => ({
  keysOf: (issuer) => (issuer === ISSUER ? fixedKeys(keys) : undefined),
});

const read = (token: string, change: Partial<ApprovalExpectation> = {}, issuers = trusting(key.public)) =>
  readApproval(token, { ...expected, ...change }, issuers);
const outcome = (verdict: ApprovalVerdict) => (verdict.valid ? 'valid' : `${verdict.check}: ${verdict.code}`);
const sign = (change: Partial<Record<keyof ApprovalClaims, unknown>> = {}, by = key) =>
  signApproval(by.signer, { ...claims(), ...change } as ApprovalClaims);

/** A token with any header and claims, signed over these very parts. */
async function forged(header: object, body: object = claims(), by = key): Promise<string> {
  const parts = [header, body]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = await by.signer.sign(new TextEncoder().encode(parts));
  return `${parts}.${Buffer.from(signature).toString('base64url')}`;
}
const HEADER = { alg: 'EdDSA', typ: 'governance-approval+jws', kid: 'g-1' };

describe('an approval', () => {
  it.each(['ed25519', 'ecdsa-p256-sha256'] as const)(
    'signed with %s is read as it was signed',
    async (alg) => {
      const signer = await makeKey('g-2', 'governance-signing', alg);
      const verdict = await read(await sign({}, signer), {}, trusting(signer.public));
      expect(verdict).toEqual({ valid: true, claims: claims() });
    },
  );

  it('holds for the payload however its members are ordered, and whatever stands beside it', async () => {
    const same = {
      governance_approval: 'x',
      context: { a: 1 },
      ext: {},
      packages: [{ budget: 5e3, product_id: 'lamp' }],
      idempotency_key: 'k-1',
    };
    expect(outcome(await read(await sign(), { payload: same }))).toBe('valid');
  });

  it('is refused with any one character changed', async () => {
    const token = await sign();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ';
    for (let place = 0; place < token.length; place += 1) {
      const was = token[place] ?? '';
      const character = alphabet[(alphabet.indexOf(was) + 1 + (place % 60)) % alphabet.length] ?? 'A';
      const changed = token.slice(0, place) + character + token.slice(place + 1);
      if (changed !== token) expect((await read(changed)).valid, `at ${place}`).toBe(false);
    }
    // The last character has bits that no byte is made of.
    const last = alphabet.indexOf(token.at(-1) ?? '');
    const twin = token.slice(0, -1) + alphabet[last ^ 1];
    expect(outcome(await read(twin))).toBe('form: approval_malformed');
  });

  it('is refused with any claim changed, left out or added', async () => {
    const [header, body, signature] = (await sign()).split('.') as [string, string, string];
    const original = JSON.parse(Buffer.from(body, 'base64url').toString());
    const changes = Object.keys(original).flatMap((name) => [
      { ...original, [name]: undefined },
      { ...original, [name]: typeof original[name] === 'number' ? original[name] + 1 : `${original[name]}x` },
    ]);
    for (const changed of [...changes, { ...original, more: 1 }]) {
      const part = Buffer.from(JSON.stringify(changed)).toString('base64url');
      expect((await read(`${header}.${part}.${signature}`)).valid, JSON.stringify(changed)).toBe(false);
    }
  });

  // biome-ignore format: one case a line
  it.each<[string, () => Promise<string>, string]>([
    ['no token', async () => 'nonsense', 'form: approval_malformed'],
    ['two parts', async () => (await sign()).split('.').slice(0, 2).join('.'), 'form: approval_malformed'],
    ['four parts', async () => `${await sign()}.AA`, 'form: approval_malformed'],
    ['no signature', async () => `${(await sign()).split('.').slice(0, 2).join('.')}.`, 'form: approval_malformed'],
    ['padding', async () => `${await sign()}=`, 'form: approval_malformed'],
    ['more than a token holds', async () => `${await sign()}${'A'.repeat(9000)}`, 'form: approval_malformed'],
    ['a header that is a list', () => forged([]), 'form: approval_malformed'],
    ['extensions in crit', () => forged({ ...HEADER, crit: ['b64'], b64: false }), 'form: approval_malformed'],
    ['the typ of another token', () => forged({ ...HEADER, typ: 'JWT' }), 'type: approval_type_invalid'],
    ['no typ', () => forged({ alg: 'EdDSA', kid: 'g-1' }), 'type: approval_type_invalid'],
    ['alg none', () => forged({ ...HEADER, alg: 'none' }), 'algorithm: approval_alg_not_allowed'],
    ['alg by a prototype name', () => forged({ ...HEADER, alg: 'toString' }), 'algorithm: approval_alg_not_allowed'],
    ['an alg of another curve', () => forged({ ...HEADER, alg: 'ES256' }), 'purpose: approval_key_purpose_invalid'],
    ['no kid', () => forged({ ...HEADER, kid: undefined }), 'key: approval_key_unknown'],
    ['another kid', () => forged({ ...HEADER, kid: 'g-9' }), 'key: approval_key_unknown'],
    ['a key in its own header', () => forged({ ...HEADER, jwk: other.public }, claims(), other), 'cryptography: approval_signature_invalid'],
    ['the signature of another key', () => sign({}, other), 'cryptography: approval_signature_invalid'],
    ['another issuer', () => sign({ iss: 'https://evil.example/mcp' }), 'issuer: approval_issuer_untrusted'],
    ['no expiry', () => forged(HEADER, { ...claims(), exp: undefined }), 'claims: approval_claims_incomplete'],
    ['an expiry in words', () => forged(HEADER, { ...claims(), exp: 'never' }), 'claims: approval_claims_incomplete'],
    ['several audiences', () => forged(HEADER, { ...claims(), aud: [SELLER] }), 'claims: approval_claims_incomplete'],
    ['a long jti', () => sign({ jti: 'x'.repeat(256) }), 'claims: approval_claims_incomplete'],
    ['a life of two days', () => sign({ exp: NOW + 2 * 86_400 }), 'window: approval_lifetime_invalid'],
    ['an end before its beginning', () => sign({ exp: NOW }), 'window: approval_lifetime_invalid'],
    ['a time that is over', () => sign({ iat: NOW - 900, nbf: NOW - 900, exp: NOW - 50 }), 'window: approval_expired'],
    ['a time to come', () => sign({ nbf: NOW + 71 }), 'window: approval_not_yet_valid'],
    ['another audience', () => sign({ aud: 'https://other.example/mcp' }), 'audience: approval_audience_mismatch'],
    ['no audience', () => sign({ aud: undefined }), 'audience: approval_audience_mismatch'],
    ['no more than an opinion', () => sign({ phase: 'intent' }), 'audience: approval_audience_mismatch'],
    ['another caller', () => sign({ caller: 'https://thief.example/mcp' }), 'caller: approval_caller_mismatch'],
    ['another task', () => sign({ tool: 'update_media_buy' }), 'tool: approval_tool_mismatch'],
    ['another plan', () => sign({ sub: 'plan-2' }), 'plan: approval_plan_mismatch'],
    ['another payload', () => sign({ plan_hash: payloadHash({ a: 1 }) }), 'payload: approval_payload_mismatch'],
  ])('with %s is refused', async (_what, token, code) => {
    expect(outcome(await read(await token()))).toBe(code);
  });

  it('signed with HS256 and the public key as its secret is refused', async () => {
    const parts = [{ ...HEADER, alg: 'HS256' }, claims()]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = createHmac('sha256', Buffer.from(String(key.public.x), 'base64url')).update(parts);
    expect(outcome(await read(`${parts}.${signature.digest('base64url')}`))).toBe(
      'algorithm: approval_alg_not_allowed',
    );
  });

  it('with a name twice in its claims is refused, as two readers could see two claims', async () => {
    const body = JSON.stringify(claims()).replace('{', '{"sub":"plan-2",');
    const part = [JSON.stringify(HEADER), body]
      .map((text) => Buffer.from(text).toString('base64url'))
      .join('.');
    const signature = await key.signer.sign(new TextEncoder().encode(part));
    expect(outcome(await read(`${part}.${Buffer.from(signature).toString('base64url')}`))).toBe(
      'form: approval_malformed',
    );
  });

  it.each<[string, () => ApprovalIssuers, string]>([
    [
      'for messages',
      () => trusting({ ...key.public, proto_use: 'request-signing' }),
      'purpose: approval_key_purpose_invalid',
    ],
    [
      'of no purpose',
      () => trusting({ ...key.public, proto_use: undefined }),
      'purpose: approval_key_purpose_invalid',
    ],
    ['with its private part', () => trusting(key.private), 'purpose: approval_key_purpose_invalid'],
    ['that stands twice in the set', () => trusting(key.public, other.public), 'key: approval_key_unknown'],
    ['that was revoked', () => trusting({ ...key.public, revoked_at: NOW }), 'revoked: approval_key_revoked'],
    [
      'that is on the list of revoked ones',
      () => ({ ...trusting(key.public), revoked: { kids: new Map([['g-1', NOW]]) } }),
      'revoked: approval_key_revoked',
    ],
    [
      'that cannot be fetched',
      () => ({ keysOf: () => ({ find: async () => keysUnavailable('timeout') }) }),
      'key: approval_keys_unavailable',
    ],
  ])('is refused by a key %s', async (_what, issuers, code) => {
    expect(outcome(await read(await sign(), {}, issuers()))).toBe(code);
  });

  it('is refused for whoever else brings it, for what else and where else', async () => {
    const token = await sign();
    expect(outcome(await read(token, { audiences: ['https://seller.example/other'] }))).toBe(
      'audience: approval_audience_mismatch',
    );
    expect(outcome(await read(token, { caller: 'https://thief.example/mcp' }))).toBe(
      'caller: approval_caller_mismatch',
    );
    expect(outcome(await read(token, { tool: 'acquire_rights' }))).toBe('tool: approval_tool_mismatch');
    expect(outcome(await read(token, { planId: 'plan-2' }))).toBe('plan: approval_plan_mismatch');
  });

  it('is for one address however it is written', async () => {
    expect(outcome(await read(await sign({ aud: 'HTTPS://Seller.example:443/mcp/' })))).toBe('valid');
  });

  it('is refused for any other payload', async () => {
    const token = await sign();
    await fc.assert(
      fc.asyncProperty(fc.object(), async (added) => {
        const changed = { ...payload, ...JSON.parse(JSON.stringify(added)) };
        fc.pre(payloadHash(changed) !== payloadHash(payload));
        expect(outcome(await read(token, { payload: changed }))).toBe('payload: approval_payload_mismatch');
      }),
      { numRuns: 50 },
    );
  });

  it('that is wrong in every way is refused by the earliest check', async () => {
    const wrong: readonly [string, object, object][] = [
      ['type', { typ: 'x', alg: 'none' }, {}],
      ['algorithm', { ...HEADER, alg: 'none' }, {}],
      ['claims', HEADER, { iss: 'https://evil.example/mcp' }],
      [
        'issuer',
        HEADER,
        { ...claims(), iss: 'https://evil.example/mcp', exp: NOW - 900 + 1, nbf: NOW - 900 },
      ],
      ['window', HEADER, { ...claims(), nbf: NOW + 500, aud: 'https://x.example' }],
      ['audience', { ...HEADER, kid: 'g-9' }, { ...claims(), aud: 'https://x.example' }],
      ['key', { ...HEADER, kid: 'g-9' }, { ...claims(), tool: 'x' }],
      ['cryptography', HEADER, { ...claims(), caller: 'x', tool: 'x' }],
    ];
    const found: string[] = [];
    for (const [, header, body] of wrong) {
      const verdict = await read(await forged(header, body, other));
      found.push(verdict.valid ? 'valid' : verdict.check);
    }
    expect(found).toEqual(wrong.map(([check]) => check));
    const binding = await read(await sign({ caller: 'x', tool: 'x', sub: 'x' }));
    expect(outcome(binding)).toBe('caller: approval_caller_mismatch');
    const order = [...found, 'caller'].map((check) => APPROVAL_CHECKS.indexOf(check as never));
    expect(order).toEqual(order.toSorted((one, next) => one - next));
  });

  it('is one that jose reads too', async () => {
    const { payload: bytes, protectedHeader } = await compactVerify(
      await sign(),
      await importJWK({ ...key.public, key_ops: ['verify'] } as never, 'EdDSA'),
    );
    expect(protectedHeader).toEqual(HEADER);
    expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual(claims());
  });

  it('is read when another signer made it', async () => {
    const foreign = await new SignJWT({ ...claims() })
      .setProtectedHeader(HEADER)
      .sign(await importJWK(key.private as never, 'EdDSA'));
    expect(outcome(await read(foreign))).toBe('valid');
  });

  it('is signed only with a key for it, and only when it fits', async () => {
    const request = await makeKey('r-1');
    await expect(signApproval(request.signer, claims())).rejects.toMatchObject({ code: 'input_invalid' });
    await expect(sign({ conditions: ['x'.repeat(9_000)] })).rejects.toMatchObject({ code: 'input_invalid' });
  });
});
