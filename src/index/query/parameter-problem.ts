import { withNearest } from '../../base/near-names.ts';
import { LABEL_NAMES } from '../../domain/agent-search.ts';
import type { ListParameter } from './filters.ts';
import { LIST_PARAMETERS, MAX_VALUES } from './list-parameters.ts';
import type { QueryProblem } from './query-problem.ts';

const SEARCH_ONLY: readonly string[] = [
  ...['capability', 'channel', 'online', 'has_tmp', 'min_properties', 'sort', 'facets'],
  ...LABEL_NAMES,
];

/** The problem of the first invalid parameter by the operation's table. */
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

/** The problem of one parameter: its name, the number of its values, or one of them. */
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
    const detail = withNearest(
      `${name.slice(0, 100)} is not a parameter of this operation`,
      name,
      validValues,
    );
    return { code: 'unknown_parameter', parameter: name, detail, validValues };
  }
  const detail = `${name} is a filter of the search operation (…/agents/search), not of the list operation`;
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
  const detail = `${name} accepts at most ${MAX_VALUES} different values, ${distinct} were given`;
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
    const detail = `${name} must have at most ${maxLength} characters`;
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
  const detail = withNearest(`${name} must be one of ${allowed.join(', ')}`, value, allowed);
  return { code: 'invalid_value', parameter: name, detail, validValues: allowed };
}

function validValues({ kind, values }: ListParameter): readonly string[] | undefined {
  return kind === 'boolean' ? ['true', 'false'] : values;
}
