import { isDeepStrictEqual } from 'node:util';
import { type Check, notApplicable } from './check.ts';
import { failAt, nameOf, placesOf } from './places.ts';

/** `field_equals_context`: what stands at every place of the path is what an earlier step kept under `context_key`. */
export const fieldEqualsContext: Check = (input) => {
  const { context_key: key, value } = input.validation;
  const name = key ?? (typeof value === 'string' ? value : undefined);
  if (name === undefined) return notApplicable('the check names no value of the context');
  if (!input.context.has(name)) return notApplicable(`no step before provided ${name}`);
  const places = placesOf(input);
  if (!Array.isArray(places)) return places as ReturnType<Check>;
  const expected = input.context.get(name);
  const wrong = places.find((found) => !found.present || !isDeepStrictEqual(found.value, expected));
  if (wrong === undefined) return { result: 'pass', message: `${input.validation.path} is ${name}` };
  const reason = wrong.present ? `is not the ${name} of an earlier step` : 'is missing';
  return failAt(wrong, `${nameOf(wrong)} ${reason}`, expected);
};
