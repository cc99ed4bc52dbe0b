import type { CatalogueProduct } from './catalogue-product.ts';
import type { Meaning } from './lexicon.ts';
import { countryOf } from './places.ts';
import type { WishTerm } from './wish.ts';

/**
 * How far a product is what a meaning names, 0 to 1. A town is met in part by what runs in its whole country, and a
 * country in part by what is kept to its towns.
 */
export function meets(product: CatalogueProduct, { facet, value }: Meaning): number {
  if (facet === 'channel') return share(product.channels, value);
  if (facet === 'country')
    return product.countries.includes(value) ? (product.places.length > 0 ? 0.8 : 1) : 0;
  if (facet === 'place') return meetsPlace(product, value);
  if (facet === 'topic') return share(product.topics, value);
  if (facet === 'audience') return share(product.audiences, value);
  if (facet === 'daypart')
    return product.dayparts.length === 0 ? 0.4 : Number(product.dayparts.includes(value));
  if (facet === 'delivery') return Number(product.delivery_type === value);
  return facet === 'making' ? Number(product.generative) : 0;
}

/** What stands first in a list says most of a product. */
function share(values: readonly string[], value: string): number {
  const at = values.indexOf(value);
  return at < 0 ? 0 : 1 - 0.1 * Math.min(at, 3);
}

function meetsPlace({ places, countries }: CatalogueProduct, place: string): number {
  if (places.includes(place)) return 1;
  return places.length === 0 && countries.includes(countryOf(place) ?? '') ? 0.4 : 0;
}

/** Whether nothing that must not be is there, and for each facet that is narrowed down one of its values. */
export function isAllowed(product: CatalogueProduct, mentions: readonly WishTerm[]): boolean {
  const unwanted = mentions.some((one) => one.mode === 'not' && meets(product, one) >= 0.5);
  const narrowed = Map.groupBy(
    mentions.filter(({ mode }) => mode === 'only'),
    ({ facet }) => facet,
  );
  return !unwanted && [...narrowed.values()].every((some) => some.some((one) => meets(product, one) > 0));
}
