import type { JsonObject } from '../../base/json.ts';
import { nearestName } from '../../base/near-names.ts';
import { COUNTRIES, countryMeant } from '../../domain/country.ts';
import type { Finding } from '../../domain/finding.ts';
import { type Advice, valueAt, written } from './advised-values.ts';

/** Several codes in one text. */
const LIST = /^ ?[a-z]{2}(?:(?:, ?|; ?| )[a-z]{2}){1,249} ?$/i;

let names: ReadonlyMap<string, string> | undefined;

/** The codes of the countries by their English names. */
function codesByName(): ReadonlyMap<string, string> {
  const english = new Intl.DisplayNames('en', { type: 'region' });
  names ??= new Map(COUNTRIES.values().map((code) => [english.of(code) ?? code, code] as const));
  return names;
}

/** A code in other letters, or a reserved one for one country, is certain; a name is a guess. */
export function countryInstead({ pointer }: Finding, document: JsonObject): Advice | undefined {
  const value = valueAt(document, pointer);
  if (typeof value !== 'string') return undefined;
  const meant = countryMeant(value);
  if (meant !== undefined) return { didYouMean: meant, fix: written(pointer, meant) };
  const name = nearestName(value, codesByName().keys());
  const didYouMean = name === undefined ? undefined : codesByName().get(name);
  return didYouMean === undefined ? undefined : { didYouMean };
}

/** The codes of a text such as `de, at`, for a list in its place; undefined for any other text. */
export function countriesOfText(text: string): readonly string[] | undefined {
  if (!LIST.test(text)) return undefined;
  return text.match(/[a-z]{2}/gi)?.map((code) => countryMeant(code) ?? code);
}
