import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFindTraces, createRedact } from '../../src/base/redact.ts';
import { evidenceOf, hideSecrets } from '../../src/compliance/conversation/evidence.ts';
import { says } from './support/check.ts';

describe('credentials that were given', () => {
  it('are hidden in every form, in names too', () => {
    const secret = 'p"ss/wörd+of us';
    const forms = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('base64url'),
      JSON.stringify(secret),
    ];
    const hidden = JSON.stringify(
      createRedact([secret])({ list: forms.map((form) => `<${form}>`), [secret]: 1 }),
    );
    for (const form of forms) expect(hidden).not.toContain(form);
  });

  it('leave everything else as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('a-token'));
        expect(createRedact(['a-token'])(value)).toEqual(value);
        expect(createRedact([])(value)).toBe(value);
      }),
    );
  });
});

/** Characters of a bearer token (RFC 6750, section 2.1). */
const token = (minLength: number) =>
  fc.string({
    unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/'),
    minLength,
    maxLength: 200,
  });

const eachOf = (text: string, write: (hex: string) => string) =>
  [...text].map((one) => write(one.charCodeAt(0).toString(16).padStart(2, '0'))).join('');

/** Ways to write a token so that it stands in a text of letters and spaces, whatever is around it. */
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in upper case': (text) => text.toUpperCase(),
  'percent-encoded': encodeURIComponent,
  'percent-encoded, each character': (text) => eachOf(text, (hex) => `%${hex}`),
  'percent-encoded twice': (text) => eachOf(text, (hex) => `%25${hex.toUpperCase()}`),
  'escaped as in JSON': (text) => eachOf(text, (hex) => `\\u00${hex}`),
  'with escaped slashes': (text) => text.replaceAll('/', '\\/'),
  'as HTML entities': (text) => eachOf(text, (hex) => `&#x${hex};`),
  'as decimal entities': (text) => eachOf(text, (hex) => `&#${Number.parseInt(hex, 16)};`),
  'as code points': (text) => eachOf(text, (hex) => `\\u{${hex}}`),
  'in hexadecimal': (text) => eachOf(text, (hex) => hex),
};

describe('a token that an agent says again', () => {
  it.each(Object.keys(WAYS))('is taken out %s, and what is around it stays', (way) => {
    const around = fc.string({ unit: fc.constantFrom('é', ' ', '<', 'ł'), maxLength: 20 });
    fc.assert(
      fc.property(token(8), around, around, (secret, before, after) => {
        const text = `${before}${WAYS[way]?.(secret)}${after}`;
        const clean = createRedact([secret])({ [text]: [text] });
        expect(Object.entries(clean)).toEqual([
          [expect.stringMatching(/\[redacted\]/), [`${before}[redacted]${after}`]],
        ]);
      }),
    );
  });

  it.each([
    ['Xk29fP3qLm', 'key Xk29fP', 'key [redacted]'],
    ['Xk29fP3qLm', 'key Xk29fP3qL', 'key [redacted]'],
    ['Xk29fP3qLm', 'key Xk29f', 'key Xk29f'],
    ['Xk29fP3qLm', 'key Xk29fP and more', 'key Xk29fP and more'],
    ['sk_live_9aBcD3fGh1JkLmN0pQrStUv', 'key sk_live_9a', 'key [redacted]'],
    ['sk_live_9aBcD3fGh1JkLmN0pQrStUv', 'keys begin with sk_live_', 'keys begin with sk_live_'],
    ['sk_live_9aBcD3fGh1JkLmN0pQrStUv', 'Basic c2tfbGl2ZV85', 'Basic [redacted]'],
    ['Xk29fP3qLm', 'Xk29fP3qLm Xk29fP', '[redacted] [redacted]'],
  ])('is taken out of the end of a text that was cut within it: of %s, %s', (secret, text, clean) => {
    expect(createRedact([secret])(text)).toBe(clean);
  });

  it('is taken out whatever stands before it and behind it, be it the half of an escape', () => {
    const half = fc.constantFrom('%', '%2', '\\', '\\u00', '\\x', '&#', '&#x', '&', '&amp;', '1', 'a', '"');
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 60 }),
        half,
        half,
        (secret, before, after) => {
          fc.pre(!'[redacted]'.includes(secret));
          for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
            expect(createRedact([secret])(`${before}${form}${after}`)).not.toContain(form);
        },
      ),
    );
  });

  it('is taken out as HTML writes it', () => {
    const secret = `p&ss<w>rd"of'us`;
    for (const written of [
      'p&amp;ss&lt;w&gt;rd&quot;of&#39;us',
      'p&amp;amp;ss&amp;lt;w&amp;gt;rd&amp;quot;of&apos;us',
    ])
      expect(createRedact([secret])(`is it ${written}?`)).toBe('is it [redacted]?');
  });

  it('is taken out of base64, wherever it begins in it', () => {
    fc.assert(
      fc.property(token(12), fc.base64String({ maxLength: 8 }), fc.boolean(), (secret, before, isUrl) => {
        const text = Buffer.from(`${before}${secret}`).toString(isUrl ? 'base64url' : 'base64');
        const left = createRedact([secret])(text).replace('[redacted]', '').replaceAll('=', '');
        // of the token's own bytes at most the two that share a character with their neighbours are left
        expect(left.length).toBeLessThanOrEqual(Math.ceil((before.length * 4) / 3) + 3);
      }),
    );
  });

  it('is taken out when it is split over two fields, as far as a part of it tells', () => {
    fc.assert(
      fc.property(token(36), fc.nat(), (secret, at) => {
        const split = 12 + (at % (secret.length - 23));
        const parts = { a: secret.slice(0, split), b: secret.slice(split) };
        fc.pre(Object.values(parts).every((part) => /\d/.test(part)));
        const left = Object.values(createRedact([secret])(parts))
          .join('')
          .replaceAll('[redacted]', '');
        expect(left.length).toBeLessThanOrEqual(secret.length / 3);
      }),
    );
  });

  it('is taken out as a number too', () => {
    expect(createRedact(['1234567890'])({ code: 1234567890, other: 12345, zero: 0 })).toEqual({
      code: '[redacted]',
      other: 12345,
      zero: 0,
    });
  });

  it('that is made of words costs none of its words', () => {
    const said = {
      id: 'sandbox-1',
      text: 'the desk of the sandbox, sandbox-',
      list: ['agent-registry', 'desk'],
    };
    expect(createRedact(['sandbox-desk'])(said)).toBe(said);
    expect(createRedact(['test-token-for-the-agent-registry'])(said)).toBe(said);
  });

  it('is taken out however deep it stands', () => {
    const deep = (text: string) =>
      Array.from({ length: 60 }).reduce<unknown>((inner) => ({ x: [inner] }), text);
    expect(createRedact(['a-token-deep-down'])(deep('a-token-deep-down'))).toEqual(deep('[redacted]'));
  });

  it('does not make a long answer slow, however it is escaped', () => {
    const redact = createRedact(['a'.repeat(4_096), 'canary-of-the-long-answer']);
    for (const piece of ['\\', '%', '%25', '&amp;', '&#', 'aaaaab', '%61', 'canary-of-'])
      expect(redact(piece.repeat(50_000)).length).toBeGreaterThan(0);
  });
});

describe('a token that is chosen to be hard to look for', () => {
  const HARD: readonly (readonly [token: string, said: string])[] = [
    ['a'.repeat(4_096), `${'a'.repeat(4_090)}b`],
    ['ab'.repeat(2_048), `${'ab'.repeat(2_000)}c`],
    ['the-quick-brown-fox-'.repeat(204), `${'the-quick-brown-fox-'.repeat(200)}x`],
    ['a'.repeat(4_096), `${'%61'.repeat(4_090)}b`],
  ];

  it.each(HARD)('costs as many comparisons as the answer is long, for token %#', (token, said) => {
    for (const length of [100_000, 200_000]) {
      const text = said.repeat(Math.ceil(length / said.length)).slice(0, length);
      const work = { compared: 0 };
      createFindTraces([token], work)(text);
      expect(work.compared).toBeLessThan(100 * length);
    }
  });

  it.each(HARD)('is hidden with whatever stands behind it, for token %#', (token, said) => {
    const text = `before ${said.repeat(30)}${token} behind`;
    expect(createRedact([token])(text)).not.toContain(token.slice(0, 100));
    expect(createRedact([token])(`before ${token} behind`)).toBe('before [redacted] behind');
  });

  it('costs its own answer only: what is short and other than it stays', () => {
    const redact = createRedact(HARD.map(([token]) => token));
    expect(redact({ text: 'a quick brown fox', list: ['aaaa', 'b'] })).toEqual({
      text: 'a quick brown fox',
      list: ['aaaa', 'b'],
    });
  });
});

describe('what looks like a secret', () => {
  it.each([
    'authorization',
    'Proxy-Authorization',
    'api_key',
    'x-api-key',
    'access_token',
    'client_secret',
    'password',
    'private_key',
    'credentials',
    'Set-Cookie',
  ])('is hidden under %s', (name) => {
    expect(hideSecrets({ [name]: 'abc', deep: [{ [name]: 'abc' }] })).toEqual({
      [name]: '[redacted]',
      deep: [{ [name]: '[redacted]' }],
    });
  });

  it('is hidden behind Bearer, and names that only sound like it stay', () => {
    expect(hideSecrets('it said Bearer abcdefgh1234= twice')).toBe('it said Bearer [redacted] twice');
    const plain = { tokens_used: 'x', key: 'x', author: 'x', secret_count: 'x', password: 7 };
    expect(hideSecrets(plain)).toEqual(plain);
  });
});

describe('evidence', () => {
  it('is bounded, and says that it was cut', () => {
    const evidence = evidenceOf('t', { brief: 'x'.repeat(50_000) }, says({ text: 'y'.repeat(90_000) }));
    expect(evidence.response_cut).toBe(true);
    expect(JSON.stringify(evidence).length).toBeLessThan(50_000);
  });
});
