import type { AuthorisationScope, Property } from '../domain/declaration.ts';
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

function isSiteOf(site: string, domain: string): boolean {
  return identifierCovers(site, domain) || site.endsWith(`.${domain}`);
}

/** Whether a declared publisher domain means this domain: equal, or the `www.` or `m.` of one another. */
export function namesPublisher(declared: string, domain: string): boolean {
  return declared === domain || identifierCovers(declared, domain) || identifierCovers(domain, declared);
}

/** The publishers that an entry names, each once; none when it speaks of whoever its file is read for. */
export function publishersOf(scope: AuthorisationScope): readonly string[] {
  if (scope.type === 'publisher_properties')
    return [...new Set(scope.selectors.flatMap((selector) => selector.publisherDomains))];
  if (scope.type !== 'inline_properties') return [];
  const names = new Set(scope.properties.map((property) => property.publisherDomain));
  return names.has(undefined) ? [] : [...names].filter((name) => name !== undefined);
}

interface Named<T> {
  readonly name: string;
  readonly item: T;
}

/**
 * Things under the publishers that they name, found by any name of a publisher (see namesPublisher) at a cost that does
 * not grow with the number of the others.
 */
export class ByPublisher<T> {
  readonly #named = new Map<string, Named<T>[]>();
  /** They name nobody. */
  readonly unnamed: T[] = [];

  add(name: string | undefined, item: T): void {
    if (name === undefined) {
      this.unnamed.push(item);
      return;
    }
    const bare = bareName(name);
    const list = this.#named.get(bare);
    if (list === undefined) this.#named.set(bare, [{ name, item }]);
    else list.push({ name, item });
  }

  /** In the order in which they were added. */
  of(domain: string): T[] {
    const list = this.#named.get(bareName(domain)) ?? [];
    return list.filter(({ name }) => namesPublisher(name, domain)).map(({ item }) => item);
  }
}

/** The same text for all names of one publisher, and perhaps for names that are not: a key to look them up by. */
function bareName(domain: string): string {
  const bare = domain.replace(/^(?:www|m)\./, '');
  return bare !== domain && registrableDomain(bare) === bare ? bare : domain;
}

/** Two properties of one publisher are the same when their ids are, else when type and identifiers are. */
export function propertyKey({ propertyId, propertyType, identifiers }: Property): string {
  if (propertyId !== undefined) return `id ${propertyId}`;
  const named = identifiers.map(({ type, value }) => `${type}=${value}`).sort();
  return JSON.stringify([propertyType, ...named]);
}
