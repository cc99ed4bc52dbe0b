import { html, type SafeHtml } from '@remix-run/html-template';
import type { FacetParameter } from '../../domain/agent-search.ts';
import { SEARCH_SORTS } from '../../domain/agent-search.ts';
import { AGENT_TYPES } from '../../domain/agent-type.ts';
import type { PageSite } from '../layout.ts';
import { plain, said, statusText } from '../texts.ts';
import { STRICT_FILTERS } from './strict-filters.ts';

/** Parameters with a field in the form; the others are carried in hidden fields. */
const FIELDS = ['q', 'type', 'sort'];
const SORT_TEXTS: Readonly<Record<(typeof SEARCH_SORTS)[number], string>> = {
  relevance: 'Relevance',
  name: 'Name',
  properties: 'Most properties',
  publishers: 'Most publishers',
};

/** A field for words, and two choices. The form is a GET of this page and works without script; `suggest.js` adds suggestions. */
export function searchForm(site: PageSite, asked: URLSearchParams): SafeHtml {
  const carried = [...asked].filter(([name]) => !FIELDS.includes(name));
  return html`<form class="search" role="search" action="${site.root}/" method="get">
<div class="words"><label for="q">Search</label><input type="search" id="q" name="q" data-suggest value="${plain(asked.get('q') ?? '', 256)}" maxlength="256" dir="auto" autocomplete="off" placeholder="viewability, ctv, a publisher…"></div>
<div><label for="type">Type</label><select id="type" name="type"><option value="">All types</option>${AGENT_TYPES.map((type) => option(type, valueText('type', type), asked.get('type') === type))}</select></div>
<div><label for="sort">Sort</label><select id="sort" name="sort">${SEARCH_SORTS.map((sort) => option(sort, SORT_TEXTS[sort], asked.get('sort') === sort))}</select></div>
${carried.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button>Search</button></form>`;
}

function option(value: string, text: string, isChosen: boolean): SafeHtml {
  return html`<option value="${value}"${isChosen ? html` selected` : ''}>${text}</option>`;
}

/** Filters that are switched on and off above the list. */
const TOGGLES: readonly string[] = ['online', 'verified', ...STRICT_FILTERS];

/**
 * The filters that people use most, each with a link that switches it. The two of accreditations are shown where they matter;
 * `effective` has their defaults.
 */
export function toggles(site: PageSite, asked: URLSearchParams, effective: URLSearchParams): SafeHtml {
  const shown = TOGGLES.filter((name) => !isStrict(name) || effective.has(name));
  return html`<ul class="groups toggles" aria-label="Quick filters">${shown.map((name) => {
    const isOn = effective.get(name) === 'true';
    const to = isStrict(name)
      ? withValue(asked, name, String(!isOn))
      : isOn
        ? withoutParameter(asked, name)
        : withValue(asked, name, 'true');
    return html`<li><a href="${viewPath(site, to)}"${isOn ? html` aria-current="true"` : ''}>${isOn ? html`<span aria-hidden="true">✓ </span>` : ''}${filterTitle(name)}<span class="unseen">: ${isOn ? 'on' : 'off'}</span></a></li>`;
  })}</ul>`;
}

function isStrict(name: string): boolean {
  return (STRICT_FILTERS as readonly string[]).includes(name);
}

/** Each filter in use, with a link that removes it. */
export function askedChips(site: PageSite, asked: URLSearchParams): SafeHtml | string {
  const isToggled = (name: string, value: string) =>
    TOGGLES.includes(name) && (value === 'true' || isStrict(name));
  const filters = [...asked].filter(([name, value]) => name !== 'sort' && !isToggled(name, value));
  if (filters.length === 0) return '';
  return html`<ul class="chips" aria-label="Filters">${filters.map(([name, value]) => {
    const rest = new URLSearchParams([...asked].filter((one) => one[0] !== name || one[1] !== value));
    return html`<li><a href="${viewPath(site, rest)}"><span class="type">${filterTitle(name)}</span> ${said(chipText(name, value), 60)} <span aria-hidden="true">×</span><span class="unseen">: remove</span></a></li>`;
  })}</ul>`;
}

/** Some filters accept alternatives, separated by commas. */
function chipText(name: string, value: string): string {
  if (name === 'q') return value;
  return value
    .split(',')
    .map((one) => valueText(name, one))
    .join(', ');
}

/** The address of a view, with every value encoded. */
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

/** The titles of the facets, in the order of the page. */
export const FACET_TITLES: Readonly<Record<FacetParameter, string>> = {
  type: 'Type',
  compliance_status: 'Tests',
  verified: 'Verified',
  metric_id: 'Metric',
  accreditation: 'Accreditation (self-declared)',
  channels: 'Channel',
  markets: 'Country',
  specialisms: 'Specialism',
  capability: 'Task or specialism',
  property_types: 'Property type',
  format_kinds: 'Format',
  delivery_types: 'Delivery',
  tags: 'Tag',
  categories: 'Category',
  protocol: 'Protocol',
  has_tmp: 'Trusted match',
  verification_mode: 'Badge type',
};

const OTHER_TITLES: Readonly<Record<string, string>> = {
  q: 'Search',
  online: 'Online',
  min_properties: 'Minimum properties',
  same_metric: 'Same metric',
  accreditation_valid: 'Hide expired',
};

/** The name of a filter for people. */
export function filterTitle(name: string): string {
  const titles: Readonly<Record<string, string>> = { ...OTHER_TITLES, ...FACET_TITLES };
  return Object.hasOwn(titles, name) ? (titles[name] ?? name) : name.replaceAll('_', ' ');
}

const YES_NO = { true: 'yes', false: 'no' };
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...{ verified: YES_NO, has_tmp: YES_NO, same_metric: YES_NO, accreditation_valid: YES_NO, online: YES_NO },
  type: { unknown: 'unknown type' },
  protocol: { mcp: 'MCP', a2a: 'A2A' },
  verification_mode: { spec: 'passed tests', live: 'stable in production' },
  channels: {
    ...{ ctv: 'connected TV', olv: 'online video', ooh: 'out of home', dooh: 'digital out of home' },
    ...{ linear_tv: 'linear TV', ai_media: 'AI media' },
  },
  property_types: {
    ...{ ctv_app: 'connected TV app', dooh: 'digital out of home', linear_tv: 'linear TV' },
    ai_assistant: 'AI assistant',
  },
};
/** Lists of the protocol, whose values are words joined by underscores or hyphens. Values that vendors choose stay as they are. */
const MARKED = ['channels', 'specialisms', 'property_types', 'format_kinds', 'delivery_types'];
/** `Intl` has a name for it, too: "Unknown Region". */
const NOWHERE = 'ZZ';
const COUNTRIES = new Intl.DisplayNames('en-GB', { type: 'region', fallback: 'none' });

/** The value of a filter for people. It is still untrusted text. */
export function valueText(name: string, value: string): string {
  const words = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
  if (words !== undefined && Object.hasOwn(words, value)) return words[value] ?? value;
  if (name === 'compliance_status') return statusText(value);
  if (name === 'markets') return countryText(value);
  return MARKED.includes(name) ? value.replaceAll('_', ' ').replaceAll('-', ' ') : value;
}

/** A market is a country, or one of its regions as in `US-CA`. */
function countryText(value: string): string {
  const country = value.slice(0, 2).toUpperCase();
  if (!/^[A-Z]{2}$/.test(country) || (value.length > 2 && value[2] !== '-')) return value;
  const name = country === NOWHERE ? undefined : COUNTRIES.of(country);
  if (name === undefined) return value;
  return value.length === 2 ? name : `${name} (${value})`;
}
