import { html, type SafeHtml } from '@remix-run/html-template';
import { type FacetCount, LABEL_NAMES } from '../../domain/agent-search.ts';
import type { PageSite } from '../layout.ts';
import { said } from '../texts.ts';
import { FACET_TITLES, valueText, viewPath, withoutParameter, withValue } from './search-form.ts';

/** The first ones stand open. */
const OPEN = 5;
/** The others are behind one click. */
const MOST_VALUES = 8;
/** So many more are no reason for a click. */
const FEW = 2;
/** Characters of all links: each carries the whole search. */
const MAX_LINKS = 40_000;
const HOLDS = 'accreditation_valid';

/** How many of the agents have each value, with a link to those. */
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
    if (name === 'accreditation' && items.length > 0) items.push(stillHolds(site, asked));
    if (items.length > 0)
      lists.push(
        html`<details class="facet"${at < OPEN || asked.has(name) ? html` open` : ''}><summary>${title}</summary><ul>${items}</ul>${more.length === 0 ? '' : html`<details><summary>${more.length} more<span class="unseen"> of ${title}</span></summary><ul>${more}</ul></details>`}</details>`,
      );
  }
  return lists;
}

/** Of accreditations it matters whether they are over; that is not counted, as it changes with the day. */
function stillHolds(site: PageSite, asked: URLSearchParams): SafeHtml {
  const isAsked = asked.get(HOLDS) === 'true';
  const to = isAsked ? withoutParameter(asked, HOLDS) : withValue(asked, HOLDS, 'true');
  return html`<li><a href="${viewPath(site, to)}"${isAsked ? html` aria-current="true"` : ''}>only what holds today</a></li>`;
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

/** Nobody asks for agents without a badge, and a comma stands between alternatives. */
function canBeAsked(name: string, value: string): boolean {
  if (name === 'verified' && value === 'false') return false;
  return !(LABEL_NAMES as readonly string[]).includes(name) || !value.includes(',');
}
