import { describe, expect, it, test } from 'vitest';
import { isRedirect, nextHop } from '../../../src/crawl/fetch/url-rule.ts';
import type { RedirectRule } from '../../../src/ports/fetcher.ts';

const WITHIN: RedirectRule = { allow: 'same_registrable_domain', max: 3 };

function hop(rule: RedirectRule, location: string, ...visited: string[]): string {
  return nextHop(
    rule,
    visited.map((url) => new URL(url)),
    location,
  ).href;
}

describe('a redirect that the rule allows', () => {
  it.each([
    ['https://news.example/a', '/b', 'https://news.example/b'],
    ['https://news.example/a/b', 'c?d#e', 'https://news.example/a/c?d'],
    ['https://news.example/a', 'https://www.news.example/a', 'https://www.news.example/a'],
    ['https://www.news.co.uk/a', 'https://news.co.uk/a', 'https://news.co.uk/a'],
    ['http://news.example/a', 'https://news.example/a', 'https://news.example/a'],
    ['http://news.example/a', '/b', 'http://news.example/b'],
  ])('from %s by %s to %s', (from, location, to) => {
    expect(hop(WITHIN, location, from)).toBe(to);
  });
});

describe('a redirect that is refused', () => {
  it.each([
    ['https://news.example/a', 'https://evil.example/a', 'the redirect leaves the domain, to evil.example'],
    ['https://a.github.io/x', 'https://b.github.io/x', 'the redirect leaves the domain, to b.github.io'],
    ['https://news.co.uk/a', 'https://other.co.uk/a', 'the redirect leaves the domain, to other.co.uk'],
    ['https://news.example/a', 'https://10.0.0.1/a', 'the redirect leaves the domain, to 10.0.0.1'],
    ['https://news.example/a', 'http://news.example/a', 'the redirect leads from https to http'],
    ['https://news.example/a', 'file:///etc/passwd', 'the redirect leads from https to http'],
    ['https://news.example/a', 'javascript:alert(1)', 'the redirect leads from https to http'],
    ['https://news.example/a', 'https://[', 'the redirect target is not a valid URL'],
    ['https://news.example/a', '#again', 'redirect loop'],
  ])('from %s to %s', (from, location, message) => {
    expect(() => hop(WITHIN, location, from)).toThrow(message);
  });
});

test('the domain first asked counts on every hop, and so does the number of hops', () => {
  const trail = ['https://news.example/', 'https://a.news.example/', 'https://b.news.example/'];
  expect(hop(WITHIN, 'https://c.news.example/', ...trail)).toBe('https://c.news.example/');
  expect(() => hop(WITHIN, '/x', ...trail, 'https://c.news.example/')).toThrow('more than 3 redirects');
  expect(() => hop(WITHIN, 'https://a.news.example/', ...trail)).toThrow('redirect loop');
  expect(() => hop({ allow: 'none' }, '/x', 'https://news.example/')).toThrow(
    'a redirect is not allowed here',
  );
});

describe('a redirect that may lead to one other domain', () => {
  const ONE: RedirectRule = { allow: 'one_other_domain', max: 5 };
  const [APEX, WWW] = ['https://news.example/ads.txt', 'https://www.news.example/ads.txt'];
  const [HOST, OTHER_HOST] = ['https://vendor.example/77/ads.txt', 'https://cdn.vendor.example/ads.txt'];
  it.each([
    ['within the domain', WWW, [APEX]],
    ['to the other domain', HOST, [APEX]],
    ['to the other domain after a hop of its own', HOST, [APEX, WWW]],
    ['within the other domain', OTHER_HOST, [APEX, WWW, HOST]],
  ])('leads %s', (_name, to, visited) => expect(hop(ONE, to, ...visited)).toBe(to));
  it.each([
    ['to a third domain', 'https://third.example/', [APEX, HOST], 'leads to a third domain, third.example'],
    ['back', `${WWW}?again`, [APEX, HOST], 'leads to a third domain, www.news.example'],
    ['to another tenant', 'https://b.github.io/', [APEX, 'https://a.github.io/'], 'leads to a third domain'],
    ['from https', 'http://vendor.example/ads.txt', [APEX], 'the redirect leads from https to http'],
    ['in a circle', APEX, [APEX, WWW], 'redirect loop'],
    [
      'too often',
      'https://vendor.example/6',
      [APEX, WWW, HOST, ...['2', '3', '4'].map((n) => `https://vendor.example/${n}`)],
      'more than 5 redirects',
    ],
  ])('does not lead %s', (_name, to, visited, message) =>
    expect(() => hop(ONE, to, ...visited)).toThrow(message),
  );
});

test('only the five redirecting statuses with a location redirect', () => {
  const redirecting = [200, 300, 301, 302, 303, 304, 305, 307, 308].filter((status) =>
    isRedirect(status, '/x'),
  );
  expect(redirecting).toEqual([301, 302, 303, 307, 308]);
  expect(isRedirect(302, undefined)).toBe(false);
});
