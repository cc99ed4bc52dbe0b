import { html, type SafeHtml } from '@remix-run/html-template';
import type { PageSite, PlacedSite } from './layout.ts';

/** Controls, line separators, tags, what turns the direction of all that follows, and what no XML has; marks for one word stay. */
export const UNSHOWN = /[\p{Cc}\u2028-\u202e\u2066-\u2069\ufffe\uffff\u{e0000}-\u{e007f}]+/gu;
/** More marks than any script piles on one letter; the first ones stay. */
const PILED = /\p{M}{5,}/gu;
/** What most texts are made of, each of which stays as it is. */
const USUAL = /^[ -~]*$/;
const MAX_LINK = 2_000;

/** What a stranger wrote, as one line of at most so many characters. It is text still: templates escape it. */
export function plain(text: string, most = 200): string {
  if (text.length <= most && USUAL.test(text)) return text.trim();
  // characters are counted after what is not shown is gone, of a beginning that has enough
  const shown = text
    .slice(0, most * 4)
    .toWellFormed()
    .replace(UNSHOWN, ' ')
    .replace(PILED, (marks) => [...marks].slice(0, 4).join(''))
    .trim();
  const characters = [...shown];
  const isCut = characters.length > most || text.length > most * 4;
  return isCut ? `${characters.slice(0, most - 1).join('')}…` : shown;
}

/** The same on a page: its direction is its own, and turns nothing beside it. */
export function said(text: string, most?: number): SafeHtml {
  return html`<bdi>${plain(text, most)}</bdi>`;
}

/** A link to an address that a stranger gave. What is no http or https address is text. */
export function outward(address: string, text = address): SafeHtml {
  const url = address.length > MAX_LINK ? null : URL.parse(address);
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isWeb) return said(text, 120);
  return html`<a href="${url.href}" rel="nofollow noopener noreferrer">${said(text, 120)}</a>`;
}

/** An agent's address as one segment that ends neither an attribute, nor a link of Markdown, nor a text of a shell. */
export function segmentOf(agent: string): string {
  const escaped = (one: string) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(agent).replaceAll(/[!'()*]/g, escaped);
}

export function agentPath(site: PageSite, agent: string): string {
  return `${site.root}/agents/${segmentOf(agent)}`;
}

/** To the minute, in UTC: the same for everybody who reads it. `at` is RFC 3339. */
export function moment(at: string | null | undefined): SafeHtml | string {
  if (at === null || at === undefined) return 'never';
  return html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** How something stands: a word with a colour, and the word says all. */
export function pill(tone: 'good' | 'warn' | 'bad' | 'calm', text: string): SafeHtml {
  return html`<span class="pill ${tone}">${said(text, 60)}</span>`;
}

/** How an agent does in tests. */
export function statusPill(status: string): SafeHtml {
  const known = Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
  const [tone, text] = known ?? STATUSES.unknown;
  return pill(tone, text);
}

/** Beside counts of storyboards, which say nothing of specialisms that no storyboard tested. */
export function untestedPill({
  specialisms_untested: count,
}: {
  readonly specialisms_untested: number;
}): SafeHtml | string {
  return count === 0 ? '' : html` ${pill('warn', `${amountText(count, 'specialism')} untested`)}`;
}

/** The same as words alone. */
export function statusText(status: string): string {
  return (Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined)?.[1] ?? status.replaceAll('_', ' ');
}

const STATUSES: Readonly<Record<string, readonly ['good' | 'warn' | 'bad' | 'calm', string]>> & {
  readonly unknown: readonly ['calm', string];
} = {
  passing: ['good', 'passes its tests'],
  degraded: ['warn', 'passes some tests'],
  failing: ['bad', 'fails tests'],
  unknown: ['calm', 'not tested'],
  opted_out: ['calm', 'takes no part in tests'],
};

/** How a track, a specialism or a storyboard came out in a run. */
export function resultPill(result: string): SafeHtml {
  const [tone, text] = (Object.hasOwn(RESULTS, result) ? RESULTS[result] : undefined) ?? ['calm', result];
  return pill(tone, text);
}

/** How many storyboards passed, and how many are incomplete. */
export function passedText(counts: {
  readonly storyboards_passing: number;
  readonly storyboards_total: number;
  readonly storyboards_incomplete: number;
}): string {
  const {
    storyboards_passing: passing,
    storyboards_total: total,
    storyboards_incomplete: incomplete,
  } = counts;
  return `${passing} of ${total}${incomplete === 0 ? '' : `, ${incomplete} incomplete`}`;
}

/** The tone of the same, for a bar. */
export function resultTone(result: string): string {
  return (Object.hasOwn(RESULTS, result) ? RESULTS[result] : undefined)?.[0] ?? 'calm';
}

const RESULTS: Readonly<Record<string, readonly ['good' | 'warn' | 'bad' | 'calm', string]>> = {
  pass: ['good', 'passes'],
  partial: ['warn', 'passes in part'],
  fail: ['bad', 'fails'],
  incomplete: ['warn', 'incomplete'],
  skip: ['calm', 'could not run'],
  silent: ['calm', 'not judged'],
};

/** Whether an agent answers; undefined: nobody ever asked it. */
export function healthPill(online: boolean | undefined): SafeHtml {
  if (online === undefined) return pill('calm', 'never asked');
  return online ? pill('good', 'answers') : pill('bad', 'does not answer');
}

/** The line that asks for the same as JSON. `path` is encoded, and so has no quote in it. With `withKey` the line sends an API key. */
export function sameAsJson(
  { origin }: PlacedSite,
  path: string,
  { withKey = false }: { readonly withKey?: boolean } = {},
): SafeHtml {
  const key = withKey ? html`-H "Authorization: Bearer $API_KEY" ` : '';
  return html`<div class="same"><h2>The same as JSON</h2>
<pre class="wraps" tabindex="0" role="region" aria-label="The same with curl"><code>curl ${key}'${origin}${path}'</code></pre>
<p><a href="${path}">Open it here</a></p></div>`;
}

/** A name or URL at the beginning, such as `get_products`, `news.example` or `https://…`, which keeps its case. */
const NAME_FIRST = /^\w+(?:[_./:]\w|:\/\/)/;

/** What an error or a finding says, as a sentence: they begin with a small letter and have no full stop. */
export function sentence(text: string, most?: number): SafeHtml {
  const shown = plain(text, most);
  const isEnded = shown === '' || /[.!?…]$/.test(shown);
  const begun = NAME_FIRST.test(shown) ? shown : shown.charAt(0).toUpperCase() + shown.slice(1);
  return html`<bdi>${begun}${isEnded ? '' : '.'}</bdi>`;
}

/** How long something took: seconds with a tenth, and milliseconds of less than one. */
export function tookText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

export function amountText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`;
}

/** What publishers authorise an agent for; only sales agents sell. Null: nobody authorises it. */
export function authorisedText(
  type: string,
  properties: number,
  publishers: number,
): readonly [how: string, what: string] | null {
  if (publishers === 0) return null;
  const those = amountText(publishers, 'publisher');
  if (properties === 0) return ['Authorised by', those];
  const how = type === 'sales' ? 'Sells' : 'Authorised for';
  return [how, `${amountText(properties, 'property', 'properties')} of ${those}`];
}
