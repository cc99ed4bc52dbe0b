import { pointerOf } from '../base/json.ts';
import { type Problem, problem } from './problem.ts';

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
  /** Why it is too large, or too broken, to look at. */
  readonly problem?: Problem;
}

/** Measures a payload against the bounds, and looks for what no JSON text should hold. Ends for endless payloads too. */
export function measure(payload: unknown): Measure {
  const count = { values: 0 };
  const found = visit(payload, [], count);
  return { values: count.values, ...(found !== undefined && { problem: found }) };
}

function visit(value: unknown, place: Step[], count: Count): Problem | undefined {
  count.values += 1;
  if (count.values > BOUNDS.values)
    return refused([], `more than ${BOUNDS.values} values`, 'split the request');
  if (typeof value !== 'object' || value === null) return visitSingle(value, place);
  if (place.length >= BOUNDS.depth) {
    return refused(place, `nested more than ${BOUNDS.depth} deep`, 'reduce the nesting');
  }
  return Array.isArray(value) ? visitList(value, place, count) : visitMembers(value, place, count);
}

/** What I-JSON (RFC 7493, sections 2.1 and 2.2) leaves out has no canonical form, so nothing could be signed or compared. */
function visitSingle(value: unknown, place: Step[]): Problem | undefined {
  if (typeof value === 'number' && !Number.isFinite(value))
    return refused(
      place,
      'a number outside the range of a double',
      'send a smaller number',
      'VALIDATION_ERROR',
    );
  if (typeof value !== 'string') return undefined;
  if (value.length > BOUNDS.text)
    return refused(place, `a string of more than ${BOUNDS.text} characters`, 'shorten it');
  return value.isWellFormed() ? undefined : brokenText(place, 'a string');
}

function brokenText(place: Step[], what: string): Problem {
  return refused(place, `${what} with an unpaired surrogate`, 'send valid Unicode', 'VALIDATION_ERROR');
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
      return refused(place, `a field name of more than ${BOUNDS.name} characters`, 'shorten the name');
    }
    if (!name.isWellFormed()) return brokenText(place, 'a field name');
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

function refused(
  place: readonly Step[],
  what: string,
  suggestion: string,
  code: 'REQUEST_TOO_LARGE' | 'VALIDATION_ERROR' = 'REQUEST_TOO_LARGE',
): Problem {
  const pointer = pointerOf(place);
  const message = `${placeName(pointer)}: ${what}`;
  return problem(code, message, { pointer, suggestion });
}

/** A place for people: the pointer, shortened when it is very long. */
export function placeName(pointer: string): string {
  if (pointer === '') return 'the request';
  return pointer.length <= 300 ? pointer : `${pointer.slice(0, 300)}…`;
}
