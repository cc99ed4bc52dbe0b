import { html, type SafeHtml } from '@remix-run/html-template';
import { SEARCH_SORTS } from '../../domain/agent-search.ts';
import { AGENT_TYPES } from '../../domain/agent-type.ts';
import type { PageSite } from '../layout.ts';
import { plain, said } from '../texts.ts';
import { filterTitle, valueText } from './filter-words.ts';

/** What has a field of its own in the form; all else is carried on as it is. */
const FIELDS = ['q', 'type', 'sort'];
const SORT_TEXTS: Readonly<Record<(typeof SEARCH_SORTS)[number], string>> = {
  relevance: 'Best first',
  name: 'By name',
  properties: 'Most properties',
  publishers: 'Most publishers',
};

/** One field for words, and two choices. A GET of this page: it needs no script; `suggest.js` adds suggestions. */
export function searchForm(site: PageSite, asked: URLSearchParams): SafeHtml {
  const carried = [...asked].filter(([name]) => !FIELDS.includes(name));
  return html`<form class="search" role="search" action="${site.root}/" method="get">
<div class="words"><label for="q">Words</label><input type="search" id="q" name="q" data-suggest value="${plain(asked.get('q') ?? '', 256)}" maxlength="256" dir="auto" autocomplete="off" placeholder="viewability, ctv, a publisher…"></div>
<div><label for="type">Type</label><select id="type" name="type"><option value="">all</option>${AGENT_TYPES.map((type) => option(type, valueText('type', type), asked.get('type') === type))}</select></div>
<div><label for="sort">Order</label><select id="sort" name="sort">${SEARCH_SORTS.map((sort) => option(sort, SORT_TEXTS[sort], asked.get('sort') === sort))}</select></div>
${carried.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button>Search</button></form>`;
}

function option(value: string, text: string, isChosen: boolean): SafeHtml {
  return html`<option value="${value}"${isChosen ? html` selected` : ''}>${text}</option>`;
}

/** Each filter that is asked for, with a link to the same without it. */
export function askedChips(site: PageSite, asked: URLSearchParams): SafeHtml | string {
  const filters = [...asked].filter(([name]) => name !== 'sort');
  if (filters.length === 0) return '';
  return html`<ul class="chips" aria-label="Filters">${filters.map(([name, value]) => {
    const rest = new URLSearchParams([...asked].filter((one) => one[0] !== name || one[1] !== value));
    return html`<li><a href="${viewPath(site, rest)}"><span class="type">${filterTitle(name)}</span> ${said(chipText(name, value), 60)} <span aria-hidden="true">×</span><span class="unseen">: take it away</span></a></li>`;
  })}</ul>`;
}

/** Some filters take alternatives with a comma between them. */
function chipText(name: string, value: string): string {
  if (name === 'q') return value;
  return value
    .split(',')
    .map((one) => valueText(name, one))
    .join(', ');
}

/** The address of a view. Whatever a stranger wrote is encoded. */
export function viewPath(site: PageSite, asked: URLSearchParams): string {
  const text = asked.toString().replaceAll("'", '%27');
  return text === '' ? `${site.root}/` : `${site.root}/?${text}`;
}

export function withValue(asked: URLSearchParams, name: string, value: string): URLSearchParams {
  const changed = new URLSearchParams(asked);
  changed.set(name, value);
  return changed;
}

export function withoutParameter(asked: URLSearchParams, name: string): URLSearchParams {
  return new URLSearchParams([...asked].filter((one) => one[0] !== name));
}
