import { expect, test } from 'vitest';
import { hobbyIndex, hobbySite, publisherNames } from '../src/names.ts';
import { createRandom } from '../src/random.ts';

test('names stay different beyond the pairs of town and topic', () => {
  const domains = publisherNames(createRandom(7), 600).map(({ domain }) => domain);
  expect(new Set(domains).size).toBe(600);
  expect(domains.every((domain) => /^[a-z][a-z0-9-]+[a-z0-9]\.example$/.test(domain))).toBe(true);
});

test.each([0, 9, 10, 5_999])('the small site %i is found by its name', (index) => {
  expect(hobbyIndex(hobbySite(index))).toBe(index);
});

test.each(['news.example', 'beekeeping-00001.example', 'knots-1.example', 'a.knots-00001.example'])(
  '%s is no small site',
  (host) => {
    expect(hobbyIndex(host)).toBe(-1);
  },
);
