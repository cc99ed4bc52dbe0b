import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apiKeyId, isApiKey, newApiKey } from '../../src/owners/secrets.ts';

describe('an API key', () => {
  it('begins with its id, and is known again by its hash alone', () => {
    const { id, key, hash } = newApiKey();
    expect(key).toMatch(/^ark_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
    expect([key.startsWith(`${id}_`), apiKeyId(key), isApiKey(key, hash)]).toEqual([true, id, true]);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is another one each time', () => {
    const keys = Array.from({ length: 1_000 }, () => newApiKey());
    expect(new Set(keys.map(({ id }) => id)).size).toBe(1_000);
    expect(new Set(keys.map(({ key }) => key.slice(21))).size).toBe(1_000);
  });

  it('is no other text, however alike', () => {
    const { key, hash } = newApiKey();
    const place = fc.nat(key.length - 1);
    fc.assert(
      fc.property(place, fc.string({ minLength: 1, maxLength: 1 }), (at, char) => {
        fc.pre(key[at] !== char);
        expect(isApiKey(key.slice(0, at) + char + key.slice(at + 1), hash)).toBe(false);
      }),
    );
    expect(isApiKey('', hash)).toBe(false);
  });
});
