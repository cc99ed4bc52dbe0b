import { isDeepStrictEqual } from 'node:util';
import { type Check, notApplicable } from './check.ts';
import { allowedOf, expectedOf, failAt, nameOf, placesOf } from './places.ts';

/** `field_value`: what stands at every place of the path is one of the allowed values. */
export const fieldValue: Check = (input) => valueAt(input, false);

/** `field_value_or_absent`: the same, and nothing there is fine as well. */
export const fieldValueOrAbsent: Check = (input) => valueAt(input, true);

function valueAt(input: Parameters<Check>[0], mayBeAbsent: boolean): ReturnType<Check> {
  const places = placesOf(input);
  if (!Array.isArray(places)) return places as ReturnType<Check>;
  const allowed = allowedOf(input);
  if (allowed.length === 0) return notApplicable('the check names no value');
  const wrong = places.find(({ present, value }) =>
    present ? !allowed.some((one) => isDeepStrictEqual(one, value)) : !mayBeAbsent,
  );
  if (wrong === undefined)
    return { result: 'pass', message: `${input.validation.path} has the value expected` };
  const reason = wrong.present ? 'has another value' : 'is missing';
  return failAt(wrong, `${nameOf(wrong)} ${reason}`, expectedOf(allowed));
}
