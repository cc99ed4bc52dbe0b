import type {
  AdagentsDeclaration,
  AuthorisationEntry,
  AuthorisationScope,
  CollectionSelector,
  Property,
  PublisherSelector,
  Revocation,
} from '../domain/declaration.ts';
import { ByPublisher, isOwn, type Reader } from './own-properties.ts';

/** A part of an entry; `entry` is the entry's place in the file. */
interface EntryPart<T> {
  readonly entry: number;
  readonly part: T;
}

interface SharedIndex {
  readonly selectors: ByPublisher<EntryPart<PublisherSelector>>;
  readonly inline: ByPublisher<EntryPart<Property>>;
  readonly properties: ByPublisher<Property>;
  readonly revocations: ByPublisher<Revocation>;
  /** Of the entries that are limited to collections. */
  readonly collections: ByPublisher<EntryPart<CollectionSelector>>;
  /** Entries that may speak of whoever the file is read for. */
  readonly common: readonly number[];
}

/** What an entry may still speak of: the ids and tags of the publisher's own properties. */
interface OwnNames {
  readonly ids: ReadonlySet<string | undefined>;
  readonly tags: ReadonlySet<string>;
}

/** What of an entry concerns the domain. */
interface OwnParts {
  readonly domain: string;
  readonly own: OwnNames;
  readonly selectors: readonly PublisherSelector[] | undefined;
  readonly inline: readonly Property[] | undefined;
}

const indexes = new WeakMap<AdagentsDeclaration, SharedIndex>();

/**
 * The part of a shared adagents.json (a reference's target, a manager's file) that concerns one domain. The index by
 * domain is made once for each file, so that neither the cost for a domain nor what is stored of it grows with the
 * number of its neighbours.
 */
export function restrictTo(declaration: AdagentsDeclaration, reader: Reader): AdagentsDeclaration {
  const { domain } = reader;
  const index = indexOf(declaration);
  const properties = [...index.properties.unnamed, ...index.properties.of(domain)].filter((property) =>
    isOwn(property, reader),
  );
  const selectors = byEntry(index.selectors.of(domain));
  const inline = byEntry(
    [...index.inline.unnamed, ...index.inline.of(domain)].filter(({ part }) => isOwn(part, reader)),
  );
  const collections = byEntry(index.collections.of(domain));
  const own = namesOf(properties);
  const places = [...index.common, ...selectors.keys(), ...inline.keys()].sort((a, b) => a - b);
  const entries = places.flatMap((place) => {
    const entry = declaration.entries[place];
    if (entry === undefined) return [];
    const limits = limitsOf(entry, collections.get(place));
    if (limits === undefined) return [];
    const scope = narrow(entry.scope, {
      domain,
      own,
      selectors: selectors.get(place),
      inline: inline.get(place),
    });
    return scope === undefined ? [] : [{ ...entry, scope, limits }];
  });
  const listsOthers = declaration.properties.length > properties.length;
  const revokedPublisherDomains = index.revocations.of(domain);
  return {
    ...declaration,
    entries,
    properties,
    revokedPublisherDomains,
    ...(listsOthers && { listsOthers }),
  };
}

function indexOf(declaration: AdagentsDeclaration): SharedIndex {
  const known = indexes.get(declaration);
  if (known !== undefined) return known;
  const selectors = new ByPublisher<EntryPart<PublisherSelector>>();
  const inline = new ByPublisher<EntryPart<Property>>();
  const properties = new ByPublisher<Property>();
  const revocations = new ByPublisher<Revocation>();
  const collections = new ByPublisher<EntryPart<CollectionSelector>>();
  const common: number[] = [];
  for (const [entry, { scope, limits }] of declaration.entries.entries()) {
    for (const part of limits.collections ?? []) collections.add(part.publisherDomain, { entry, part });
    if (scope.type === 'publisher_properties') {
      for (const part of scope.selectors)
        for (const name of part.publisherDomains) selectors.add(name, { entry, part });
    } else if (scope.type === 'inline_properties') {
      for (const part of scope.properties) inline.add(part.publisherDomain, { entry, part });
    } else common.push(entry);
  }
  for (const property of declaration.properties) properties.add(property.publisherDomain, property);
  for (const revocation of declaration.revokedPublisherDomains)
    revocations.add(revocation.publisherDomain, revocation);
  const index = { selectors, inline, properties, revocations, collections, common };
  indexes.set(declaration, index);
  return index;
}

/** Undefined: the entry is limited to collections of other publishers. */
function limitsOf(
  { limits }: AuthorisationEntry,
  collections: readonly CollectionSelector[] | undefined,
): AuthorisationEntry['limits'] | undefined {
  if (limits.collections === undefined) return limits;
  return collections && { ...limits, collections };
}

function byEntry<T>(parts: readonly EntryPart<T>[]): Map<number, T[]> {
  const grouped = new Map<number, T[]>();
  for (const { entry, part } of parts) {
    const list = grouped.get(entry);
    if (list === undefined) grouped.set(entry, [part]);
    else list.push(part);
  }
  return grouped;
}

function namesOf(properties: readonly Property[]): OwnNames {
  return {
    ids: new Set(properties.map((property) => property.propertyId)),
    tags: new Set(properties.flatMap((property) => property.tags)),
  };
}

/** Undefined when nothing of the entry is left: it speaks of other publishers. */
function narrow(scope: AuthorisationScope, parts: OwnParts): AuthorisationScope | undefined {
  const { selectors = [], inline = [], own } = parts;
  switch (scope.type) {
    case 'publisher_properties':
      return {
        type: scope.type,
        selectors: [...new Set(selectors)].map((part) => narrowSelector(part, parts)),
      };
    case 'inline_properties':
      return { type: scope.type, properties: inline };
    case 'property_ids': {
      const propertyIds = scope.propertyIds.filter((id) => own.ids.has(id));
      return propertyIds.length > 0 ? { type: scope.type, propertyIds } : undefined;
    }
    case 'property_tags': {
      const propertyTags = scope.propertyTags.filter((tag) => own.tags.has(tag));
      return propertyTags.length > 0 ? { type: scope.type, propertyTags } : undefined;
    }
    default:
      return scope;
  }
}

function narrowSelector({ selection }: PublisherSelector, { domain, own }: OwnParts): PublisherSelector {
  const publisherDomains = [domain];
  if (selection.type === 'all') return { publisherDomains, selection };
  if (selection.type === 'by_id') {
    const propertyIds = selection.propertyIds.filter((id) => own.ids.has(id));
    return { publisherDomains, selection: { type: 'by_id', propertyIds } };
  }
  const propertyTags = selection.propertyTags.filter((tag) => own.tags.has(tag));
  return { publisherDomains, selection: { type: 'by_tag', propertyTags } };
}
