import { describe, expect, it } from 'vitest';
import { createBodyCache, type RenderedBody } from '../../src/api/list-cache.ts';

const rendered = (bytes: number, validUntil = Number.POSITIVE_INFINITY): RenderedBody => ({
  body: Buffer.alloc(bytes),
  etag: '"x"',
  validUntil,
});

/** A cache of answers that were all asked for before. */
function askedCache(maxBytes: number) {
  const cache = createBodyCache(maxBytes);
  for (const key of ['a', 'b', 'c', 'd', 'small', 'huge']) cache.set(key, 'v0', rendered(0));
  return cache;
}

describe('the cache of rendered answers', () => {
  it('keeps an answer from the second time on, whatever changed in between', () => {
    const cache = createBodyCache(100_000);
    cache.set('a', 'v1', rendered(10));
    expect(cache.get('a', 'v1', 0)).toBeUndefined();
    cache.set('a', 'v2', rendered(10));
    expect(cache.get('a', 'v2', 0)).toBeDefined();
  });

  it('forgets the oldest of some hundred queries that were asked once', () => {
    const cache = createBodyCache(100_000);
    for (let at = 0; at <= 512; at += 1) cache.set(`q${at}`, 'v1', rendered(10));
    for (const key of ['q0', 'q512']) cache.set(key, 'v1', rendered(10));
    expect(cache.get('q0', 'v1', 0)).toBeUndefined();
    expect(cache.get('q512', 'v1', 0)).toBeDefined();
  });

  it('gives back what belongs to the same data', () => {
    const cache = askedCache(100_000);
    const body = rendered(10);
    cache.set('a', 'v1', body);
    expect(cache.get('a', 'v1', 0)).toBe(body);
    expect(cache.get('b', 'v1', 0)).toBeUndefined();
  });

  it('forgets what another version of the data has overtaken', () => {
    const cache = askedCache(100_000);
    cache.set('a', 'v1', rendered(10));
    expect(cache.get('a', 'v2', 0)).toBeUndefined();
    expect(cache.get('a', 'v1', 0)).toBeUndefined();
  });

  it('gives an answer up to its last moment and not after', () => {
    const cache = askedCache(100_000);
    cache.set('a', 'v1', rendered(10, 500));
    expect(cache.get('a', 'v1', 500)).toBeDefined();
    expect(cache.get('a', 'v1', 501)).toBeUndefined();
  });

  it('drops the one unused for longest when the bytes run out', () => {
    const cache = askedCache(35_000);
    for (const key of ['a', 'b', 'c']) cache.set(key, 'v1', rendered(10_000));
    cache.get('a', 'v1', 0);
    cache.set('d', 'v1', rendered(10_000));
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key, 'v1', 0) !== undefined)).toEqual([
      'a',
      'c',
      'd',
    ]);
  });

  it('keeps no answer that is larger than all of it, and drops none for it', () => {
    const cache = askedCache(20_000);
    cache.set('small', 'v1', rendered(100));
    cache.set('huge', 'v1', rendered(30_000));
    expect(cache.get('huge', 'v1', 0)).toBeUndefined();
    expect(cache.get('small', 'v1', 0)).toBeDefined();
  });
});
