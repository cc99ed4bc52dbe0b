import { html, type SafeHtml } from '@remix-run/html-template';
import type { PageSite, PlacedSite } from './layout.ts';

/** Controls, line separators, tags, marks that change the direction of all that follows, and characters that XML excludes. */
export const UNSHOWN = /[\p{Cc}\u2028-\u202e\u2066-\u2069\ufffe\uffff\u{e0000}-\u{e007f}]+/gu;
/** More combining marks than any script puts on one letter; the first ones stay. */
const PILED = /\p{M}{5,}/gu;
/** Plain ASCII, which stays as it is. */
const USUAL = /^[ -~]*$/;
const MAX_LINK = 2_000;

/** Text of a stranger as one line of at most so many characters. Templates still have to escape it. */
export function plain(text: string, most = 200): string {
  if (text.length <= most && USUAL.test(text)) return text.trim();
  // characters are counted after hidden ones are removed, on a prefix that is long enough
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

/** The same on a page, isolated so that its direction does not affect its neighbours. */
export function said(text: string, most?: number): SafeHtml {
  return html`<bdi>${plain(text, most)}</bdi>`;
}

/** A link to a URL that a stranger gave; text if it is not http or https. */
export function outward(address: string, text = address): SafeHtml {
  const url = address.length > MAX_LINK ? null : URL.parse(address);
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isWeb) return said(text, 120);
  return html`<a href="${url.href}" rel="nofollow noopener noreferrer">${said(text, 120)}</a>`;
}

/** An agent's URL as one path segment that is also safe in an attribute, a Markdown link and a quoted shell word. */
export function segmentOf(agent: string): string {
  const escaped = (one: string) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(agent).replaceAll(/[!'()*]/g, escaped);
}

export function agentPath(site: PageSite, agent: string): string {
  return `${site.root}/agents/${segmentOf(agent)}`;
}

/** To the minute, in UTC. `at` is RFC 3339. */
export function moment(at: string | null | undefined): SafeHtml | string {
  if (at === null || at === undefined) return 'Never';
  return html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** A status: a word in a colour; the word alone is enough. */
export function pill(tone: 'good' | 'warn' | 'bad' | 'calm', text: string): SafeHtml {
  return html`<span class="pill ${tone}">${said(text, 60)}</span>`;
}

/** The test status of an agent. */
export function statusPill(status: string): SafeHtml {
  const known = Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
  const [tone, text] = known ?? STATUSES.unknown;
  return pill(tone, text);
}

/** Beside counts of storyboards, which do not cover specialisms without a storyboard. */
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
  passing: ['good', 'Passing'],
  degraded: ['warn', 'Partly passing'],
  failing: ['bad', 'Failing'],
  unknown: ['calm', 'Not tested'],
  opted_out: ['calm', 'Opted out'],
};

/** The result of a track, a specialism or a storyboard in a run. */
export function resultPill(result: string): SafeHtml {
  const [tone, text] = (Object.hasOwn(RESULTS, result) ? RESULTS[result] : undefined) ?? ['calm', result];
  return pill(tone, text);
}

/** The number of storyboards that passed, and of those that are incomplete. */
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
  pass: ['good', 'Passing'],
  partial: ['warn', 'Partly passing'],
  fail: ['bad', 'Failing'],
  incomplete: ['warn', 'Incomplete'],
  skip: ['calm', 'Not run'],
  skipped: ['calm', 'Skipped'],
  untested: ['calm', 'Untested'],
  silent: ['calm', 'Not tested'],
};

/** Whether an agent is online; undefined: it was never probed. */
export function healthPill(online: boolean | undefined): SafeHtml {
  if (online === undefined) return pill('calm', 'Not probed yet');
  return online ? pill('good', 'Online') : pill('bad', 'Offline');
}

/** The API request for the content of a page. `path` is encoded and has no quote in it. With `withKey` it sends an API key. */
export function sameAsJson(
  { origin }: PlacedSite,
  path: string,
  { withKey = false }: { readonly withKey?: boolean } = {},
): SafeHtml {
  const key = withKey ? html`-H "Authorization: Bearer $API_KEY" ` : '';
  return html`<div class="same"><h2>API</h2>
<pre class="wraps" tabindex="0" role="region" aria-label="API request with curl"><code>curl ${key}'${origin}${path}'</code></pre>
<p><a href="${path}">Open JSON</a></p></div>`;
}

/** A name or URL at the beginning, such as `get_products`, `news.example` or `https://…`, which keeps its case. */
const NAME_FIRST = /^\w+(?:[_./:]\w|:\/\/)/;

/** The message of an error or a finding as a sentence: messages begin with a small letter and have no full stop. */
export function sentence(text: string, most?: number): SafeHtml {
  const shown = plain(text, most);
  const isEnded = shown === '' || /[.!?…]$/.test(shown);
  const begun = NAME_FIRST.test(shown) ? shown : shown.charAt(0).toUpperCase() + shown.slice(1);
  return html`<bdi>${begun}${isEnded ? '' : '.'}</bdi>`;
}

/** A duration: seconds with one decimal, or milliseconds below one second. */
export function tookText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

export function amountText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`;
}

/** What publishers authorize an agent for; only sales agents sell. Null: no publisher authorizes it. */
export function authorisedText(
  type: string,
  properties: number,
  publishers: number,
): readonly [how: string, what: string] | null {
  if (publishers === 0) return null;
  const those = amountText(publishers, 'publisher');
  if (properties === 0) return ['Authorized by', those];
  const how = type === 'sales' ? 'Sells' : 'Authorized for';
  return [how, `${amountText(properties, 'property', 'properties')} of ${those}`];
}
