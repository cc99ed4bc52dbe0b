import { html, type SafeHtml } from '@remix-run/html-template';
import { type FacetCount, LABEL_NAMES } from '../../domain/agent-search.ts';
import type { PageSite } from '../layout.ts';
import { said } from '../texts.ts';
import { FACET_TITLES, valueText, viewPath, withoutParameter, withValue } from './search-form.ts';

/** The first sections are open. */
const OPEN = 5;
/** The other values are in a closed section. */
const MOST_VALUES = 8;
/** So few more are shown at once. */
const FEW = 2;
/** Characters of all links; each has the whole search. */
const MAX_LINKS = 40_000;
const HIDE_EXPIRED = 'accreditation_valid';

/** How many of the agents have each value, with a link that filters by it. */
export function facetSections(
  site: PageSite,
  asked: URLSearchParams,
  facets: Readonly<Record<string, readonly FacetCount[]>>,
): SafeHtml[] {
  let room = MAX_LINKS;
  const lists: SafeHtml[] = [];
  for (const [at, [name, title]] of Object.entries(FACET_TITLES).entries()) {
    const items: SafeHtml[] = [];
    for (const count of facets[name] ?? []) {
      const item = facetItem(site, asked, name, count);
      room -= item.length;
      if (room >= 0) items.push(item);
    }
    const more = items.length <= MOST_VALUES + FEW ? [] : items.splice(MOST_VALUES);
    // once a body is chosen, it is switched above the list
    if (name === 'accreditation' && items.length > 0 && !asked.has('accreditation'))
      items.push(hideExpired(site, asked));
    if (items.length > 0)
      lists.push(
        html`<details class="facet"${at < OPEN || asked.has(name) ? html` open` : ''}><summary>${title}</summary><ul>${items}</ul>${more.length === 0 ? '' : html`<details><summary>${more.length} more<span class="unseen"> of ${title}</span></summary><ul>${more}</ul></details>`}</details>`,
      );
  }
  return lists;
}

/** It is not counted, because it changes with the day. */
function hideExpired(site: PageSite, asked: URLSearchParams): SafeHtml {
  const isAsked = asked.get(HIDE_EXPIRED) === 'true';
  const to = isAsked ? withoutParameter(asked, HIDE_EXPIRED) : withValue(asked, HIDE_EXPIRED, 'true');
  return html`<li><a href="${viewPath(site, to)}"${isAsked ? html` aria-current="true"` : ''}>Hide expired</a></li>`;
}

function facetItem(
  site: PageSite,
  asked: URLSearchParams,
  name: string,
  { value, count }: FacetCount,
): SafeHtml {
  const isAsked = asked.getAll(name).includes(value);
  const to = isAsked ? withoutParameter(asked, name) : withValue(asked, name, value);
  const text = said(valueText(name, value), 60);
  const shown = canBeAsked(name, value)
    ? html`<a href="${viewPath(site, to)}"${isAsked ? html` aria-current="true"` : ''}>${text}</a>`
    : html`<span>${text}</span>`;
  return html`<li>${shown} <span class="count">${count.toLocaleString('en-GB')}</span></li>`;
}

/** Agents without a badge cannot be filtered for, nor can a value with a comma, which separates alternatives. */
function canBeAsked(name: string, value: string): boolean {
  if (name === 'verified' && value === 'false') return false;
  return !(LABEL_NAMES as readonly string[]).includes(name) || !value.includes(',');
}
