import { jsonPointer, type Problem, problem } from './problem.ts';

/** What a payload may be at most, before any schema is asked. A schema's own bounds are closer. */
export const BOUNDS = {
  /** Objects and lists inside each other. */
  depth: 32,
  /** Objects, lists and single values together. */
  values: 100_000,
  /** Characters of one text. */
  text: 100_000,
  /** Characters of the name of a member. */
  name: 255,
} as const;

interface Count {
  values: number;
}

type Step = string | number;

/** How large a payload is. */
export interface Measure {
  /** Objects, lists and single values together; counted up to the bound. */
  readonly values: number;
  /** Why it is too large to look at. */
  readonly problem?: Problem;
}

/** Measures a payload against the bounds. Ends for endless payloads too. */
export function measure(payload: unknown): Measure {
  const count = { values: 0 };
  const found = visit(payload, [], count);
  return { values: count.values, ...(found !== undefined && { problem: found }) };
}

function visit(value: unknown, place: Step[], count: Count): Problem | undefined {
  count.values += 1;
  if (count.values > BOUNDS.values)
    return refused([], `more than ${BOUNDS.values} values`, 'send less at once');
  if (typeof value === 'string' && value.length > BOUNDS.text) {
    return refused(place, `a text of more than ${BOUNDS.text} characters`, 'shorten it');
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (place.length >= BOUNDS.depth) {
    return refused(place, `nested more than ${BOUNDS.depth} deep`, 'send a flatter object');
  }
  return Array.isArray(value) ? visitList(value, place, count) : visitMembers(value, place, count);
}

function visitList(list: readonly unknown[], place: Step[], count: Count): Problem | undefined {
  for (let index = 0; index < list.length; index += 1) {
    const found = visitAt(list[index], index, place, count);
    if (found !== undefined) return found;
  }
  return undefined;
}

function visitMembers(object: object, place: Step[], count: Count): Problem | undefined {
  for (const [name, value] of Object.entries(object)) {
    if (name.length > BOUNDS.name) {
      return refused(
        place,
        `a member whose name has more than ${BOUNDS.name} characters`,
        'shorten its name',
      );
    }
    const found = visitAt(value, name, place, count);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `place` is one list for the whole visit, so that a wide payload costs no list for each of its values. */
function visitAt(value: unknown, step: Step, place: Step[], count: Count): Problem | undefined {
  place.push(step);
  const found = visit(value, place, count);
  place.pop();
  return found;
}

function refused(place: readonly Step[], what: string, suggestion: string): Problem {
  const pointer = jsonPointer(place);
  const message = `${placeName(pointer)}: ${what}`;
  return problem('REQUEST_TOO_LARGE', message, { pointer, suggestion });
}

/** A place for people: the pointer, shortened when it is very long. */
export function placeName(pointer: string): string {
  if (pointer === '') return 'the request';
  return pointer.length <= 300 ? pointer : `${pointer.slice(0, 300)}…`;
}
