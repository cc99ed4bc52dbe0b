import { Parser } from 'htmlparser2';

/** Characters of a page in which its head is looked for. */
const MAX_HEAD = 65_536;

/**
 * Where the head of a page says that its domain's entries stand: the first `<link rel="ard" href="…">` (ARD v0.91, 5.1).
 * Undefined for none, for one behind the head, and for an address that is not https.
 *
 * @param html a stranger's page; only its first 64 KiB are read
 * @param page the address that it came from, which an href is relative to unless the page names a base
 */
export function ardLink(html: Uint8Array, page: string): string | undefined {
  let base = page;
  let found: string | undefined;
  let isOver = false;
  const parser = new Parser({
    onopentag(name, { rel = '', href }) {
      if (isOver || href === undefined) isOver ||= name === 'body';
      else if (name === 'base') base = URL.parse(href, page)?.href ?? base;
      else if (name === 'link' && rel.toLowerCase().split(/\s/).includes('ard')) found ??= href;
      else isOver ||= name === 'body';
    },
    onclosetag(name) {
      isOver ||= name === 'head';
    },
  });
  parser.end(new TextDecoder().decode(html.subarray(0, MAX_HEAD)));
  const target = found === undefined ? null : URL.parse(found, base);
  if (target === null) return undefined;
  target.hash = '';
  return target.protocol === 'https:' && target.username === '' ? target.href : undefined;
}
