import type { Check } from './check.ts';
import { failAt, nameOf, placesOf } from './places.ts';

/** `field_present`: there is something at every place of the path, and at one at least; null is nothing. */
export const fieldPresent: Check = (input) => {
  const places = placesOf(input);
  if (!Array.isArray(places)) return places as ReturnType<Check>;
  const missing = places.find(({ present, value }) => !present || value === null);
  if (missing === undefined) return { result: 'pass', message: `${input.validation.path} is there` };
  return failAt(missing, `${nameOf(missing)} is ${missing.present ? 'null' : 'missing'}`, 'a value');
};

/** `field_absent`: there is nothing at any place of the path; null counts as something. */
export const fieldAbsent: Check = (input) => {
  const places = placesOf(input);
  if (!Array.isArray(places)) return places as ReturnType<Check>;
  const present = places.find((found) => found.present);
  if (present === undefined) return { result: 'pass', message: `${input.validation.path} is not there` };
  return failAt(present, `${nameOf(present)} is there, and must not be`, 'nothing');
};
