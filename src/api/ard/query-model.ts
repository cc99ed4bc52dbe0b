import { isObject, type JsonObject } from '../../base/json.ts';
import type { FacetParameter } from '../../domain/agent-search.ts';
import { PROTOCOLS, type Protocol } from '../../domain/agent-type.ts';
import { refuseOthers } from '../body.ts';
import { invalidValue } from '../problem.ts';
import { LIST_TERMS, OUR_TERMS, TYPE_OF_PROTOCOL } from './entry.ts';

/** The default namespace of terms (ARD v0.91, 4.1). */
const NAMESPACE = 'https://agenticresourcediscovery.org/ns#';
const BASE_CONTEXT = 'https://agenticresourcediscovery.org/context/v1';

/** Maximum number of values of a key. */
const MAX_VALUES = 20;
const MAX_TEXT = 1_000;
const MAX_BINDINGS = 20;

/** The parameters of our search whose name differs from that of the list. */
const PARAMETER_OF: Readonly<Record<string, FacetParameter>> = {
  metrics: 'metric_id',
  accreditations: 'accreditation',
};

/** The terms that our index supports, each with the parameter of our search that has the same values. */
const TERMS: Readonly<Record<string, FacetParameter>> = {
  type: 'protocol',
  tags: 'tags',
  capabilities: 'specialisms',
  'metadata.agentType': 'type',
  'metadata.verified': 'verified',
  'metadata.complianceStatus': 'compliance_status',
  ...Object.fromEntries(
    Object.entries(LIST_TERMS).map(([name, term]) => [`${OUR_TERMS}${term}`, PARAMETER_OF[name] ?? name]),
  ),
};
/** Derived from the identifier; not a term of an entry (5.3.1). */
const PUBLISHER = 'publisher';
const HOST = /^[a-z0-9.-]{1,253}$/i;

/** An agent has one value of these, so that a search accepts one. */
const ONE_AT_A_TIME: readonly FacetParameter[] = ['type', 'verified'];

/** A query (ARD v0.91, section 5.3.1) in the terms of our search. */
export interface ArdQuery {
  readonly text?: string;
  /** Parameters of the search, without that of the protocol. */
  readonly parameters: readonly (readonly [name: FacetParameter, value: string])[];
  /** The protocols of the requested artefacts. */
  readonly protocols: readonly Protocol[];
  /** The publishers of the requested entries; absent: all. */
  readonly hosts?: readonly string[];
}

/** Reads a query. Throws an HttpProblem for an unknown field, an unsupported key or an invalid value. */
export function readQuery(value: unknown, isTextNeeded: boolean): ArdQuery {
  const query = value ?? {};
  onlyMembers(query, ['@context', 'text', 'filter'], 'query');
  const { text, filter = {} } = query;
  if (text === undefined ? isTextNeeded : typeof text !== 'string' || text.trim() === '')
    throw invalidValue('query.text', 'a non-empty string is required');
  if (typeof text === 'string' && (text.length > MAX_TEXT || !text.isWellFormed()))
    throw invalidValue('query.text', `use a well-formed string of at most ${MAX_TEXT} characters`);
  if (!isObject(filter))
    throw invalidValue('query.filter', 'use an object whose values are arrays of strings');
  const parameters: (readonly [FacetParameter, string])[] = [];
  let protocols: readonly Protocol[] = PROTOCOLS;
  let hosts: readonly string[] | undefined;
  for (const [key, given] of Object.entries(filter)) {
    const values = valuesOf(key, given);
    if (termOf(key, query['@context']) === PUBLISHER) {
      hosts = hostsIn(values);
      continue;
    }
    const name = parameterOf(key, query['@context'], 'query.filter');
    if (name === 'protocol') protocols = protocolsOf(values);
    else parameters.push(...askedFor(key, name, values));
  }
  return {
    ...(typeof text === 'string' && { text }),
    ...{ parameters, protocols },
    ...(hosts && { hosts }),
  };
}

/** The parameter for a key, which is at `place`. Throws an HttpProblem for a term that our index does not support. */
export function parameterOf(key: string, context: unknown, place: string): FacetParameter {
  const term = termOf(key, context);
  if (Object.hasOwn(TERMS, term)) return TERMS[term] ?? 'type';
  throw invalidValue(place, `unsupported term: ${key.slice(0, 100)}`, Object.keys(TERMS));
}

/** The path of a key in the default namespace (4.1, 5.3.1); empty: the key is of another one. Only the first segment is expanded. */
function termOf(key: string, context: unknown): string {
  if (key.startsWith(NAMESPACE)) return key.slice(NAMESPACE.length);
  const [, first = '', rest = ''] = /^([^.]*)(.*)$/s.exec(key) ?? [];
  const bound = bindingsIn(context);
  const [prefix = '', local] = first.split(/:(.*)/s, 2);
  if (key.startsWith(OUR_TERMS)) return key;
  if (local !== undefined)
    return bound.get(prefix) === NAMESPACE ? `${local}${rest}` : `${bound.get(prefix)}${local}${rest}`;
  return (bound.get(first) ?? `${NAMESPACE}${first}`) === `${NAMESPACE}${first}` ? key : '';
}

/** The prefixes and terms that a query binds. Throws for the URL of another context, which is not fetched. */
function bindingsIn(context: unknown): ReadonlyMap<string, string> {
  const bound = new Map<string, string>();
  for (const one of [context ?? BASE_CONTEXT].flat()) {
    if (one === BASE_CONTEXT) continue;
    const entries = isObject(one) ? Object.entries(one).slice(0, MAX_BINDINGS) : [];
    if (
      !isObject(one) ||
      entries.length < Object.keys(one).length ||
      !entries.every(([, iri]) => typeof iri === 'string')
    )
      throw invalidValue(
        'query.@context',
        `use an object of at most ${MAX_BINDINGS} prefixes with their namespaces`,
      );
    for (const [name, iri] of entries) bound.set(name, String(iri));
  }
  return bound;
}

function valuesOf(key: string, given: unknown): readonly string[] {
  const values = [...new Set([given].flat())];
  const isGood = values.every(
    (one) => typeof one === 'string' && one !== '' && one.length <= 300 && one.isWellFormed(),
  );
  if (isGood && values.length > 0 && values.length <= MAX_VALUES) return values as string[];
  throw invalidValue(`query.filter.${key.slice(0, 100)}`, `use an array of 1 to ${MAX_VALUES} strings`);
}

function hostsIn(values: readonly string[]): readonly string[] {
  if (values.every((value) => HOST.test(value))) return values.map((value) => value.toLowerCase());
  throw invalidValue('query.filter.publisher', 'use host names, in ASCII');
}

/** The protocols of these media types. Without one, no entry matches. */
function protocolsOf(types: readonly string[]): readonly Protocol[] {
  return PROTOCOLS.filter((one) => types.includes(TYPE_OF_PROTOCOL[one]));
}

function askedFor(key: string, name: FacetParameter, values: readonly string[]): ArdQuery['parameters'] {
  const [one = '', ...others] = values;
  if (name === 'compliance_status' || (name === 'verified' && one !== 'true'))
    throw invalidValue('query.filter', `${key}: supported for facets only, not as a filter`);
  if (ONE_AT_A_TIME.includes(name) && others.length > 0)
    throw invalidValue('query.filter', `${key}: only one value is supported`);
  if (name === 'metric_id' || name === 'accreditation') return values.map((value) => [name, value]);
  return [[name, values.map((value) => value.replaceAll(',', ' ')).join(',')]];
}

/** Throws for an unknown field. */
export function onlyMembers(
  value: unknown,
  names: readonly string[],
  what: string,
): asserts value is JsonObject {
  if (!isObject(value)) throw invalidValue(what, 'use an object');
  refuseOthers(value, names);
}
