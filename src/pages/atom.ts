import { html } from '@remix-run/html-template';
import { plain } from './texts.ts';

/** An Atom feed (RFC 4287). URLs are absolute, or relative to the URL of the feed. */
export interface AtomFeed {
  /** A URI that does not depend on the address of the registry. */
  readonly id: string;
  readonly title: string;
  /** URLs of this page, of the next older page, and of the HTML page. */
  readonly self: string;
  readonly next?: string;
  readonly alternate: string;
  /** Newest first. */
  readonly entries: readonly AtomEntry[];
}

export interface AtomEntry {
  readonly id: string;
  /** Plain text; it may contain text of strangers. */
  readonly title: string;
  /** One more sentence. */
  readonly summary?: string;
  /** RFC 3339. */
  readonly updated: string;
  readonly link: string;
}

/** For an empty feed: Atom requires a time. */
const NEVER = '1970-01-01T00:00:00.000Z';
const MAX_TITLE = 400;
const MAX_SUMMARY = 3_000;

export function atomText({ id, title, self, next, alternate, entries }: AtomFeed): string {
  const made = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${id}</id>
<title>${plain(title, MAX_TITLE)}</title>
<updated>${entries[0]?.updated ?? NEVER}</updated>
<author><name>Agent Registry</name></author>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="alternate" type="text/html" href="${alternate}"/>
${next === undefined ? '' : html`<link rel="next" type="application/atom+xml" href="${next}"/>`}
${entries.map(
  (
    entry,
  ) => html`<entry><id>${entry.id}</id><title>${plain(entry.title, MAX_TITLE)}</title><updated>${entry.updated}</updated><link rel="alternate" type="text/html" href="${entry.link}"/>${entry.summary === undefined ? '' : html`<summary>${plain(entry.summary, MAX_SUMMARY)}</summary>`}</entry>
`,
)}</feed>
`;
  return String(made);
}
