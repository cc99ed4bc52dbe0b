import { defined } from '../base/present.ts';
import type { AuthorizedOperator, BrandDeclaration, BrandEntry } from '../domain/declaration.ts';
import { has, type FilePart, readDomain, readObjects, readString, readStrings, readTime } from './fields.ts';
import { readBrandAgents } from './read-brand-agents.ts';

/** `brands[]` of a house with the agents inside them; a brand without an id is left out. */
export function readBrands(house: FilePart): Pick<BrandDeclaration, 'brands' | 'agents'> {
  const places = [...readObjects(house, 'brands')];
  const read = places.flatMap((place) => {
    const brand = readBrandEntry(place);
    return brand === undefined ? [] : [{ brand, agents: readBrandAgents(place, brand.id) }];
  });
  return { brands: read.map(({ brand }) => brand), agents: read.flatMap(({ agents }) => agents) };
}

/** One brand: its id and its names, which are objects keyed by language. */
export function readBrandEntry(place: FilePart): BrandEntry | undefined {
  const id = readString(place, 'id', 500);
  if (id === undefined) {
    if (!has(place, 'id')) place.file.report.add('brand_id_missing', place.pointer);
    return undefined;
  }
  const names = [...readObjects(place, 'names')].flatMap(readName);
  if (names.length === 0) place.file.report.add('names_missing', place.pointer);
  return { id, names };
}

function readName(place: FilePart): BrandEntry['names'] {
  const languages = Object.keys(place.value);
  if (languages.length === 0) place.file.report.add('name_invalid', place.pointer);
  return languages.flatMap((language) => {
    const name = typeof place.value[language] === 'string' ? readString(place, language, 500) : undefined;
    if (name === undefined) place.file.report.add('name_invalid', place.pointer, language);
    return name === undefined ? [] : [{ language, name }];
  });
}

/** `brand_refs[]`: brands of the house whose own file stands elsewhere. */
export function readBrandRefs(house: FilePart): BrandDeclaration['brandRefs'] {
  return [...readObjects(house, 'brand_refs')].flatMap((place) => {
    const domain = readDomainHere(place);
    if (domain === undefined) return [];
    const brandId = readString(place, 'brand_id', 500);
    return [{ domain, ...defined({ brandId, effectiveAt: readTime(place, 'effective_at') }) }];
  });
}

/** `authorized_operators[]`: who may act for the house; one whose period cannot be read is left out. */
export function readOperators(house: FilePart): readonly AuthorizedOperator[] {
  return [...readObjects(house, 'authorized_operators')].flatMap((place) => {
    const domain = readDomainHere(place);
    const validFrom = readTime(place, 'valid_from');
    const validUntil = readTime(place, 'valid_until');
    const isUnread = (key: string, value: unknown): boolean => has(place, key) && value === undefined;
    if (domain === undefined || isUnread('valid_from', validFrom) || isUnread('valid_until', validUntil))
      return [];
    const [brands, countries, scopes] = [
      readStrings(place, 'brands'),
      readStrings(place, 'countries'),
      readStrings(place, 'scopes'),
    ];
    return [{ domain, brands, countries, scopes, ...defined({ validFrom, validUntil }) }];
  });
}

function readDomainHere(place: FilePart): string | undefined {
  if (!has(place, 'domain')) place.file.report.add('domain_invalid', place.pointer, 'domain is missing');
  const domain = readDomain(place, 'domain');
  return domain !== undefined && place.file.take('domains', place.pointer) ? domain : undefined;
}
