import { type Property, SITE_TYPES } from './declaration.ts';
import type { ListedProperty } from './declared-facts.ts';
import { registrableDomain } from './domain-name.ts';

/** A publisher or site without the `www.` or `m.` that means the same one; any other host as it is. */
export function bareName(domain: string): string {
  const bare = domain.replace(/^(?:www|m)\./, '');
  return bare !== domain && registrableDomain(bare) === bare ? bare : domain;
}

/**
 * A property's identity: its publisher and its id, else its type and identifiers. An id alone names nothing across
 * publishers. A property that names none is that of `domain`, for which the file is read. A host and its `www.` are one.
 */
export function propertyKey(
  {
    publisherDomain,
    propertyId,
    propertyType,
    identifiers,
  }: Pick<Property, 'publisherDomain' | 'propertyId' | 'propertyType' | 'identifiers'>,
  domain: string,
): string {
  const publisher = bareName(publisherDomain ?? domain);
  if (propertyId !== undefined) return `${publisher} ${propertyId}`;
  const named = identifiers.map(
    ({ type, value }) => `${type}=${SITE_TYPES.has(type) ? bareName(value) : value}`,
  );
  return JSON.stringify([publisher, propertyType, ...new Set(named.sort())]);
}

/** How many properties the catalogue of a publisher has; those that stand in entries alone are left out. */
export function catalogueSize(properties: readonly ListedProperty[], domain: string): number {
  const catalogue = properties.filter(({ entry }) => entry === undefined);
  return new Set(catalogue.map((property) => propertyKey(property, domain))).size;
}
