import { describe, expect, it } from 'vitest';
import { cachedWhenRequestedAgain, createBodyCache, type RenderedBody } from '../../src/api/list-cache.ts';

const rendered = (bytes: number, validUntil = Number.POSITIVE_INFINITY): RenderedBody => ({
  body: Buffer.alloc(bytes),
  etag: '"x"',
  validUntil,
});

describe('the cache of rendered answers', () => {
  it('gives back what belongs to the same data', () => {
    const cache = createBodyCache(100_000);
    const body = rendered(10);
    cache.set('a', 'v1', body);
    expect(cache.get('a', 'v1', 0)).toBe(body);
    expect(cache.get('b', 'v1', 0)).toBeUndefined();
  });

  it('forgets what another version of the data has overtaken', () => {
    const cache = createBodyCache(100_000);
    cache.set('a', 'v1', rendered(10));
    expect(cache.get('a', 'v2', 0)).toBeUndefined();
  });

  it('gives an answer up to its last moment and not after', () => {
    const cache = createBodyCache(100_000);
    cache.set('a', 'v1', rendered(10, 500));
    expect(cache.get('a', 'v1', 500)).toBeDefined();
    expect(cache.get('a', 'v1', 501)).toBeUndefined();
  });

  it('drops the one unused for longest when the bytes run out', () => {
    const cache = createBodyCache(35_000);
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
    const cache = createBodyCache(20_000);
    cache.set('small', 'v1', rendered(100));
    cache.set('huge', 'v1', rendered(30_000));
    expect(cache.get('huge', 'v1', 0)).toBeUndefined();
    expect(cache.get('small', 'v1', 0)).toBeDefined();
  });
});

describe('a cache of what is requested again', () => {
  const ask = (cache: ReturnType<typeof createBodyCache>, key: string) => {
    const isHit = cache.get(key, 'v1', 0) !== undefined;
    if (!isHit) cache.set(key, 'v1', rendered(10_000));
    return isHit;
  };

  it('keeps an answer from its second request on', () => {
    const cache = cachedWhenRequestedAgain(createBodyCache(100_000));
    expect(['a', 'a', 'a'].map((key) => ask(cache, key))).toEqual([false, false, true]);
  });

  it('keeps an answer that others are waiting for', () => {
    const cache = cachedWhenRequestedAgain(createBodyCache(100_000));
    cache.get('a', 'v1', 0);
    cache.get('a', 'v1', 0);
    cache.set('a', 'v1', rendered(10));
    expect(cache.get('a', 'v1', 0)).toBeDefined();
  });

  it('evicts no answer for those that are requested once', () => {
    const cache = cachedWhenRequestedAgain(createBodyCache(35_000));
    ask(cache, 'popular');
    ask(cache, 'popular');
    for (let page = 1; page <= 100; page += 1) ask(cache, `page ${page}`);
    expect(ask(cache, 'popular')).toBe(true);
  });
});
