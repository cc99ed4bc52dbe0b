import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { fixedKeys } from '../../src/signing/key-source.ts';
import { type HttpRequest, signatureBase } from '../../src/signing/message.ts';
import { CHECKS } from '../../src/signing/profile.ts';
import type { Jwk } from '../../src/signing/public-key.ts';
import { readRevocations } from '../../src/signing/revocations.ts';
import { readSignatureFields } from '../../src/signing/signature-fields.ts';
import type { VerifyOptions } from '../../src/signing/verify.ts';
import {
  buy,
  input,
  makeKey,
  NONCE,
  NOW,
  outcome,
  replayMemory,
  rewritten,
  sign,
  type TestKey,
  verify,
} from './support.ts';

let key: TestKey;
let webhookKey: TestKey;
let signed: HttpRequest;

beforeAll(async () => {
  key = await makeKey('k1');
  webhookKey = await makeKey('w1', 'webhook-signing');
  signed = await sign(key);
});

interface Case {
  readonly name: string;
  /** Default: the signed request as it is. */
  readonly message?: () => HttpRequest | Promise<HttpRequest>;
  /** Changes the one public key. */
  readonly jwk?: (jwk: Jwk) => Jwk;
  readonly keys?: () => readonly Jwk[];
  readonly options?: () => Partial<VerifyOptions>;
  readonly expect: string;
}

const INPUT = 'signature-input';
const SIGNATURE = 'signature';
const text = (body: string) => ({ ...buy, body: new TextEncoder().encode(body) });

const CASES: readonly Case[] = [
  { name: 'a good request', expect: 'verified' },
  { name: 'no signature', message: () => buy, expect: 'parse: request_signature_required' },
  {
    name: 'Signature alone',
    message: () => rewritten(signed, INPUT, () => undefined),
    expect: 'parse: request_signature_header_malformed',
  },
  {
    name: 'Signature-Input alone',
    message: () => rewritten(signed, SIGNATURE, () => undefined),
    expect: 'parse: request_signature_header_malformed',
  },
  {
    name: 'Signature-Input that is no dictionary',
    message: () => rewritten(signed, INPUT, () => 'this-is-nothing'),
    expect: 'parse: request_signature_header_malformed',
  },
  {
    name: 'a label twice in Signature-Input',
    message: () => rewritten(signed, INPUT, (value) => `${value}, ${value}`),
    expect: 'parse: request_signature_header_malformed',
  },
  {
    name: 'a label twice in Signature',
    message: () => rewritten(signed, SIGNATURE, (value) => `${value}, ${value}`),
    expect: 'parse: request_signature_header_malformed',
  },
  {
    name: 'a label on two header lines',
    message: () => ({ ...signed, headers: [...signed.headers, ...signed.headers.slice(-1)] }),
    expect: 'parse: request_signature_header_malformed',
  },
  {
    name: 'other labels',
    message: () =>
      rewritten(
        rewritten(signed, INPUT, (value) => `proxy=("date");created=1, ${value}, sig2=();tag="x"`),
        SIGNATURE,
        (value) => `sig2=:AAAA:, ${value}, proxy=:AAA-:`,
      ),
    expect: 'verified',
  },
  {
    name: 'a label that has no signature',
    message: () => rewritten(signed, SIGNATURE, (value) => value.replace('sig1', 'sig2')),
    expect: 'parse: request_signature_header_malformed',
  },
  {
    name: 'an unquoted string',
    message: () => input(signed, 'keyid="k1"', 'keyid=k1'),
    expect: 'parse: request_signature_header_malformed',
  },
  {
    name: 'two content types',
    message: () => rewritten(signed, 'content-type', (value) => `${value}, text/plain`),
    expect: 'parse: request_signature_header_malformed',
  },
  {
    name: 'one digest algorithm twice',
    message: () => rewritten(signed, 'content-digest', (value) => `${value}, ${value}`),
    expect: 'parse: request_signature_header_malformed',
  },
  {
    name: 'a digest algorithm in capitals',
    message: () => rewritten(signed, 'content-digest', (value) => `${value.toUpperCase()}, ${value}`),
    expect: 'parse: request_signature_header_malformed',
  },
  {
    name: 'a host that is not ASCII',
    message: () => ({ ...signed, url: 'https://bücher.example/mcp' }),
    expect: 'parse: request_target_uri_malformed',
  },
  {
    name: 'a host that is not ASCII, on an earlier line',
    message: async () => ({ ...(await sign(key, { profile: '3.1' })), url: 'https://bücher.example/mcp' }),
    options: () => ({ profile: '3.1' }),
    expect: 'parse: request_signature_header_malformed',
  },
  ...['https://me@seller.example/mcp', 'https://seller.example/mcp#x', 'https://[::1/mcp', '/mcp'].map(
    (url) => ({
      name: `the target ${url}`,
      message: () => ({ ...signed, url }),
      expect: 'parse: request_target_uri_malformed',
    }),
  ),
  {
    name: 'a Host that is none',
    message: () => rewritten(signed, 'host', () => 'me@seller.example'),
    expect: 'parse: request_target_uri_malformed',
  },
  {
    name: 'a label that is not sig1, alone',
    message: () =>
      ['signature', 'signature-input'].reduce(
        (message, name) => rewritten(message, name, (value) => value.replace('sig1', 'sig')),
        signed,
      ),
    expect: 'parse: request_signature_header_malformed',
  },
  {
    name: 'another Host',
    message: () => rewritten(signed, 'host', () => 'other.example'),
    expect: 'parse: request_signature_header_malformed',
  },
  {
    name: 'bytes as the other profile writes them',
    options: () => ({ profile: '3.1' }),
    expect: 'parse: request_signature_header_malformed',
  },
  ...['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'].map((name) => ({
    name: `no ${name}`,
    message: () => input(signed, new RegExp(`;${name}=("[^"]*"|\\d+)`), ''),
    expect: 'parameters: request_signature_params_incomplete',
  })),
  {
    name: 'a nonce of 15 bytes',
    message: () => input(signed, /nonce="[^"]*"/, 'nonce="AAAAAAAAAAAAAAAAAAAA"'),
    expect: 'parameters: request_signature_params_incomplete',
  },
  {
    name: 'a nonce with padding',
    message: () => input(signed, /nonce="[^"]*"/, 'nonce="AQIDBAUGBwgJCgsMDQ4PEA=="'),
    expect: 'parameters: request_signature_params_incomplete',
  },
  {
    name: 'the tag of a webhook',
    message: () => input(signed, /tag="[^"]*"/, 'tag="proto/webhook-signing/v1"'),
    expect: 'tag: request_signature_tag_invalid',
  },
  {
    name: 'the tag of another version',
    message: () => input(signed, /tag="[^"]*"/, 'tag="proto/request-signing/v2"'),
    expect: 'tag: request_signature_tag_invalid',
  },
  {
    name: 'rsa-pss-sha512',
    message: () => input(signed, 'alg="ed25519"', 'alg="rsa-pss-sha512"'),
    expect: 'algorithm: request_signature_alg_not_allowed',
  },
  {
    name: 'a name that every object has as alg',
    message: () => input(signed, 'alg="ed25519"', 'alg="constructor"'),
    expect: 'algorithm: request_signature_alg_not_allowed',
  },
  { name: '60 s early', options: () => ({ now: NOW - 60 }), expect: 'verified' },
  {
    name: '61 s early',
    options: () => ({ now: NOW - 61 }),
    expect: 'window: request_signature_window_invalid',
  },
  { name: '60 s late', options: () => ({ now: NOW + 360 }), expect: 'verified' },
  {
    name: '61 s late',
    options: () => ({ now: NOW + 361 }),
    expect: 'window: request_signature_window_invalid',
  },
  {
    name: 'months late',
    options: () => ({ now: NOW + 9e6 }),
    expect: 'window: request_signature_window_invalid',
  },
  {
    name: 'a window of 301 s',
    message: () => input(signed, `expires=${NOW + 300}`, `expires=${NOW + 301}`),
    expect: 'window: request_signature_window_invalid',
  },
  {
    name: 'expires at created',
    message: () => input(signed, `expires=${NOW + 300}`, `expires=${NOW}`),
    expect: 'window: request_signature_window_invalid',
  },
  ...['@method', '@target-uri', '@authority', 'content-type', 'content-digest'].map((name) => ({
    name: `${name} not covered`,
    message: () => input(signed, new RegExp(` ?"${name}"`), ''),
    expect: 'components: request_signature_components_incomplete',
  })),
  {
    name: 'nothing covered',
    message: () => input(signed, /\([^)]*\)/, '()'),
    expect: 'components: request_signature_components_incomplete',
  },
  {
    name: 'a covered header that is not there',
    message: () => input(signed, '"content-digest")', '"content-digest" "x-absent")'),
    expect: 'components: request_signature_components_incomplete',
  },
  {
    name: 'a derived component that nobody knows',
    message: () => input(signed, '"content-digest")', '"content-digest" "@moon")'),
    expect: 'components: request_signature_components_unexpected',
  },
  {
    name: 'a component with parameters',
    message: () => input(signed, '"content-digest")', '"content-digest";key="sha-256")'),
    expect: 'components: request_signature_components_unexpected',
  },
  {
    name: 'a digest where none may be covered',
    options: () => ({ digest: 'forbidden' as const }),
    expect: 'components: request_signature_components_unexpected',
  },
  {
    name: 'no digest where it is the signer’s choice',
    message: () => sign(key, { coverDigest: false }),
    options: () => ({ digest: 'either' as const }),
    expect: 'verified',
  },
  {
    name: 'no body, so neither type nor digest',
    message: () => sign(key, {}, { method: 'GET', url: buy.url, headers: [] }),
    expect: 'verified',
  },
  {
    name: 'another header covered',
    message: () => sign(key, { components: ['accept'] }),
    expect: 'verified',
  },
  { name: 'an unknown key', keys: () => [], expect: 'key: request_signature_key_unknown' },
  {
    name: 'two keys with one kid',
    keys: () => [key.public, { ...key.public, use: 'enc' }],
    expect: 'key: request_signature_key_unknown',
  },
  {
    name: 'a key file that is none',
    options: () => ({ keys: fixedKeys(undefined) }),
    expect: 'key: request_signature_jwks_unavailable',
  },
  ...(
    [
      ['use is not sig', (jwk) => ({ ...jwk, use: 'enc' })],
      ['no use', ({ use, ...jwk }) => jwk],
      ['key_ops is sign', (jwk) => ({ ...jwk, key_ops: ['sign'] })],
      ['key_ops holds sign too', (jwk) => ({ ...jwk, key_ops: ['verify', 'sign'] })],
      ['key_ops is empty', (jwk) => ({ ...jwk, key_ops: [] })],
      ['key_ops is text', (jwk) => ({ ...jwk, key_ops: 'verify' })],
      ['no key_ops', ({ key_ops, ...jwk }) => jwk],
      ['a purpose of another kind', (jwk) => ({ ...jwk, proto_use: 'webhook-signing' })],
      ['a list of purposes', (jwk) => ({ ...jwk, proto_use: ['request-signing'] })],
      ['no purpose', ({ proto_use, ...jwk }) => jwk],
      ['two vocabularies that disagree', (jwk) => ({ ...jwk, adcp_use: 'governance-signing' })],
      ['no alg', ({ alg, ...jwk }) => jwk],
      ['alg none', (jwk) => ({ ...jwk, alg: 'none' })],
      ['an alg of another curve', (jwk) => ({ ...jwk, alg: 'ES256' })],
      ['another curve', (jwk) => ({ ...jwk, crv: 'X25519' })],
      ['a symmetric key', (jwk) => ({ ...jwk, kty: 'oct', k: 'AAAA' })],
      ['its private part', (jwk) => ({ ...jwk, d: 'AAAA' })],
      ['no coordinates', ({ x, ...jwk }) => jwk],
      ['short coordinates', (jwk) => ({ ...jwk, x: 'AAAA' })],
    ] as const satisfies readonly (readonly [string, (jwk: Jwk) => Jwk])[]
  ).map(([name, jwk]) => ({
    name: `a key with ${name}`,
    jwk,
    expect: 'purpose: request_signature_key_purpose_invalid',
  })),
  {
    name: 'a key that says it in the public vocabulary',
    jwk: ({ proto_use, ...jwk }) => ({ ...jwk, adcp_use: proto_use }),
    expect: 'verified',
  },
  {
    name: 'a revoked key',
    options: () => ({ revoked: readRevocations('{"revoked_kids":["k1"]}') }),
    expect: 'revoked: request_signature_key_revoked',
  },
  {
    name: 'a list of revoked keys that is out of date',
    options: () => ({ revoked: readRevocations(`{"revoked_kids":[],"next_update":${NOW - 61}}`) }),
    expect: 'revoked: request_signature_revocation_stale',
  },
  {
    name: 'a list that does not say readably until when it counts',
    options: () => ({ revoked: readRevocations('{"revoked_kids":[],"next_update":"soon"}') }),
    expect: 'revoked: request_signature_revocation_stale',
  },
  {
    name: 'a list that is due in this minute',
    options: () => ({ revoked: readRevocations(`{"revoked_kids":[],"next_update":${NOW - 60}}`) }),
    expect: 'verified',
  },
  {
    name: 'a key with its allowance used up, before anything is computed',
    message: () => rewritten(signed, SIGNATURE, () => `sig1=:${Buffer.alloc(64).toString('base64')}:`),
    options: () => ({ replays: { isFull: async () => true, remember: async () => true } }),
    expect: 'rate: request_signature_rate_abuse',
  },
  {
    name: 'a key revoked later than now',
    options: () => ({ revoked: readRevocations(`[{"kid":"k1","revoked_at":${NOW + 1}}]`) }),
    expect: 'verified',
  },
  {
    name: 'a key whose own entry revokes it',
    jwk: (jwk) => ({ ...jwk, revoked_at: '2026-01-01T00:00:00Z' }),
    expect: 'revoked: request_signature_key_revoked',
  },
  {
    name: 'a signature of zeros',
    message: () => rewritten(signed, SIGNATURE, () => `sig1=:${Buffer.alloc(64).toString('base64')}:`),
    expect: 'cryptography: request_signature_invalid',
  },
  {
    name: 'a signature of no length',
    message: () => rewritten(signed, SIGNATURE, () => 'sig1=::'),
    expect: 'cryptography: request_signature_invalid',
  },
  {
    name: 'a signature in other letters for the same bytes',
    message: () =>
      rewritten(signed, SIGNATURE, (value) => value.replace(/.(==:)$/, (end) => `${nextLetter(end)}==:`)),
    expect: 'cryptography: request_signature_invalid',
  },
  {
    name: 'another body',
    message: () => ({ ...signed, body: new TextEncoder().encode('{}') }),
    expect: 'digest: request_signature_digest_mismatch',
  },
  {
    name: 'a name twice in the body',
    message: () => sign(key, {}, text('{"budget":1,"a":[{"budget":2}],"b\\u0075dget":3}')),
    expect: 'body: request_body_malformed',
  },
  {
    name: 'a body that is no UTF-8',
    message: () => sign(key, {}, { ...buy, body: new Uint8Array([0x22, 0xff, 0x22]) }),
    expect: 'body: request_body_malformed',
  },
  {
    name: 'one name in several objects',
    message: () => sign(key, {}, text('[{"a":"a:,"},{"a":{"a":1}}]')),
    expect: 'verified',
  },
  { name: 'a body that is no JSON', message: () => sign(key, {}, text('budget=1')), expect: 'verified' },
];

/** For the last letter of two bytes' worth, whose lowest bits mean nothing. */
function nextLetter(end: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return letters[letters.indexOf(end[0] ?? '') + 1] ?? '';
}

describe('every check has its code', () => {
  it.each(CASES)('$name: $expect', async ({ message, jwk, keys, options, expect: expected }) => {
    const given = (await message?.()) ?? signed;
    const published = keys?.() ?? [jwk?.(key.public) ?? key.public];
    expect(outcome(await verify(given, published, options?.()))).toBe(expected);
  });

  it('and every check is in this table, but the one for replays, which follows', () => {
    const seen = new Set(CASES.map((one) => one.expect.split(':')[0]));
    expect(CHECKS.filter((check) => !seen.has(check))).toEqual(['replay']);
  });
});

describe('a webhook', () => {
  const options = { kind: 'webhook' } as const;

  it('verifies under its own tag, with its own codes', async () => {
    const hook = await sign(webhookKey, options);
    expect(outcome(await verify(hook, [webhookKey.public], options))).toBe('verified');
    expect(outcome(await verify(hook, [], options))).toBe('key: webhook_signature_key_unknown');
    expect(outcome(await verify(hook, [webhookKey.public]))).toBe('tag: request_signature_tag_invalid');
    expect(outcome(await verify(buy, [], options))).toBe('parse: webhook_signature_required');
  });

  it('always covers its digest, whatever the rule for requests is', async () => {
    const hook = await sign(webhookKey, options);
    const uncovered = input(hook, ' "content-digest"', '');
    for (const digest of ['required', 'either', 'forbidden'] as const) {
      expect(outcome(await verify(hook, [webhookKey.public], { ...options, digest }))).toBe('verified');
      expect(outcome(await verify(uncovered, [webhookKey.public], { ...options, digest }))).toBe(
        'components: webhook_signature_components_incomplete',
      );
    }
  });

  it('is signed by a key for requests only where no key for webhooks is published, in either vocabulary', async () => {
    for (const vocabulary of ['proto', 'adcp'] as const) {
      const other = await makeKey('k2', 'request-signing', 'ed25519', vocabulary);
      await expect(sign(other, options)).rejects.toMatchObject({ code: 'input_invalid' });
      const { purpose, ...silent } = other.signer;
      const hook = await sign({ ...other, signer: silent }, options);
      expect(outcome(await verify(hook, [other.public], options))).toBe('verified');
      const revoked = { ...webhookKey.public, revoked_at: 0 };
      for (const published of [webhookKey.public, revoked])
        expect(outcome(await verify(hook, [other.public, published], options))).toBe(
          'purpose: webhook_signature_key_purpose_invalid',
        );
      const governance = { ...other.public, [`${vocabulary}_use`]: 'governance-signing' };
      expect(outcome(await verify(hook, [governance], options))).toContain('key_purpose_invalid');
    }
  });
});

describe('a replay', () => {
  it('is refused, and what was refused before it left nothing behind', async () => {
    const replays = replayMemory();
    const broken = { ...signed, body: new TextEncoder().encode('{}') };
    const forged = rewritten(signed, SIGNATURE, () => `sig1=:${Buffer.alloc(64).toString('base64')}:`);
    expect(outcome(await verify(forged, [key.public], { replays }))).toContain('cryptography');
    expect(outcome(await verify(broken, [key.public], { replays }))).toContain('digest');
    expect(outcome(await verify(signed, [key.public], { replays }))).toBe('verified');
    expect(outcome(await verify(signed, [key.public], { replays }))).toBe(
      'replay: request_signature_replayed',
    );
    expect(outcome(await verify(signed, [key.public], { replays, now: NOW + 360 }))).toContain('replay');
    await replays.close();
  });

  it('of a message with an ambiguous body is a replay', async () => {
    const replays = replayMemory();
    const twice = await sign(key, {}, text('{"a":1,"a":2}'));
    expect(outcome(await verify(twice, [key.public], { replays }))).toContain('body');
    expect(outcome(await verify(twice, [key.public], { replays }))).toContain('replay');
    await replays.close();
  });

  it('is none when another key used the same nonce', async () => {
    const replays = replayMemory();
    const other = await makeKey('k1');
    expect(outcome(await verify(await sign(key, { nonce: NONCE }), [key.public], { replays }))).toBe(
      'verified',
    );
    expect(outcome(await verify(await sign(other, { nonce: NONCE }), [other.public], { replays }))).toBe(
      'verified',
    );
    await replays.close();
  });

  it('of many at the same time lets one in', async () => {
    const replays = replayMemory();
    const all = await Promise.all(
      Array.from({ length: 20 }, () => verify(signed, [key.public], { replays })),
    );
    expect(all.filter((verdict) => verdict.verified)).toHaveLength(1);
    await replays.close();
  });
});

describe('a message with several digests', () => {
  /** Signs over a `content-digest` of the test's own making. */
  const digested = async (field: string): Promise<HttpRequest> => {
    const message = rewritten(await sign(key), 'content-digest', () => field);
    const fields = readSignatureFields(message, '3.2');
    if ('refusal' in fields) throw new Error(fields.refusal.detail);
    const base = signatureBase(message, fields.value.components, fields.value.params) ?? '';
    const bytes = await key.signer.sign(new TextEncoder().encode(base));
    return rewritten(message, 'signature', () => `sig1=:${Buffer.from(bytes).toString('base64')}:`);
  };
  const digest = (name: string, body = buy.body ?? new Uint8Array()) =>
    `${name}=:${hash(name.replace('-', ''), body, 'base64')}:`;

  it.each([
    ['two good ones', () => `${digest('sha-256')}, ${digest('sha-512')}`, 'verified'],
    ['an unknown one beside', () => `${digest('sha-512')}, crc32c=:AAAA:`, 'verified'],
    [
      'a wrong one last',
      () => `${digest('sha-256')}, ${digest('sha-512', new Uint8Array())}`,
      'digest: request_signature_digest_mismatch',
    ],
    ['unknown ones alone', () => 'md5=:AAAA:', 'digest: request_signature_digest_mismatch'],
  ])('%s', async (_name, field, expected) => {
    expect(outcome(await verify(await digested(field()), [key.public]))).toBe(expected);
  });
});

describe('the order of the checks', () => {
  it('decides which of several faults is told', async () => {
    const late = { now: NOW + 9e6, revoked: readRevocations('["k1"]') };
    const faulty = { ...(await sign(key)), body: new TextEncoder().encode('{}') };
    const wrongTag = input(faulty, /tag="[^"]*"/, 'tag="x"');
    expect(outcome(await verify(input(wrongTag, /;nonce="[^"]*"/, ''), [], late))).toContain('parameters');
    expect(outcome(await verify(input(wrongTag, 'alg="ed25519"', 'alg="none"'), [], late))).toContain('tag');
    expect(outcome(await verify(input(faulty, 'alg="ed25519"', 'alg="none"'), [], late))).toContain(
      'algorithm',
    );
    expect(outcome(await verify(input(faulty, ' "content-digest"', ''), [], late))).toContain('window');
    expect(outcome(await verify(input(faulty, ' "content-digest"', ''), []))).toContain('components');
    expect(outcome(await verify(faulty, []))).toContain('key:');
    const { revoked } = late;
    expect(outcome(await verify(faulty, [{ ...key.public, use: 'enc' }], { revoked }))).toContain('purpose');
    expect(outcome(await verify(faulty, [key.public], { revoked }))).toContain('revoked');
    expect(outcome(await verify({ ...faulty, method: 'PUT' }, [key.public]))).toContain('cryptography');
    expect(outcome(await verify(faulty, [key.public]))).toContain('digest');
  });
});
