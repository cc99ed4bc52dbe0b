import type { AgentFilter } from '../domain/agent-query.ts';
import type { AgentType } from '../domain/agent-type.ts';
import type { VerificationAxis } from '../domain/compliance.ts';
import {
  LIST_PARAMETERS,
  type ListParameter,
  type ListParameterName,
  listParameter,
  MAX_VALUES,
} from './list-parameters.ts';
import type { QueryProblem } from './query-problem.ts';

/** Which groups of the record are asked for. */
export interface ListSwitches {
  readonly health: boolean;
  readonly capabilities: boolean;
  readonly properties: boolean;
  readonly compliance: boolean;
}

export interface ListQuery {
  readonly filter: AgentFilter;
  readonly switches: ListSwitches;
  /** 1 to 10,000; absent: as many as fit into one response. */
  readonly limit?: number;
  /** As given; `openCursor` reads it. */
  readonly cursor?: string;
  readonly total: boolean;
}

export type ReadListQuery =
  | { readonly ok: true; readonly query: ListQuery }
  | { readonly ok: false; readonly problem: QueryProblem };

type Values = ReadonlyMap<string, readonly string[]>;

const MEASUREMENT_FILTERS = ['metric_id', 'accreditation', 'q'] as const;
const SEARCH_ONLY = ['capability', 'channel'];

/**
 * Reads the parameters of the list operation (specification, 4.1) by its strict rules: whatever is unknown,
 * repeated without being repeatable, empty or outside its range is a problem and never ignored. The measurement
 * filters imply type=measurement and conflict with any other explicit type. `q` comes out lower-cased.
 */
export function readListQuery(params: URLSearchParams): ReadListQuery {
  const values = distinctValues(params);
  const problem = firstProblem(params, values) ?? typeConflict(values);
  return problem === undefined ? { ok: true, query: listQuery(values) } : { ok: false, problem };
}

function distinctValues(params: URLSearchParams): Values {
  const names = [...new Set(params.keys())];
  return new Map(names.map((name) => [name, [...new Set(params.getAll(name))]]));
}

function firstProblem(params: URLSearchParams, values: Values): QueryProblem | undefined {
  for (const [name, distinct] of values) {
    const parameter = listParameter(name);
    if (parameter === undefined) return unknownParameter(name);
    const problem = countProblem(parameter, params.getAll(name).length, distinct.length);
    if (problem !== undefined) return problem;
    for (const value of distinct) {
      const wrong = valueProblem(parameter, value);
      if (wrong !== undefined) return wrong;
    }
  }
  return undefined;
}

function unknownParameter(name: string): QueryProblem {
  const validValues = LIST_PARAMETERS.map((parameter) => parameter.name);
  if (!SEARCH_ONLY.includes(name)) {
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
    const good = /^[1-9]\d{0,8}$/.test(value) && Number(value) >= minimum && Number(value) <= maximum;
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

function typeConflict(values: Values): QueryProblem | undefined {
  const type = values.get('type')?.[0];
  const filter = MEASUREMENT_FILTERS.find((name) => values.has(name));
  if (filter === undefined || type === undefined || type === 'measurement') return undefined;
  const detail = `${filter} is a filter for measurement agents and cannot be combined with type=${type}`;
  return { code: 'type_conflict', parameter: 'type', detail, validValues: ['measurement'] };
}

function listQuery(values: Values): ListQuery {
  const one = (name: ListParameterName) => values.get(name)?.[0];
  const on = (name: ListParameterName) => one(name) === 'true';
  const limit = one('limit');
  const cursor = one('cursor');
  return {
    filter: listFilter(values),
    switches: {
      health: on('health'),
      capabilities: on('capabilities'),
      properties: on('properties'),
      compliance: on('compliance'),
    },
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(cursor !== undefined && { cursor }),
    total: on('total'),
  };
}

function listFilter(values: Values): AgentFilter {
  const implied = MEASUREMENT_FILTERS.some((name) => values.has(name)) ? 'measurement' : undefined;
  const type = (values.get('type')?.[0] as AgentType | undefined) ?? implied;
  const metricIds = values.get('metric_id');
  const accreditations = values.get('accreditation');
  const q = values.get('q')?.[0]?.toLowerCase();
  const modes = values.get('verification_mode') as readonly VerificationAxis[] | undefined;
  return {
    ...(type !== undefined && { type }),
    ...(metricIds !== undefined && { metricIds }),
    ...(accreditations !== undefined && { accreditations }),
    ...(q !== undefined && { q }),
    ...(values.get('verified')?.[0] === 'true' && { verified: true }),
    ...(modes !== undefined && { verificationModes: modes }),
  };
}
