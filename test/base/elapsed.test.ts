import { LRUCache } from 'lru-cache';
import { expect, it } from 'vitest';
import { elapsedBy } from '../../src/base/elapsed.ts';

const HOUR = 3_600_000;

it.each([
  ['forward', HOUR],
  ['back', -HOUR],
])('an entry of a cache ends when the clock is set %s', (_way, byMs) => {
  const clock = { value: 0, now: () => clock.value };
  const cache = new LRUCache<string, true>({
    max: 10,
    ttl: 60_000,
    perf: elapsedBy(clock),
    ttlResolution: 0,
  });
  cache.set('a', true);
  clock.value = 60_000;
  expect(cache.has('a')).toBe(true);
  clock.value += byMs;
  expect(cache.has('a')).toBe(false);
});
