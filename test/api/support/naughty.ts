import { expect } from 'vitest';

/** The parts of pages, for a test without a server. */
export const TEST_SITE = { root: '', version: '1', asset: (name: string) => `/assets/${name}` };

/** What strangers write to break a page. */
export const NAUGHTY = [
  `"'><script>alert(1)</script><img src=x onerror=alert(1)>`,
  '</title></code></svg><svg onload=alert(1)>',
  'javascript:alert(1)//',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '\u202egnp.exe\u2066\u0000\u001b[31m\u2028',
  `Z${'\u0301'.repeat(500)}`,
  '\ud800',
  'w'.repeat(5_000),
  "'; rm -rf / #",
  '{{7*7}}<%= 7*7 %>',
  '',
];

/** The text of a page has no element and no attribute but our own, no address that is not checked, and is bounded. */
export function refuseMarkup(text: string): void {
  expect(text.length).toBeLessThan(150_000);
  expect(text).not.toMatch(
    /<script(?! type="module" src="\/assets)|<img(?! src="\/)|<svg(?! class="strip")|\s(?:on\w+|style)="/i,
  );
  for (const [, link = ''] of text.matchAll(/(?:href|src|action)="([^"]*)"/g))
    expect(link).toMatch(/^(?:[#/](?!\/)|https?:\/\/)/);
  expect(
    /.{60}(?:[\p{Cs}\u202a-\u202e\u2066-\u2069\u2028]|(?!\n)\p{Cc}|\p{M}{5}).{20}/u
      .exec(text)?.[0]
      .replaceAll(/[^ -~]/g, '?'),
  ).toBeUndefined();
  expect(text).not.toContain('&lt;bdi'); // escaped twice
  expect(text).not.toMatch(/>undefined<|\[object|null</);
}
