import { isObject } from '../../../base/json.ts';
import type { PropertySelection } from '../../../domain/authorise-selection.ts';
import { readMembers, refuseOthers } from '../../body.ts';
import { agentOf, namedCountry, namedDomain } from '../../parameters.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import { momentOf } from './reading.ts';

/** What a product sells, as the field's clients send it. */
export interface ProductQuestion {
  readonly agent: string;
  readonly country?: string;
  /** Epoch milliseconds; absent: now. */
  readonly at?: number;
  /** One for each publisher of each selector. */
  readonly selectors: readonly Selector[];
}

interface Selector extends PropertySelection {
  readonly publisher: string;
  readonly type: 'all' | 'by_id' | 'by_tag';
}

const MAX_PUBLISHERS = 100;
const MAX_NAMES = 10_000;
const MAX_CHARS = 300;
const MEMBERS = ['agent_url', 'publisher_properties', 'country', 'at'];
const SELECTOR_MEMBERS = [
  'publisher_domain',
  'publisher_domains',
  'selection_type',
  'property_ids',
  'property_tags',
  'tags',
  'property_types',
];
const SELECTIONS = { all: undefined, by_id: 'property_ids', by_tag: 'property_tags' } as const;

/** Reads the body; what should narrow and cannot be read is a 400, and never widens. Throws HttpProblems. */
export function readProductQuestion(body: unknown): ProductQuestion {
  const { agent_url: agent, publisher_properties: properties, country, at } = readMembers(body, MEMBERS);
  if (typeof agent !== 'string') throw invalidValue('agent_url', 'the URL of an agent is required');
  if (!Array.isArray(properties) || properties.length === 0)
    throw invalidValue('publisher_properties', 'a list of selectors is required');
  if (country !== undefined && typeof country !== 'string') throw invalidValue('country', 'text is expected');
  if (at !== undefined && typeof at !== 'string') throw invalidValue('at', 'text is expected');
  if (properties.length > MAX_PUBLISHERS) throw tooMany('publisher_properties', MAX_PUBLISHERS);
  const selectors = properties.flatMap((selector: unknown, at) =>
    readSelector(selector, `publisher_properties[${at}]`),
  );
  if (selectors.length > MAX_PUBLISHERS) throw tooMany('publisher_properties', MAX_PUBLISHERS);
  return {
    agent: agentOf(agent, 'agent_url'),
    selectors,
    ...(country !== undefined && { country: namedCountry(country) }),
    ...(at !== undefined && { at: momentOf(at, 'at') }),
  };
}

function readSelector(value: unknown, place: string): readonly Selector[] {
  if (!isObject(value)) throw invalidValue(place, 'an object is required');
  refuseOthers(value, SELECTOR_MEMBERS, `${place}.`);
  const text = (name: string): readonly string[] | undefined => texts(value[name], `${place}.${name}`);
  const { publisher_domain: one } = value;
  const domains = one === undefined ? text('publisher_domains') : texts([one], `${place}.publisher_domain`);
  if (domains === undefined)
    throw invalidValue(`${place}.publisher_domain`, 'the domain of the publisher is required');
  if (one !== undefined && value.publisher_domains !== undefined)
    throw invalidValue(`${place}.publisher_domains`, 'use either publisher_domain or publisher_domains');
  if (value.tags !== undefined && value.property_tags !== undefined)
    throw invalidValue(`${place}.tags`, 'use either tags or property_tags');
  const [ids, tags, types] = [
    text('property_ids'),
    text('property_tags') ?? text('tags'),
    text('property_types'),
  ];
  const type = readType(value.selection_type, ids ? 'by_id' : tags ? 'by_tag' : 'all', place);
  return domains.map((domain) => ({
    publisher: namedDomain(domain, `${place}.publisher_domain`),
    type,
    ...(ids && { ids }),
    ...(tags && { tags }),
    ...(types && { types }),
  }));
}

function readType(value: unknown, found: Selector['type'], place: string): Selector['type'] {
  if (value === undefined || value === found) return found;
  const wanted = SELECTIONS[value as keyof typeof SELECTIONS];
  if (wanted !== undefined && found === 'all')
    throw invalidValue(`${place}.${wanted}`, `${wanted} are needed`);
  throw invalidValue(
    `${place}.selection_type`,
    `${found} is required beside the other fields`,
    Object.keys(SELECTIONS),
  );
}

function texts(value: unknown, place: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length === 0)
    throw invalidValue(place, 'a list with at least one string is required');
  if (value.length > MAX_NAMES) throw tooMany(place, MAX_NAMES);
  if (value.every((one) => typeof one === 'string' && one !== '' && one.length <= MAX_CHARS))
    return value as string[];
  throw invalidValue(place, `a string of 1 to ${MAX_CHARS} characters is required`);
}

function tooMany(parameter: string, most: number): HttpProblem {
  return new HttpProblem('too_many_values', `at most ${most} are accepted`, { parameter });
}
