import { expect } from 'vitest';

export { NAUGHTY } from '../../support/naughty-texts.ts';

/** The parts of pages, for a test without a server. */
export const TEST_SITE = {
  root: '',
  origin: 'https://registry.example',
  version: '1',
  asset: (name: string) => `/assets/${name}`,
};

/** The text of a page has no element and no attribute but our own, no address that is not checked, and is bounded. */
export function refuseMarkup(text: string): void {
  expect(text.length).toBeLessThan(150_000);
  expect(text).not.toMatch(
    /<script(?! type="module" src="\/assets)|<img(?! src="\/)|<svg(?! class="strip")|\s(?:on\w+|style)="/i,
  );
  for (const [, link = ''] of text.matchAll(/(?:href|src|action)="([^"]*)"/g))
    expect(link).toMatch(/^(?:[#/](?!\/)|https?:\/\/)/);
  const at = text.search(/[\p{Cs}\u202a-\u202e\u2066-\u2069\u2028]|(?!\n)\p{Cc}|\p{M}{5}/u);
  const around = text.slice(Math.max(0, at - 60), at + 20).replaceAll(/[^ -~]/g, '?');
  expect(at < 0 ? undefined : around).toBeUndefined();
  expect(text).not.toContain('&lt;bdi'); // escaped twice
  expect(text).not.toMatch(/>undefined<|\[object|null</);
}
