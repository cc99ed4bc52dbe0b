import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type HttpRequest, withHeaders } from '../../src/signing/message.ts';
import {
  ALGORITHMS,
  MESSAGE_KINDS,
  PURPOSES,
  SIGNING_PROFILES,
  type SignatureAlgorithm,
  TAG_VOCABULARIES,
  WRITING,
} from '../../src/signing/profile.ts';
import { makeKey, NOW, outcome, rewritten, sign, type TestKey, verify } from './support.ts';

const algorithms = Object.keys(ALGORITHMS) as SignatureAlgorithm[];
const keys = new Map<string, TestKey>();
const keyOf = (...parts: readonly string[]): TestKey => keys.get(parts.join()) as TestKey;

beforeAll(async () => {
  for (const kind of MESSAGE_KINDS)
    for (const alg of algorithms)
      for (const vocabulary of TAG_VOCABULARIES)
        keys.set([kind, alg, vocabulary].join(), await makeKey('k', PURPOSES[kind], alg, vocabulary));
});

const segment = fc.stringMatching(/^[a-zA-Z0-9_~-]{1,8}$/);
const messages: fc.Arbitrary<HttpRequest> = fc
  .record({
    method: fc.constantFrom('POST', 'PUT', 'PATCH'),
    host: fc.constantFrom('seller.example', 'a.b.example:8443', '[2001:db8::1]:8443', '192.0.2.1'),
    path: fc.array(segment, { minLength: 1, maxLength: 4 }),
    query: fc.option(fc.stringMatching(/^[a-z0-9=&+%]{0,5}$/).filter((text) => !text.includes('%'))),
    type: fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain'),
    body: fc.uint8Array({ minLength: 1, maxLength: 60 }).filter((bytes) => isText(bytes)),
  })
  .map(({ method, host, path, query, type, body }) => ({
    method,
    url: `https://${host}/${path.join('/')}${query === null ? '' : `?${query}`}`,
    headers: [
      ['host', host],
      ['content-type', type],
    ],
    body,
  }));

function isText(bytes: Uint8Array): boolean {
  return Buffer.from(Buffer.from(bytes).toString()).equals(Buffer.from(bytes));
}

const settings = fc.record({
  kind: fc.constantFrom(...MESSAGE_KINDS),
  profile: fc.constantFrom(...SIGNING_PROFILES),
  alg: fc.constantFrom(...algorithms),
  vocabulary: fc.constantFrom(...TAG_VOCABULARIES),
});

type Change = readonly [name: string, change: (message: HttpRequest, place: number) => HttpRequest];
const at = <T>(items: readonly T[], place: number): T => items[place % items.length] as T;
const flipped = (text: string, place: number): string => {
  const where = place % text.length;
  return `${text.slice(0, where)}${text[where] === 'a' ? 'b' : 'a'}${text.slice(where + 1)}`;
};
const url = (change: (url: string, place: number) => string) => (message: HttpRequest, place: number) => ({
  ...message,
  url: change(message.url, place),
});
const field =
  (name: string, change: (value: string, place: number) => string) => (message: HttpRequest, place: number) =>
    rewritten(message, name, (value) => change(value, place));

/** Everything that a signature is to protect, changed in one place. */
const CHANGES: readonly Change[] = [
  [
    'method',
    (message, place) => ({ ...message, method: at(['GET', 'DELETE', 'post', 'POSTS', 'OPTIONS'], place) }),
  ],
  ['scheme', url((text) => text.replace('https', 'http'))],
  [
    'host',
    (message) => rewritten(url((text) => text.replace('//', '//x'))(message, 0), 'host', () => undefined),
  ],
  [
    'host and Host',
    (message) =>
      withHeaders(
        { ...message, url: message.url.replace(/\/\/[^/]+/, '//evil.example') },
        { host: 'evil.example' },
      ),
  ],
  ['Host alone', field('host', () => 'evil.example')],
  [
    'port',
    (message) =>
      rewritten(
        url((text) => text.replace(/(\/\/(?:\[[^\]]*\]|[^/:]*))(:\d+)?/, '$1:444'))(message, 0),
        'host',
        () => undefined,
      ),
  ],
  ['path', url((text) => text.replace(/(\/\/[^/]+\/)/, '$1x'))],
  ['end of the path', url((text) => text.replace(/(\?.*)?$/, (query) => `/${query}`))],
  ['query', url((text) => `${text}${text.includes('?') ? '&' : '?'}z=1`)],
  [
    'empty query',
    url((text) =>
      text.endsWith('?') ? text.slice(0, -1) : text.includes('?') ? text.replace('?', '??') : `${text}?`,
    ),
  ],
  ['fragment', url((text) => `${text}#x`)],
  ['user name', url((text) => text.replace('//', '//me@'))],
  ['content type', field('content-type', (value) => `${value}x`)],
  [
    'content digest',
    field('content-digest', (value, place) =>
      value.replace(/:(.*):/, (_, text) => `:${flipped(text, place % 42)}:`),
    ),
  ],
  ['another digest', field('content-digest', (value) => `${value}, sha-512=:AAAA:`)],
  [
    'body',
    (message, place) => ({
      ...message,
      body: Uint8Array.from(message.body ?? [], (byte, index) =>
        index === place % (message.body?.length ?? 1) ? byte ^ 1 : byte,
      ),
    }),
  ],
  [
    'more body',
    (message) => ({ ...message, body: Buffer.concat([message.body ?? new Uint8Array(), Buffer.from(' ')]) }),
  ],
  ['no body', ({ body, ...message }) => message],
  ['created', field('signature-input', (value) => value.replace(/created=\d+/, `created=${NOW + 1}`))],
  ['expires', field('signature-input', (value) => value.replace(/expires=\d+/, `expires=${NOW + 299}`))],
  [
    'nonce',
    field('signature-input', (value, place) =>
      value.replace(/nonce="(.*?)"/, (_, text) => `nonce="${flipped(text, place % 20)}"`),
    ),
  ],
  ['keyid', field('signature-input', (value) => value.replace('keyid="k"', 'keyid="l"'))],
  [
    'alg',
    field('signature-input', (value) =>
      value.replace(/alg="(.*?)"/, (_, alg) => `alg="${algorithms.find((one) => one !== alg)}"`),
    ),
  ],
  [
    'tag',
    field('signature-input', (value) =>
      value.replace(/tag="(.*?)\//, (_, word) => `tag="${word === 'proto' ? 'adcp' : 'proto'}/`),
    ),
  ],
  ['another parameter', field('signature-input', (value) => `${value};x="1"`)],
  [
    'order of the parameters',
    field('signature-input', (value) => value.replace(/(;created=\d+)(;expires=\d+)/, '$2$1')),
  ],
  [
    'order of the components',
    field('signature-input', (value) => value.replace('"@method" "@target-uri"', '"@target-uri" "@method"')),
  ],
  ['a component more', field('signature-input', (value) => value.replace('(', '("host" '))],
  [
    'a component less',
    field('signature-input', (value, place) =>
      value.replace(
        new RegExp(
          `"${at(['@method', '@target-uri', '@authority', 'content-type', 'content-digest'], place)}" ?`,
        ),
        '',
      ),
    ),
  ],
  [
    'signature',
    field('signature', (value, place) =>
      value.replace(/:(.*):/, (_, text) => `:${flipped(text, place % 86)}:`),
    ),
  ],
  ['label', field('signature', (value) => value.replace('sig1', 'sig2'))],
];

describe('a signed message', () => {
  it('verifies, in every profile, with every algorithm, kind and vocabulary', async () => {
    await fc.assert(
      fc.asyncProperty(messages, settings, async (message, { kind, profile, alg, vocabulary }) => {
        const key = keyOf(kind, alg, vocabulary);
        const signed = await sign(key, { kind, profile }, message);
        const { signature: alphabet } = WRITING[profile];
        for (const rule of SIGNING_PROFILES)
          expect(outcome(await verify(signed, [key.public], { kind, profile: rule }))).toContain(
            WRITING[rule].signature === alphabet ? 'verified' : 'header_malformed',
          );
        const isDeclared = vocabulary === 'adcp' || alphabet === 'base64';
        expect(outcome(await verify(signed, [key.public], { kind, profile: 'declared' }))).toContain(
          isDeclared ? 'verified' : 'header_malformed',
        );
      }),
    );
  });

  it.each(CHANGES)('is refused with another %s', async (_name, change) => {
    const places = fc.nat(1_000);
    await fc.assert(
      fc.asyncProperty(
        messages,
        settings,
        places,
        async (message, { kind, profile, alg, vocabulary }, place) => {
          const key = keyOf(kind, alg, vocabulary);
          const signed = await sign(key, { kind, profile }, message);
          const changed = change(signed, place);
          fc.pre(JSON.stringify(changed) !== JSON.stringify(signed));
          for (const rule of [profile, 'declared'] as const)
            expect((await verify(changed, [key.public], { kind, profile: rule })).verified).toBe(false);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is refused under another key of the same name', async () => {
    const key = await makeKey('k1');
    const stranger = await makeKey('k1');
    expect(outcome(await verify(await sign(key), [stranger.public]))).toBe(
      'cryptography: request_signature_invalid',
    );
  });
});
