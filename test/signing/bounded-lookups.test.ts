import { describe, expect, it } from 'vitest';
import { createBoundedLookups } from '../../src/signing/bounded-lookups.ts';
import { type FoundKey, fixedKeys } from '../../src/signing/key-source.ts';

const KEYS = fixedKeys([{ kty: 'OKP', kid: 'k1' }]);

/** Keys that are found when the test says so. */
function slowKeys() {
  const { promise, resolve } = Promise.withResolvers<FoundKey>();
  return { source: { find: () => promise }, answer: async () => resolve(await KEYS.find('k1')) };
}

describe('bounded lookups of keys', () => {
  it('find what the source finds', async () => {
    const bounded = createBoundedLookups({ atOnce: 1, atOnceForOne: 1, deadlineMs: 10_000 });
    expect(await bounded('a', KEYS).find('k1')).toMatchObject({ found: true });
    expect(await bounded('a', KEYS).find('k1')).toMatchObject({ found: true });
    expect(await bounded('a', KEYS).find('k2')).toMatchObject({ fault: 'signature_key_unknown' });
  });

  it('are no more than so many at once, whoever they are for', async () => {
    const bounded = createBoundedLookups({ atOnce: 1, atOnceForOne: 1, deadlineMs: 10_000 });
    const slow = slowKeys();
    const first = bounded('a', slow.source).find('k1');
    expect(await bounded('b', KEYS).find('k1')).toMatchObject({ fault: 'signature_jwks_unavailable' });
    await slow.answer();
    expect(await first).toMatchObject({ found: true });
    expect(await bounded('a', KEYS).find('k1')).toMatchObject({ found: true });
  });

  it('leave places for others while one site keeps us waiting, however often it is asked for', async () => {
    const bounded = createBoundedLookups({ atOnce: 8, atOnceForOne: 2, deadlineMs: 10_000 });
    const slow = slowKeys();
    const asked = Array.from({ length: 1_000 }, () => bounded('slow.example', slow.source).find('k1'));
    expect(await bounded('other.example', KEYS).find('k1')).toMatchObject({ found: true });
    await slow.answer();
    const found = (await Promise.all(asked)).filter((answer) => answer.found);
    expect(found).toHaveLength(2);
    expect(await bounded('slow.example', KEYS).find('k1')).toMatchObject({ found: true });
  });

  it('are given up after their time, and take their place until they have ended', async () => {
    const bounded = createBoundedLookups({ atOnce: 1, atOnceForOne: 1, deadlineMs: 5 });
    const slow = slowKeys();
    expect(await bounded('a', slow.source).find('k1')).toMatchObject({ fault: 'signature_jwks_unavailable' });
    expect(await bounded('a', KEYS).find('k1')).toMatchObject({
      detail: expect.stringContaining('too many'),
    });
    await slow.answer();
    await new Promise(setImmediate);
    expect(await bounded('a', KEYS).find('k1')).toMatchObject({ found: true });
  });
});
