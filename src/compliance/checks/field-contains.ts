import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../base/json.ts';
import { type Check, notApplicable } from './check.ts';
import { allowedOf, expectedOf, failAt, nameOf, placesOf } from './places.ts';

/**
 * `field_contains`: at some place of the path stands a list with the value among its items, a text with it inside, or
 * the value itself. An object is met by every object that has its members.
 */
export const fieldContains: Check = (input) => {
  const places = placesOf(input);
  if (!Array.isArray(places)) return places as ReturnType<Check>;
  const allowed = allowedOf(input);
  if (allowed.length === 0) return notApplicable('the check names no value');
  const holds = places.some(({ present, value }) => present && allowed.some((one) => contains(value, one)));
  if (holds) return { result: 'pass', message: `${input.validation.path} contains what is expected` };
  const [first] = places;
  if (first === undefined)
    return { result: 'fail', message: 'the path leads nowhere', expected: expectedOf(allowed) };
  const reason = first.present ? 'does not contain what is expected' : 'is missing';
  const told = failAt(first, `${nameOf(first)} ${reason}`, expectedOf(allowed));
  return places.length === 1 ? told : ({ ...told, actual: places.map(({ value }) => value) } as typeof told);
};

function contains(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => meets(item, wanted));
  if (typeof value === 'string' && typeof wanted === 'string') return value.includes(wanted);
  return meets(value, wanted);
}

/** Equal, or an object that has at least the members that are wanted. */
function meets(value: unknown, wanted: unknown): boolean {
  if (isObject(wanted) && isObject(value))
    return Object.entries(wanted).every(
      ([key, item]) => Object.hasOwn(value, key) && meets(value[key], item),
    );
  return isDeepStrictEqual(value, wanted);
}
