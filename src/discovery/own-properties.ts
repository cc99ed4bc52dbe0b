import { defined } from '../base/json.ts';
import {
  type AdagentsDeclaration,
  type AuthorisationEntry,
  type AuthorisationLimits,
  type AuthorisationScope,
  type Property,
  type PublisherSelector,
  SITE_TYPES,
} from '../domain/declaration.ts';
import type { AuthorisationVia, Coverage, ListedProperty, Names } from '../domain/declared-facts.ts';
import { identifierCovers } from '../domain/domain-name.ts';
import { bareName } from '../domain/property-identity.ts';

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
 * domain identifiers are all of other sites, or one cannot be read; in a manager's file, never: a manager must name the publisher.
 */
export function isOwn(property: Property, { domain, via }: Reader): boolean {
  if (property.publisherDomain !== undefined) return namesPublisher(property.publisherDomain, domain);
  if (via !== 'reference') return via === 'own';
  const sites = property.identifiers.filter(({ type }) => SITE_TYPES.has(type));
  const namesNoSite = sites.length === 0 && property.hasUnread !== true;
  return namesNoSite || sites.some((site) => isSiteOf(site.value, domain));
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

/** The publisher's properties in a file's catalogue. An id names one of them: the first, as strict readers take it. */
export function listedProperties(properties: readonly Property[], reader: Reader): readonly ListedProperty[] {
  const ids = new Set<string>();
  return ownProperties(properties, reader).filter(({ propertyId: id }) => {
    if (id === undefined) return true;
    return !ids.has(id) && ids.add(id);
  });
}

/** The publisher's properties that stand in entries. */
export function inlineProperties(
  entries: readonly AuthorisationEntry[],
  reader: Reader,
): readonly ListedProperty[] {
  return entries.flatMap(({ scope, pointer }) =>
    scope.type === 'inline_properties'
      ? ownProperties(scope.properties, reader).map((property) => ({ ...property, entry: pointer }))
      : [],
  );
}

/**
 * A shared file's entry that is limited to collections speaks of the publishers of these collections. In its own file a
 * publisher may have the collections of others on its properties.
 */
export function limitsFor(limits: AuthorisationLimits, { domain, via }: Reader): AuthorisationLimits {
  const { collections } = limits;
  if (collections === undefined || via === 'own') return limits;
  return {
    ...limits,
    collections: collections.filter(({ publisherDomain }) => namesPublisher(publisherDomain, domain)),
  };
}

/** What the selectors of an entry select of a publisher. */
export function selectionsOf(
  selectors: readonly PublisherSelector[],
  domain: string,
): readonly PublisherSelector['selection'][] {
  return selectors
    .filter(({ publisherDomains }) => publisherDomains.some((name) => namesPublisher(name, domain)))
    .map(({ selection }) => selection);
}

/** The ids and tags by which properties are selected. */
export function namedBy(selections: readonly PublisherSelector['selection'][]) {
  return {
    ids: selections.flatMap((selection) => (selection.type === 'by_id' ? selection.propertyIds : [])),
    tags: selections.flatMap((selection) => (selection.type === 'by_tag' ? selection.propertyTags : [])),
  };
}

/** What "everything" is in a file: where it lists properties, and none is known to be this publisher's, it has nothing of it. */
export function everythingOf(
  { properties, listsOthers }: AdagentsDeclaration,
  own: readonly Property[],
): 'inventory' | 'listed' {
  return own.length === 0 && (properties.length > 0 || listsOthers === true) ? 'listed' : 'inventory';
}

/** What the entry says that it covers of a publisher, nothing of it resolved. */
export function coverageOf(
  scope: AuthorisationScope,
  domain: string,
  everything: NonNullable<Coverage['all']>,
): Coverage {
  switch (scope.type) {
    case 'all':
      return { all: everything };
    case 'property_ids':
      return defined({ ids: namesOf(scope.propertyIds) });
    case 'property_tags':
      return defined({ tags: namesOf(scope.propertyTags) });
    case 'inline_properties':
      return { inline: true };
    case 'publisher_properties': {
      const selections = selectionsOf(scope.selectors, domain);
      const all = selections.some(({ type }) => type === 'all') ? ('listed' as const) : undefined;
      const { ids, tags } = namedBy(selections);
      return { ...defined({ all, ids: namesOf(ids), tags: namesOf(tags) }), selected: true };
    }
    case 'signal_ids':
      return defined({ signals: namesOf(scope.signalIds) });
    default:
      return defined({ signals: namesOf(scope.signalTags) });
  }
}

function namesOf(texts: readonly string[]): Names | undefined {
  return texts.length === 0 ? undefined : `\n${texts.join('\n')}\n`;
}
