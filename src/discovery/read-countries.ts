import { elements, pointerTo } from '../base/json.ts';
import { COUNTRIES } from '../domain/country.ts';
import { at, readNames } from './fields.ts';
import type { FilePart } from './read-document.ts';

/** So many of a list are named in findings of their own. */
const MAX_TOLD = 20;

/**
 * The countries of a list, each once, as ISO 3166-1 has them: buyers compare the two letters as they stand, so `UK` or `de`
 * is nobody's country. Those left out have findings of their own.
 */
export function readCountries(place: FilePart, key: string): readonly string[] {
  const codes = [...new Set(readNames(place, key))];
  const countries = codes.filter((code) => COUNTRIES.has(code));
  if (countries.length < codes.length) {
    const list = elements(place.value[key]);
    const others = codes.filter((code) => !COUNTRIES.has(code));
    for (const code of others.slice(0, MAX_TOLD))
      place.file.report.add('country_invalid', pointerTo(at(place, key), list.indexOf(code)), code);
  }
  return countries;
}
