import type { AgentFilter, ShownGroups } from '../domain/agent-query.ts';
import { asked, FILTERS, type ListParameter } from './filters.ts';
import { LIST_PARAMETERS, MAX_VALUES, SWITCHES } from './list-parameters.ts';
import type { QueryProblem } from './query-problem.ts';

export interface ListQuery {
  readonly filter: AgentFilter;
  readonly switches: ShownGroups;
  /** 1 to 10,000; absent: as many as fit into one response. */
  readonly limit?: number;
  /** As given; `openCursor` reads it. */
  readonly cursor?: string;
  readonly total: boolean;
}

export type ReadListQuery =
  | { readonly ok: true; readonly query: ListQuery }
  | { readonly ok: false; readonly problem: QueryProblem };

const SEARCH_ONLY = ['capability', 'channel'];
const SWITCH_NAMES = Object.keys(SWITCHES) as (keyof ShownGroups)[];

/**
 * Reads the parameters of the list operation (specification, 4.1) by its strict rules: whatever is unknown,
 * repeated without being repeatable, empty or outside its range is a problem and never ignored. The measurement
 * filters imply type=measurement and conflict with any other explicit type. `q` comes out lower-cased, and
 * `accreditation_valid` as the day of `now` (epoch milliseconds).
 */
export function readListQuery(parameters: URLSearchParams, now: number): ReadListQuery {
  const problem = firstProblem(parameters, LIST_PARAMETERS) ?? typeConflict(parameters);
  return problem === undefined ? { ok: true, query: listQuery(parameters, now) } : { ok: false, problem };
}

/** What is wrong with the first parameter that breaks a rule of the operation's table. */
export function firstProblem(
  parameters: URLSearchParams,
  table: readonly ListParameter[],
): QueryProblem | undefined {
  for (const name of new Set(parameters.keys())) {
    const problem = parameterProblem(name, parameters.getAll(name), table);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** What is wrong with what was given for a parameter: with its name, how often it is there, or one of its values. */
function parameterProblem(
  name: string,
  given: readonly string[],
  table: readonly ListParameter[],
): QueryProblem | undefined {
  const parameter = table.find((one) => one.name === name);
  if (parameter === undefined) return unknownParameter(name, table);
  const distinct = [...new Set(given)];
  const problem = countProblem(parameter, given.length, distinct.length);
  if (problem !== undefined) return problem;
  for (const value of distinct) {
    const wrong = valueProblem(parameter, value);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function unknownParameter(name: string, table: readonly ListParameter[]): QueryProblem {
  const validValues = table.map((parameter) => parameter.name);
  if (table !== LIST_PARAMETERS || !SEARCH_ONLY.includes(name)) {
    return { code: 'unknown_parameter', parameter: name, detail: 'there is no such parameter', validValues };
  }
  const detail = `${name} belongs to the search operation and is not a filter of the list operation`;
  return { code: 'search_only_parameter', parameter: name, detail, validValues };
}

function countProblem(
  { name, repeatable }: ListParameter,
  given: number,
  distinct: number,
): QueryProblem | undefined {
  if (!repeatable && given > 1) {
    return { code: 'repeated_parameter', parameter: name, detail: `${name} may be given only once` };
  }
  if (distinct <= MAX_VALUES) return undefined;
  const detail = `${name} takes at most ${MAX_VALUES} different values, ${distinct} were given`;
  return { code: 'too_many_values', parameter: name, detail };
}

function valueProblem(parameter: ListParameter, value: string): QueryProblem | undefined {
  const { name, maxLength } = parameter;
  if (value === '') {
    const allowed = validValues(parameter);
    return {
      code: 'empty_value',
      parameter: name,
      detail: `${name} must not be empty`,
      ...(allowed && { validValues: allowed }),
    };
  }
  if (maxLength !== undefined && [...value].length > maxLength) {
    const detail = `${name} has at most ${maxLength} characters`;
    return { code: 'value_too_long', parameter: name, detail };
  }
  return invalidValue(parameter, value);
}

function invalidValue(parameter: ListParameter, value: string): QueryProblem | undefined {
  const { name, kind, minimum = 0, maximum = 0 } = parameter;
  if (kind === 'integer') {
    const good = /^(?:0|[1-9]\d{0,8})$/.test(value) && Number(value) >= minimum && Number(value) <= maximum;
    const detail = `${name} must be a whole number from ${minimum} to ${maximum}`;
    return good ? undefined : { code: 'invalid_value', parameter: name, detail };
  }
  const allowed = validValues(parameter);
  if (allowed === undefined || allowed.includes(value)) return undefined;
  const detail = `${name} must be one of ${allowed.join(', ')}`;
  return { code: 'invalid_value', parameter: name, detail, validValues: allowed };
}

function validValues({ kind, values }: ListParameter): readonly string[] | undefined {
  return kind === 'boolean' ? ['true', 'false'] : values;
}

/** The filter that is given and implies a type. */
function implying(parameters: URLSearchParams) {
  return Object.values(FILTERS).find(
    ({ name, kind, implies }) =>
      implies !== undefined && (kind === 'boolean' ? parameters.get(name) === 'true' : parameters.has(name)),
  );
}

function typeConflict(parameters: URLSearchParams): QueryProblem | undefined {
  const type = parameters.get('type');
  const { name, implies } = implying(parameters) ?? {};
  if (implies === undefined || type === null || type === implies) return undefined;
  const detail = `${name} is a filter for ${implies} agents and cannot be combined with type=${type}`;
  return { code: 'type_conflict', parameter: 'type', detail, validValues: [implies] };
}

function listQuery(parameters: URLSearchParams, now: number): ListQuery {
  const limit = parameters.get('limit');
  const cursor = parameters.get('cursor');
  const switches = SWITCH_NAMES.map((name) => [name, parameters.get(name) === 'true']);
  return {
    filter: listFilter(parameters, now),
    switches: Object.fromEntries(switches) as ShownGroups,
    ...(limit !== null && { limit: Number(limit) }),
    ...(cursor !== null && { cursor }),
    total: parameters.get('total') === 'true',
  };
}

function listFilter(parameters: URLSearchParams, now: number): AgentFilter {
  const type = implying(parameters)?.implies;
  return { ...(type && { type }), ...wantedOf(parameters, now) };
}

/** What the filters are asked for, a type that they imply left out. */
export function wantedOf(parameters: URLSearchParams, now: number): AgentFilter {
  const members = Object.entries(FILTERS).flatMap(([member, { name, read }]) => {
    const values = [...new Set(parameters.getAll(name))];
    const wanted = values.length === 0 ? undefined : read(values, now);
    return wanted === undefined ? [] : [[member, wanted]];
  });
  return Object.fromEntries(members);
}

/**
 * One text for all query strings that mean the same: parameters in a fixed order, alternatives sorted, defaults
 * left out. It is the key of the cached answer and the query of the link to the next page.
 */
export function canonicalQuery({ filter, switches, limit, total, cursor }: ListQuery): string {
  const parameters = filterParameters(filter);
  for (const name of SWITCH_NAMES) if (switches[name]) parameters.append(name, 'true');
  if (limit !== undefined) parameters.append('limit', String(limit));
  if (total) parameters.append('total', 'true');
  if (cursor !== undefined) parameters.append('cursor', cursor);
  return parameters.toString();
}

/** The same text for filters that ask the same: order and repetition of alternatives do not count, nor does the day. */
export function canonicalFilter(filter: AgentFilter): string {
  return filterParameters(filter).toString();
}

/** The parameters of the filters alone. */
export function filterParameters(filter: AgentFilter): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [{ name, kind }, wanted] of asked(filter)) {
    const values = kind === 'boolean' ? ['true'] : [wanted].flat().map(String);
    for (const value of new Set(values.sort())) parameters.append(name, value);
  }
  return parameters;
}

/** Whether a filter asks for metrics or accreditations, so that an answer can say which ones met it. */
export function asksMetrics({ metricIds, q, accreditations, accreditedOn }: AgentFilter): boolean {
  return [metricIds, q, accreditations, accreditedOn].some((asked) => asked !== undefined);
}
