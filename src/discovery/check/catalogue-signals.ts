import { isObject, type JsonObject, pointerTo } from '../../base/json.ts';
import type { Report } from '../report.ts';

export const VALUE_TYPES: readonly string[] = ['binary', 'categorical', 'numeric'];
/** What the members speak of that a signal of another type does not have. */
const FOR_TYPE = { range: 'numeric', allowed_values: 'categorical' } as const;
const TAG = /^[a-z0-9_-]+$/;
/** The attributes that governance agents compare. */
const ATTRIBUTES: ReadonlySet<unknown> = new Set([
  ...['age', 'biometric_data', 'familial_status', 'genetic_data', 'health_data', 'political_opinions'],
  ...['racial_ethnic_origin', 'religious_beliefs', 'sex_life_sexual_orientation', 'trade_union_membership'],
]);

/** The data that reaches a provider only through somebody who brings it online. */
const OFFLINE: ReadonlySet<unknown> = new Set([
  ...['offline_survey', 'offline_transaction'],
  ...['public_record_census', 'public_record_other', 'public_record_voter_file'],
]);
/** Members that a signal must have because of what another one says. */
const NEEDED: readonly {
  readonly member: string;
  readonly why: string;
  isNeeded(signal: JsonObject): boolean;
}[] = [
  {
    member: 'originating_domain',
    why: 'audience_scope is single_domain',
    isNeeded: ({ audience_scope: scope }) => scope === 'single_domain',
  },
  {
    member: 'modeling',
    why: 'methodology is modeled',
    isNeeded: ({ methodology }) => methodology === 'modeled',
  },
  {
    member: 'modeling',
    why: 'audience_expansion is true',
    isNeeded: ({ audience_expansion: expansion, methodology }) =>
      expansion === true && methodology !== 'modeled',
  },
  {
    member: 'onboarder',
    why: 'data_sources has offline or public-record data',
    isNeeded: ({ data_sources: sources }) =>
      Array.isArray(sources) && sources.some((source: unknown) => OFFLINE.has(source)),
  },
];

/** A signal of the catalogue, besides its id and name. */
export function checkSignal(signal: JsonObject, pointer: string, report: Report): void {
  const { value_type: type, range, allowed_values: values, tags } = signal;
  const at = (member: string): string => pointerTo(pointer, member);
  const isTyped = VALUE_TYPES.some((one) => one === type);
  if (!isTyped) report.add('signal_value_type', type === undefined ? pointer : at('value_type'), type);
  if (range !== undefined && !isRange(range)) report.add('signal_range', at('range'));
  if (values !== undefined && !isListOf(values, isAnyText)) report.add('signal_values', at('allowed_values'));
  for (const [member, its] of Object.entries(FOR_TYPE))
    if (isTyped && type !== its && Object.hasOwn(signal, member))
      report.add('signal_member_idle', at(member), `${member} of a ${type} signal`);
  checkNeeded(signal, pointer, report);
  if (tags !== undefined && !(Array.isArray(tags) && tags.every(isTag)))
    report.add('catalogue_tag_invalid', at('tags'));
  const categories = [
    ['restricted_attributes', (one: unknown): boolean => ATTRIBUTES.has(one)],
    ['policy_categories', isAnyText],
  ] as const;
  for (const [member, isOne] of categories)
    if (Object.hasOwn(signal, member) && !isListOf(signal[member], isOne))
      report.add('signal_category', at(member), unknownOf(signal[member], isOne));
}

function checkNeeded(signal: JsonObject, pointer: string, report: Report): void {
  const { value_type: type, taxonomy, restricted_attributes: attributes } = signal;
  for (const { member, why, isNeeded } of NEEDED)
    if (isNeeded(signal) && !Object.hasOwn(signal, member))
      report.add('signal_needs', pointer, `${member}, because ${why}`);
  if (type === 'categorical' && isObject(taxonomy) && !Object.hasOwn(taxonomy, 'value_mappings'))
    report.add(
      'signal_needs',
      pointerTo(pointer, 'taxonomy'),
      'value_mappings, because value_type is categorical',
    );
  const isOfAge = Array.isArray(attributes) && attributes.includes('age');
  if (Object.hasOwn(signal, 'demographic_predicate') && !isOfAge)
    report.add('signal_needs', pointer, 'age in restricted_attributes, because it has demographic_predicate');
}

function isRange(range: unknown): boolean {
  if (!isObject(range)) return false;
  const { min, max, unit, ...others } = range;
  const isUnit = unit === undefined || typeof unit === 'string';
  if (typeof min !== 'number' || typeof max !== 'number' || !isUnit) return false;
  return min <= max && Object.keys(others).length === 0;
}

function isListOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isOne);
}

function unknownOf(value: unknown, isOne: (one: unknown) => boolean): unknown {
  return Array.isArray(value) ? value.find((one) => !isOne(one)) : value;
}

function isAnyText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTag(value: unknown): boolean {
  return isAnyText(value) && TAG.test(value);
}
