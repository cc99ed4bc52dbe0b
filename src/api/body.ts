import { isObject, type JsonObject } from '../base/json.ts';
import { withNearest } from '../base/near-names.ts';
import { HttpProblem, invalidValue } from './problem.ts';

/** The members of a JSON body, which has none but these. Throws HttpProblems. */
export function readMembers(body: unknown, names: readonly string[]): JsonObject {
  if (!isObject(body))
    throw new HttpProblem('bad_request', `a JSON object is required, with the fields ${names.join(', ')}`);
  refuseOthers(body, names);
  return body;
}

/** Throws the HttpProblem for a member beside these; `place` is what stands before its name, as in `selector.`. */
export function refuseOthers(value: object, names: readonly string[], place = ''): void {
  const other = Object.keys(value).find((name) => !names.includes(name));
  if (other === undefined) return;
  const parameter = `${place}${other}`.slice(0, 200);
  const detail = withNearest(`unknown field ${parameter}`, other, names);
  throw new HttpProblem('unknown_parameter', detail, { parameter, validValues: names });
}

/** A member that is a list of so many items at most; `what` they are. Throws HttpProblems. */
export function readList(body: JsonObject, name: string, most: number, what: string): readonly unknown[] {
  const list = body[name];
  if (!Array.isArray(list)) throw invalidValue(name, `a list of ${what} is required`);
  if (list.length <= most) return list;
  throw new HttpProblem('too_many_values', `at most ${most} per request`, { parameter: name });
}
