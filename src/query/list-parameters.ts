import { FILTERS, type ListParameter } from './filters.ts';
import type { QueryProblem } from './query-problem.ts';

/** Which groups of the record are asked for. */
export interface ListSwitches {
  readonly health: boolean;
  readonly capabilities: boolean;
  readonly properties: boolean;
  readonly compliance: boolean;
}

/** Distinct values that one repeatable parameter may have. */
export const MAX_VALUES = 20;
/** Agents in one response at most, and without `limit`. */
export const MAX_LIMIT = 10_000;

type Named<Name extends string> = { readonly [N in Name]: Omit<ListParameter, 'name'> };

/** Each adds a group to the records of the answer. */
export const SWITCHES: Named<keyof ListSwitches> = {
  health: { kind: 'boolean', description: 'When true, adds the group health.' },
  capabilities: { kind: 'boolean', description: 'When true, adds the group capabilities.' },
  properties: {
    kind: 'boolean',
    description: 'When true, adds stats, publisher_domains and property_summary.',
  },
  compliance: { kind: 'boolean', description: 'When true, adds the group compliance.' },
};

/** Which part of the list is asked for. */
const PAGING: Named<'limit' | 'cursor' | 'total'> = {
  limit: {
    kind: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    description: `Agents in one response, 1 to ${MAX_LIMIT}; without it, ${MAX_LIMIT}.`,
  },
  cursor: {
    kind: 'cursor',
    description: 'The next_cursor of the response before, under the same filters.',
  },
  total: {
    kind: 'boolean',
    description: 'When true, adds total: how many agents there are under the filters.',
  },
};

/** The parameters of the list operation (specification, 4.1): what is read, documented and offered as options. */
export const LIST_PARAMETERS: readonly ListParameter[] = [
  ...Object.values(FILTERS),
  ...Object.entries({ ...SWITCHES, ...PAGING }).map(([name, rest]) => ({ name, ...rest })),
];

const SEARCH_ONLY = ['capability', 'channel'];

/** What is wrong with what was given for a parameter: with its name, how often it is there, or one of its values. */
export function parameterProblem(name: string, given: readonly string[]): QueryProblem | undefined {
  const parameter = LIST_PARAMETERS.find((one) => one.name === name);
  if (parameter === undefined) return unknownParameter(name);
  const distinct = [...new Set(given)];
  const problem = countProblem(parameter, given.length, distinct.length);
  if (problem !== undefined) return problem;
  for (const value of distinct) {
    const wrong = valueProblem(parameter, value);
    if (wrong !== undefined) return wrong;
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
