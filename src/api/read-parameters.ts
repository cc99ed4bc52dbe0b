import { HttpProblem } from './problem.ts';
import { searchParams } from './query-text.ts';

/** The parameters of a query string by name, each of these at most once and none empty. Throws HttpProblems; `what` is read. */
export function readParameters(
  text: string,
  names: readonly string[],
  what: string,
): ReadonlyMap<string, string> {
  const parameters = searchParams(text);
  for (const name of parameters.keys()) checkName(parameters, name, names, what);
  return new Map(parameters);
}

function checkName(parameters: URLSearchParams, name: string, names: readonly string[], what: string): void {
  if (!names.includes(name)) {
    throw new HttpProblem('unknown_parameter', `${what} has no such parameter`, {
      parameter: name.slice(0, 100),
      validValues: names,
    });
  }
  if (parameters.getAll(name).length > 1)
    throw new HttpProblem('repeated_parameter', `${name} can be given once`, { parameter: name });
  if (parameters.get(name) === '')
    throw new HttpProblem('empty_value', `${name} needs a value`, { parameter: name });
}
