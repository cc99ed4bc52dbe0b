import type { Property } from '../domain/declaration.ts';
import type { AuthorisationVia } from '../domain/declared-facts.ts';
import { registrableDomain } from '../domain/domain-name.ts';
import { identifierCovers } from '../domain/identifier-match.ts';

/** For whom a file is read, and how that domain came to it. */
export interface Reader {
  readonly domain: string;
  readonly via: AuthorisationVia;
}

/** The properties of a list that are the publisher's own. */
export function ownProperties(properties: readonly Property[], reader: Reader): readonly Property[] {
  return properties.filter((property) => isOwn(property, reader));
}

/**
 * Whether a property is the publisher's. One that names its publisher is that publisher's and nobody else's.
 * Without a name it belongs to the file's own domain; in a file that the domain only refers to, not when its
 * domain identifiers are all of other sites; in a manager's file, never: a manager must name the publisher.
 */
export function isOwn(property: Property, { domain, via }: Reader): boolean {
  if (property.publisherDomain !== undefined) return namesPublisher(property.publisherDomain, domain);
  if (via !== 'reference') return via === 'own';
  const sites = property.identifiers.filter((identifier) => identifier.type === 'domain');
  return sites.length === 0 || sites.some((site) => isSiteOf(site.value, domain));
}

/** Whether a declared publisher domain means this domain: equal, or the `www.` or `m.` of one another. */
export function namesPublisher(declared: string, domain: string): boolean {
  return declared === domain || identifierCovers(declared, domain) || identifierCovers(domain, declared);
}

/** The same text for all names of one publisher, and perhaps for names that are not: a key to look them up by. */
export function bareName(domain: string): string {
  const bare = domain.replace(/^(?:www|m)\./, '');
  return bare !== domain && registrableDomain(bare) === bare ? bare : domain;
}

/** Two properties of one publisher are the same when their ids are, else when type and identifiers are. */
export function propertyKey({ propertyId, propertyType, identifiers }: Property): string {
  if (propertyId !== undefined) return `id ${propertyId}`;
  const named = identifiers.map(({ type, value }) => `${type}=${value}`).sort();
  return JSON.stringify([propertyType, ...named]);
}

function isSiteOf(site: string, domain: string): boolean {
  return identifierCovers(site, domain) || site.endsWith(`.${domain}`);
}
