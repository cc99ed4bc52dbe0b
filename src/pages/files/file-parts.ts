import { html, type SafeHtml } from '@remix-run/html-template';
import type { PageSite } from '../layout.ts';
import { moment, pill, plain, said } from '../texts.ts';
import type { ShownVisit } from './view.ts';

const STATES: Readonly<Record<string, readonly ['good' | 'warn' | 'bad' | 'calm', string]>> = {
  fresh: ['good', 'up to date'],
  stale: ['warn', 'out of date'],
  absent: ['calm', 'no file published'],
  unread: ['bad', 'never read successfully'],
  unseen: ['calm', 'not crawled yet'],
};

export type DomainPageKind = 'publishers' | 'brands' | 'networks';

/** `domain` is one that was read as a domain name, so it is its own segment. */
export function domainPath(site: PageSite, kind: DomainPageKind, domain: string): string {
  return `${site.root}/${kind}/${encodeURIComponent(domain)}`;
}

/** A link to the page of a domain; text that is not a domain name stays text. */
export function domainLink(site: PageSite, kind: DomainPageKind, domain: string): SafeHtml {
  if (!/^[a-z0-9.-]{1,253}$/.test(domain)) return said(domain, 120);
  return html`<a href="${domainPath(site, kind, domain)}">${said(domain, 120)}</a>`;
}

const WAYS: Readonly<Record<string, string>> = {
  direct: 'own file',
  authoritative_location: 'authoritative_location',
  ads_txt_managerdomain: 'MANAGERDOMAIN in ads.txt',
};

/** How the file of a publisher was found. */
export function wayText(method: string | null | undefined): SafeHtml | string {
  if (method === null || method === undefined) return '–';
  return (Object.hasOwn(WAYS, method) ? WAYS[method] : undefined) ?? said(method, 40);
}

export function visitPill({ state }: ShownVisit): SafeHtml {
  const [tone, text] = STATES[state] ?? ['calm', state];
  return pill(tone, text);
}

/** When a file was checked, the last error, and when it is checked again. */
export function howFresh(
  site: PageSite,
  domain: string,
  { last_good_at: good, last_tried_at: tried, why, next_at: next }: ShownVisit,
): SafeHtml {
  return html`<dl class="facts">${fact('Last successful check', moment(good))}${fact('Last checked', moment(tried))}${
    why === null ? '' : fact('Error', html`<code>${plain(why, 60)}</code>`)
  }${fact('Next check', next === null ? 'not scheduled' : moment(next))}</dl>
<p>To check it now, <a href="${site.root}/docs/api/requestCrawl">request a crawl</a> or run <code>agent-registry crawl ${plain(domain, 253)}</code>.</p>`;
}

export function fact(name: string, value: SafeHtml | string): SafeHtml {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** The first of some names, each as code. */
export function names(all: readonly string[], most = 6): SafeHtml {
  const shown = all.slice(0, most);
  return html`${shown.map((one, at) => html`${at === 0 ? '' : ', '}<code>${said(one, 60)}</code>`)}${all.length > shown.length ? ` and ${all.length - shown.length} more` : ''}`;
}

/** The cells of a row; the first one names it. */
export type Row = readonly (SafeHtml | string | SafeHtml[])[];

/** A table that scrolls by itself, also with keys. On a phone each row is a paragraph, and each cell says what it is. */
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
