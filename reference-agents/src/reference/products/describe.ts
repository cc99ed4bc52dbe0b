import type { Meaning } from './lexicon.ts';
import { countryName } from './places.ts';

const CHANNEL_NAMES: Readonly<Record<string, string>> = {
  olv: 'online video',
  ctv: 'connected television',
  dooh: 'screens out of home',
  native: 'native cards',
  email: 'newsletters',
};
const DELIVERY_NAMES: Readonly<Record<string, string>> = {
  guaranteed: 'guaranteed delivery',
  non_guaranteed: 'delivery without a guarantee',
};

/** A meaning in words of ours: nothing that a caller wrote is repeated. */
export function labelOf({ facet, value }: Meaning): string {
  if (facet === 'channel') return CHANNEL_NAMES[value] ?? value;
  if (facet === 'country') return countryName(value);
  if (facet === 'delivery') return DELIVERY_NAMES[value] ?? value;
  if (facet === 'making') return 'creatives that are made here';
  return value;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
