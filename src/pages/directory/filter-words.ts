import type { FacetParameter } from '../../domain/agent-search.ts';
import { statusText } from '../texts.ts';

/** What a facet is called, in the order of the page. */
export const FACET_TITLES: Readonly<Record<FacetParameter, string>> = {
  type: 'Type',
  compliance_status: 'Tests',
  verified: 'Holds a badge',
  metric_id: 'Metric',
  accreditation: 'Accredited by, as vendors say',
  channels: 'Channel',
  markets: 'Country',
  specialisms: 'Specialism',
  property_types: 'Kind of property',
  format_kinds: 'Kind of format',
  delivery_types: 'Delivery',
  tags: 'Tag',
  categories: 'Category',
  protocol: 'Protocol',
  has_tmp: 'Trusted match',
  verification_mode: 'Badge shows',
};

const OTHER_TITLES: Readonly<Record<string, string>> = {
  q: 'Words',
  min_properties: 'Properties at least',
  same_metric: 'On one metric',
  accreditation_valid: 'Accreditation holds',
};

/** The name of a filter for people. */
export function filterTitle(name: string): string {
  const titles: Readonly<Record<string, string>> = { ...OTHER_TITLES, ...FACET_TITLES };
  return Object.hasOwn(titles, name) ? (titles[name] ?? name) : name.replaceAll('_', ' ');
}

const YES_NO = { true: 'yes', false: 'no' };
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...{ verified: YES_NO, has_tmp: YES_NO, same_metric: YES_NO, accreditation_valid: YES_NO },
  type: { unknown: 'not known' },
  protocol: { mcp: 'MCP', a2a: 'A2A' },
  verification_mode: { spec: 'tests passed', live: 'live for a while' },
  channels: {
    ...{ ctv: 'connected TV', olv: 'online video', ooh: 'out of home', dooh: 'digital out of home' },
    ...{ linear_tv: 'linear TV', ai_media: 'AI media' },
  },
  property_types: {
    ...{ ctv_app: 'connected TV app', dooh: 'digital out of home', linear_tv: 'linear TV' },
    ai_assistant: 'AI assistant',
  },
};
/** Lists of the protocol, whose values are words with marks between them. What vendors name themselves stays as it is. */
const MARKED = ['channels', 'specialisms', 'property_types', 'format_kinds', 'delivery_types'];
/** Is named as well, as an unknown region. */
const NOWHERE = 'ZZ';
const COUNTRIES = new Intl.DisplayNames('en-GB', { type: 'region', fallback: 'none' });

/** The value of a filter for people. It is a stranger's text still. */
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
