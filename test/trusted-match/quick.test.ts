import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasDuplicateName } from '../../src/trusted-match/duplicate-names.ts';
import { createTokenHash } from '../../src/trusted-match/eligibility.ts';
import { identityReader } from '../../src/trusted-match/read-request.ts';
import { areUnique, matchSchema, quickPattern, type Schema } from '../../src/trusted-match/schemas.ts';
import { anyCharacter } from '../support/any-character.ts';
import { ANN, BEN, identity } from './support.ts';

/** What is quick must say the same as what it stands for. */
function patternsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'pattern' && typeof value === 'string' ? [value] : patternsIn(value),
  );
}

const PATTERNS = [
  ...new Set(
    (['context', 'identity', 'exposure'] as const).flatMap((one): string[] =>
      patternsIn(matchSchema(one, 'request') satisfies Schema),
    ),
  ),
];
const near = fc.string({ unit: fc.constantFrom(..."ab0AZ9._- '&+@é٣​/") });

describe('a quick pattern', () => {
  it.each(PATTERNS)('%s takes the very texts of the regular expression', (source) => {
    const [quick, slow] = [quickPattern(source, 'u'), new RegExp(source, 'u')];
    expect(String(quick)).toBe(String(slow));
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: anyCharacter }), fc.string()), (text) => {
        expect(quick.test(text)).toBe(slow.test(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a list', () => {
  it('is unique when its set is as long', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), { maxLength: 24 }), (list) => {
        expect(areUnique(list)).toBe(new Set(list).size === list.length);
      }),
    );
  });
});

describe('the hash of a token', () => {
  it('is HMAC-SHA-256 with the key', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 32, max: 200 }),
        fc.integer({ min: 24, max: 96 }),
        (keyLength, length) => {
          const key = randomBytes(keyLength);
          const token = randomBytes(length).toString('base64url');
          expect(createTokenHash(key)(token)).toBe(
            createHmac('sha256', key).update(token).digest('base64url'),
          );
        },
      ),
    );
  });

  it('does not depend on the tokens before it', () => {
    const hash = createTokenHash();
    const first = hash(BEN);
    hash(`${ANN}${ANN}`);
    expect(hash(BEN)).toBe(first);
  });
});

describe('a name that stands twice', () => {
  it('is found wherever it is, and nowhere else', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.boolean(), (value, isIndented) => {
        const text = JSON.stringify(value, null, isIndented ? 2 : 0);
        expect(hasDuplicateName(text, JSON.parse(text))).toBe(false);
        expect(hasDuplicateName(`{"a":1,"a":${text}}`, JSON.parse(`{"a":${text}}`))).toBe(true);
      }),
    );
  });
});

describe('a list of packages that was read before', () => {
  const reading = (body: unknown) => {
    try {
      return identityReader()(body);
    } catch (error) {
      return (error as { code: string; pointer?: string }).code;
    }
  };

  it('is read the same the second time, with another token', () => {
    const read = identityReader();
    const [first, second] = [identity(), identity({ token: BEN })];
    expect(read(JSON.stringify(first))).toEqual(first);
    expect(read(JSON.stringify(second))).toEqual(second);
  });

  it.each([
    ['a readable token', identity({ token: 'night-trains-are-back-in-fashion-all-over' })],
    ['a short token', identity({ token: 'short' })],
    ['an id that is none', identity({ request_id: ANN })],
    ['a member more', { ...identity(), url: 'https://news.example' }],
    ['a wrong list', identity({ package_ids: ['Rail Pass'] })],
    ['a list with one twice', identity({ package_ids: ['a', 'a'] })],
  ])('does not let %s in', (_name, request) => {
    const read = identityReader();
    read(JSON.stringify(identity()));
    read(JSON.stringify(identity({ package_ids: ['a'] })));
    const body = JSON.stringify(request);
    expect(() => read(body)).toThrow(expect.objectContaining({ code: reading(body) }));
    expect(() => read(body)).toThrow(expect.objectContaining({ code: reading(body) }));
  });

  it('is told from a name that stands twice', () => {
    const read = identityReader();
    const body = JSON.stringify(identity());
    read(body);
    for (const doubled of [
      body.replace('"token"', '"token":"x","token"'),
      body.replace(/\}$/, ',"package_ids":["rail-pass","spring-sale"]}'),
    ])
      expect(() => read(doubled)).toThrow(expect.objectContaining({ code: 'duplicate_field' }));
  });
});
