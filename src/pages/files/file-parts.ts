import { html, type SafeHtml } from '@remix-run/html-template';
import { type CrawlTarget, checkAgain } from '../crawl.ts';
import type { PageSite } from '../layout.ts';
import { moment, pill, plain, said, sentence } from '../texts.ts';
import type { ShownVisit } from './view.ts';

const STATES: Readonly<Record<string, readonly ['good' | 'warn' | 'bad' | 'calm', string]>> = {
  fresh: ['good', 'Up to date'],
  stale: ['warn', 'Stale'],
  absent: ['calm', 'Not found'],
  unread: ['bad', 'Never read successfully'],
  unseen: ['calm', 'Not crawled yet'],
};
/** What each state means for the reader. */
const MEANINGS: Readonly<Record<string, string>> = {
  fresh: 'The registry read the file recently.',
  stale:
    'The last successful read is longer ago than two crawl intervals. The last good version stays in use.',
  absent: 'The server answers that this file does not exist.',
  unread: 'The registry crawled the domain, but never read a valid file.',
  unseen: 'The registry has not crawled this domain yet.',
};

export type DomainPageKind = 'publishers' | 'brands' | 'networks';

/** `domain` is a valid domain name. */
export function domainPath(site: PageSite, kind: DomainPageKind, domain: string): string {
  return `${site.root}/${kind}/${encodeURIComponent(domain)}`;
}

/** A link to the record of a domain; text for an invalid domain name. */
export function domainLink(site: PageSite, kind: DomainPageKind, domain: string): SafeHtml {
  if (!/^[a-z0-9.-]{1,253}$/.test(domain)) return said(domain, 120);
  return html`<a href="${domainPath(site, kind, domain)}">${said(domain, 120)}</a>`;
}

const WAYS: Readonly<Record<string, string>> = {
  direct: 'Own file',
  authoritative_location: 'Via authoritative_location',
  ads_txt_managerdomain: 'Via ads.txt MANAGERDOMAIN',
};

/** How the file of a publisher was found. */
export function wayText(method: string | null | undefined): SafeHtml | string {
  if (method === null || method === undefined) return '–';
  return (Object.hasOwn(WAYS, method) ? WAYS[method] : undefined) ?? said(method, 40);
}

export function visitPill({ state }: Pick<ShownVisit, 'state'>): SafeHtml {
  const [tone, text] = STATES[state] ?? ['calm', state];
  return pill(tone, text);
}

/** Why a file is not up to date, for the top of its page; nothing for one that is. */
export function visitNote({ state, reason }: ShownVisit): SafeHtml | string {
  const [, name] = STATES[state] ?? [];
  if (state === 'fresh' || name === undefined) return '';
  return html`<p class="notice"><b>${name}:</b> ${MEANINGS[state]}${reason === undefined || state === 'absent' ? '' : html` Last error: ${sentence(reason, 200)}`} <a href="#fresh">Check again</a></p>`;
}

/** The state of a file, its last and next crawl, and a button for a new one. */
export function howFresh(
  site: PageSite,
  target: CrawlTarget,
  {
    state,
    last_good_at: good,
    last_tried_at: tried,
    why,
    reason,
    hint,
    next_at: next,
    is_due: isDue,
    check_from,
  }: ShownVisit,
): SafeHtml {
  return html`<p>${MEANINGS[state] ?? ''}${reason === undefined ? '' : html` Last error: ${sentence(reason, 200)}`}${hint === undefined ? '' : html` ${sentence(hint, 200)}`}</p>
<dl class="facts">${fact('Last success', moment(good))}${fact('Last checked', moment(tried))}${
    why === null ? '' : fact('Error code', html`<code>${plain(why, 60)}</code>`)
  }${fact('Next check', next === null ? 'Not scheduled' : isDue ? 'Due now' : moment(next))}</dl>
${checkAgain(site, target, check_from)}`;
}

export function fact(name: string, value: SafeHtml | string): SafeHtml {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** The first names of a list, as code. */
export function names(all: readonly string[], most = 6): SafeHtml {
  const shown = all.slice(0, most);
  return html`${shown.map((one, at) => html`${at === 0 ? '' : ', '}<code>${said(one, 60)}</code>`)}${all.length > shown.length ? ` and ${all.length - shown.length} more` : ''}`;
}

/** The cells of a row; the first one names it. */
export type Row = readonly (SafeHtml | string | SafeHtml[])[];

/** A table that scrolls by itself, also with the keyboard. On a phone each row is a list of labelled cells. */
export function scrolling(label: string, head: readonly string[], rows: readonly Row[]): SafeHtml {
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="${label}"><table class="stacks"><thead><tr>${head.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead><tbody>${rows.map(
    ([name = '', ...cells]) =>
      html`<tr><th scope="row">${name}</th>${cells.map((cell, at) => html`<td data-label="${head[at + 1] ?? ''}">${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

/** The links to the parts of a page; the ids are ours. */
export function onThisPage(parts: readonly (readonly [id: string, text: string])[]): SafeHtml {
  return html`<nav aria-label="On this page"><ul class="groups">${parts.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>`;
}

/** The next page of a list, and the first one. `path` has no query and no quote in it. */
export function listPager(
  path: string,
  asked: URLSearchParams,
  { cursor, anchor = '' }: { readonly cursor: string | null; readonly anchor?: string },
): SafeHtml | string {
  const isFirst = !asked.has('cursor');
  if (isFirst && cursor === null) return '';
  const to = (next: string | undefined) => {
    const query = new URLSearchParams([...asked].filter(([name]) => name !== 'cursor'));
    if (next !== undefined) query.set('cursor', next);
    const text = query.toString().replaceAll("'", '%27');
    return `${path}${text === '' ? '' : `?${text}`}${anchor}`;
  };
  return html`<nav class="pager" aria-label="Pages">${isFirst ? '' : html`<a href="${to(undefined)}">First page</a> `}${cursor === null ? '' : html`<a rel="next" href="${to(cursor)}">Next page</a>`}</nav>`;
}
