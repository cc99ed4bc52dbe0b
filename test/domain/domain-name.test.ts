import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  hostWithoutSuffix,
  parseDomain,
  publishersNamed,
  registrableDomain,
} from '../../src/domain/domain-name.ts';

describe('hostWithoutSuffix', () => {
  test.each([
    ['ads.shop.co.uk', 'ads.shop'],
    ['shop.example', 'shop'],
    ['news.github.io', 'news'],
    ['github.io', 'github.io'],
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
  ])('%s is %s', (host, name) => expect(hostWithoutSuffix(host)).toBe(name));
});

describe('parseDomain', () => {
  test.each([
    ['News.Example', 'news.example'],
    ['news.example.', 'news.example'],
    [' news.example\n', 'news.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['a。example', 'a.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['1.a.example', '1.a.example'],
  ])('%j is %s', (text, domain) => expect(parseDomain(text)).toEqual({ ok: true, domain }));

  test.each([
    ['', 'empty'],
    ['  ', 'empty'],
    ['https://news.example', 'url'],
    ['news.example/path', 'url'],
    ['news.example:8080', 'url'],
    ['user@news.example', 'url'],
    ['news example', 'url'],
    ['news%2eexample', 'url'],
    ['127.0.0.1', 'ip_address'],
    ['127.1', 'ip_address'],
    ['0x7f.1', 'ip_address'],
    ['2130706433', 'ip_address'],
    ['１２７.0.0.1', 'ip_address'],
    ['::1', 'ip_address'],
    ['[::1]', 'ip_address'],
    ['localhost', 'single_label'],
    ['a..example', 'bad_label'],
    ['a.example..', 'bad_label'],
    ['-a.example', 'bad_label'],
    ['a_b.example', 'bad_label'],
    ['*.example.com', 'bad_label'],
    ['1.2.3.4.5', 'bad_label'],
    [`${'a'.repeat(64)}.example`, 'bad_label'],
    [`${'abcdefghi.'.repeat(26)}example`, 'too_long'],
  ])('%j is refused: %s', (text, problem) => expect(parseDomain(text)).toEqual({ ok: false, problem }));

  test('the normal form is its own normal form', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.string()), (text) => {
        const once = parseDomain(text);
        if (once.ok) expect(parseDomain(once.domain)).toEqual(once);
      }),
    );
  });
});

test.each([
  ['a.b.news.example', 'news.example'],
  ['www.news.co.uk', 'news.co.uk'],
  ['a.github.io', 'a.github.io'],
  ['b.a.github.io', 'a.github.io'],
  ['github.io', 'github.io'],
  ['127.0.0.1', '127.0.0.1'],
  ['www.news.example.', 'news.example'],
  ['github.io.', 'github.io'],
])('%s is registered as %s', (host, domain) => expect(registrableDomain(host)).toBe(domain));

test('a name that is taken as it is reads as it does label by label', () => {
  const label = fc.oneof(
    fc.stringMatching(/^[a-z0-9-]{1,6}$/),
    fc.constantFrom('a'.repeat(64), '0x1', 'xn--a', ''),
  );
  const names = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'));
  const long = fc.constant(Array.from({ length: 5 }, () => 'a'.repeat(60)).join('.'));
  fc.assert(
    fc.property(fc.oneof(names, long), (name) => {
      expect(parseDomain(name)).toEqual(parseDomain(` ${name}`)); // what has a space is read in pieces
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['www.news.example', ['www.news.example', 'news.example']],
  ['m.news.co.uk', ['m.news.co.uk', 'news.co.uk']],
  ['news.example', ['news.example']],
  ['shop.news.example', ['shop.news.example']],
  ['www.shop.news.example', ['www.shop.news.example']],
  ['www.github.io', ['www.github.io']],
  ['www.co.uk', ['www.co.uk']],
])('for the publisher %s the files of %j may answer', (publisher, domains) =>
  expect(publishersNamed(publisher)).toEqual(domains),
);
