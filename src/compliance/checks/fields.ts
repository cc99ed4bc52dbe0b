import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../base/json.ts';
import {
  allowedOf,
  type CheckFunction,
  checkedPlaces,
  expectedOf,
  failAt,
  nameOf,
  notApplicable,
  pathOf,
} from './check.ts';

/** `field_value`: what stands at every place of the path is one of the allowed values. */
export const fieldValue: CheckFunction = (input) => valueAt(input, false);

/** `field_value_or_absent`: the same, and nothing there is fine as well. */
export const fieldValueOrAbsent: CheckFunction = (input) => valueAt(input, true);

/**
 * `field_contains`: at some place of the path stands a list with the value among its items, a text with it inside, or
 * the value itself. An object is met by every object that has its members.
 */
export const fieldContains: CheckFunction = (input) => {
  const places = checkedPlaces(input);
  if (!Array.isArray(places)) return places as ReturnType<CheckFunction>;
  const allowed = allowedOf(input);
  if (allowed.length === 0) return notApplicable('the check names no value');
  const holds = places.some(({ present, value }) => present && allowed.some((one) => contains(value, one)));
  if (holds) return { result: 'pass', message: `${pathOf(input)} contains what is expected` };
  const [first] = places;
  if (first === undefined)
    return { result: 'fail', message: 'the path leads nowhere', expected: expectedOf(allowed) };
  const reason = first.present ? 'does not contain what is expected' : 'is missing';
  const told = failAt(first, `${nameOf(first)} ${reason}`, expectedOf(allowed));
  return places.length === 1 ? told : ({ ...told, actual: places.map(({ value }) => value) } as typeof told);
};

/** `field_equals_context`: what stands at every place of the path is what an earlier step kept under `context_key`. */
export const fieldEqualsContext: CheckFunction = (input) => {
  const { context_key: key, value } = input.validation;
  const name = key ?? (typeof value === 'string' ? value : undefined);
  if (name === undefined) return notApplicable('the check names no value of the context');
  if (!input.context.has(name)) return notApplicable(`no step before provided ${name}`);
  const places = checkedPlaces(input);
  if (!Array.isArray(places)) return places as ReturnType<CheckFunction>;
  const expected = input.context.get(name);
  const wrong = places.find((found) => !found.present || !isDeepStrictEqual(found.value, expected));
  if (wrong === undefined) return { result: 'pass', message: `${pathOf(input)} is ${name}` };
  const reason = wrong.present ? `is not the ${name} of an earlier step` : 'is missing';
  return failAt(wrong, `${nameOf(wrong)} ${reason}`, expected);
};

/** `field_differs_from_context`: what is at every place of the path is not the value that an earlier step kept. */
export const fieldDiffersFromContext: CheckFunction = (input) => {
  const { context_key: key } = input.validation;
  if (key === undefined) return notApplicable('the check names no value of the context');
  if (!input.context.has(key)) return notApplicable(`no step before provided ${key}`);
  const places = checkedPlaces(input);
  if (!Array.isArray(places)) return places as ReturnType<CheckFunction>;
  const other = input.context.get(key);
  const wrong = places.find((found) => !found.present || isDeepStrictEqual(found.value, other));
  if (wrong === undefined)
    return { result: 'pass', message: `${pathOf(input)} is another value than ${key}` };
  const reason = wrong.present ? `is the ${key} of an earlier step` : 'is missing';
  return failAt(wrong, `${nameOf(wrong)} ${reason}`, 'another value');
};

/** `field_present`: there is something at every place of the path, and at one at least; null is nothing. */
export const fieldPresent: CheckFunction = (input) => {
  const places = checkedPlaces(input);
  if (!Array.isArray(places)) return places as ReturnType<CheckFunction>;
  const missing = places.find(({ present, value }) => !present || value === null);
  if (missing === undefined) return { result: 'pass', message: `${pathOf(input)} is there` };
  return failAt(missing, `${nameOf(missing)} is ${missing.present ? 'null' : 'missing'}`, 'a value');
};

/** `field_absent`: there is nothing at any place of the path; null counts as something. */
export const fieldAbsent: CheckFunction = (input) => {
  const places = checkedPlaces(input);
  if (!Array.isArray(places)) return places as ReturnType<CheckFunction>;
  const present = places.find((found) => found.present);
  if (present === undefined) return { result: 'pass', message: `${pathOf(input)} is not there` };
  return failAt(present, `${nameOf(present)} is there, and must not be`, 'nothing');
};

function valueAt(input: Parameters<CheckFunction>[0], mayBeAbsent: boolean): ReturnType<CheckFunction> {
  const places = checkedPlaces(input);
  if (!Array.isArray(places)) return places as ReturnType<CheckFunction>;
  const allowed = allowedOf(input);
  if (allowed.length === 0) return notApplicable('the check names no value');
  const wrong = places.find(({ present, value }) =>
    present ? !allowed.some((one) => isDeepStrictEqual(one, value)) : !mayBeAbsent,
  );
  if (wrong === undefined) return { result: 'pass', message: `${pathOf(input)} has the value expected` };
  const reason = wrong.present ? 'has another value' : 'is missing';
  return failAt(wrong, `${nameOf(wrong)} ${reason}`, expectedOf(allowed));
}

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
