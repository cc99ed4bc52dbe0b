export interface GeoPlace {
  readonly name: string;
  readonly country: string;
  /** Phrases for it, without accents. */
  readonly words: string;
}

/** Towns that products are kept to. */
export const PLACES: readonly GeoPlace[] = [
  { name: 'Ghent', country: 'BE', words: 'ghent|gent|gand' },
  { name: 'Antwerp', country: 'BE', words: 'antwerp|antwerpen|anvers' },
  { name: 'Bruges', country: 'BE', words: 'bruges|brugge' },
  { name: 'Ostend', country: 'BE', words: 'ostend|oostende' },
  { name: 'Brussels', country: 'BE', words: 'brussels|brussel|bruxelles' },
  { name: 'Rotterdam', country: 'NL', words: 'rotterdam' },
  { name: 'Amsterdam', country: 'NL', words: 'amsterdam' },
  { name: 'The Hague', country: 'NL', words: 'the hague|hague|den haag' },
  { name: 'Vlissingen', country: 'NL', words: 'vlissingen|flushing' },
  { name: 'Dublin', country: 'IE', words: 'dublin' },
  { name: 'Cork', country: 'IE', words: 'cork' },
  { name: 'Galway', country: 'IE', words: 'galway' },
  { name: 'London', country: 'GB', words: 'london' },
  { name: 'Dover', country: 'GB', words: 'dover' },
  { name: 'Norwich', country: 'GB', words: 'norwich' },
  { name: 'Hamburg', country: 'DE', words: 'hamburg' },
  { name: 'Bremen', country: 'DE', words: 'bremen' },
  { name: 'Kiel', country: 'DE', words: 'kiel' },
  { name: 'Calais', country: 'FR', words: 'calais' },
  { name: 'Lille', country: 'FR', words: 'lille|rijsel' },
  { name: 'Aarhus', country: 'DK', words: 'aarhus|arhus' },
  { name: 'Copenhagen', country: 'DK', words: 'copenhagen|kobenhavn|københavn' },
];

const COUNTRY_OF: ReadonlyMap<string, string> = new Map(PLACES.map(({ name, country }) => [name, country]));

/** The country of a town; undefined for one that is not known. */
export function countryOf(place: string): string | undefined {
  return COUNTRY_OF.get(place);
}

const NAMES = new Intl.DisplayNames(['en'], { type: 'region' });

/** The English name of a country by its ISO 3166-1 code; anything else is its own name. */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (NAMES.of(code) ?? code) : code;
}
