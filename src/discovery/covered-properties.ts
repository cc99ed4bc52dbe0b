import type {
  AdagentsDeclaration,
  AuthorisationEntry,
  Property,
  PublisherSelector,
} from '../domain/declaration.ts';
import { isOwn, namesPublisher, ownProperties, type Reader } from './own-properties.ts';

/** A file and the publisher for whom it is read. */
export interface Audience extends Reader {
  readonly declaration: AdagentsDeclaration;
}

/**
 * Which of the publisher's own properties an entry covers; undefined when the entry does not speak of this
 * publisher at all. A selector counts only where it names the publisher, and a manager's file must name the
 * publisher in one way or another.
 */
export function coveredProperties(
  entry: AuthorisationEntry,
  own: readonly Property[],
  audience: Audience,
): readonly Property[] | undefined {
  const { scope } = entry;
  switch (scope.type) {
    case 'publisher_properties':
      return selected(scope.selectors, own, audience.domain);
    case 'inline_properties':
      return noneIfEmpty(ownProperties(scope.properties, audience));
    case 'property_ids':
      return named(own, audience, hasIdIn(scope.propertyIds, own.length));
    case 'property_tags':
      return named(own, audience, hasTagIn(scope.propertyTags, own.length));
    case 'all':
      return audience.via === 'manager' ? noneIfEmpty(own) : own;
    default: // signals are the publisher's data and no properties
      return audience.via === 'manager' ? undefined : [];
  }
}

function selected(
  selectors: readonly PublisherSelector[],
  own: readonly Property[],
  domain: string,
): readonly Property[] | undefined {
  const naming = selectors.filter(({ publisherDomains }) =>
    publisherDomains.some((name) => namesPublisher(name, domain)),
  );
  if (naming.length === 0) return undefined;
  const selects = naming.map(({ selection }) => selectionTest(selection, own.length));
  return own.filter((property) => selects.some((test) => test(property)));
}

type PropertyTest = (property: Property) => boolean;

function selectionTest(selection: PublisherSelector['selection'], lookups: number): PropertyTest {
  if (selection.type === 'all') return () => true;
  if (selection.type === 'by_id') return hasIdIn(selection.propertyIds, lookups);
  return hasTagIn(selection.propertyTags, lookups);
}

/**
 * The own properties that an entry names. When it names only others' properties it does not speak of the
 * publisher; when it names nothing that the publisher's own file has, it still does, for no property.
 */
function named(
  own: readonly Property[],
  audience: Audience,
  names: PropertyTest,
): readonly Property[] | undefined {
  const properties = own.filter(names);
  if (properties.length > 0) return properties;
  if (audience.via !== 'own') return undefined;
  const namesOthers = audience.declaration.properties.some(
    (property) => !isOwn(property, audience) && names(property),
  );
  return namesOthers ? undefined : properties;
}

function hasIdIn(ids: readonly string[], lookups: number): PropertyTest {
  const isListed = membership(ids, lookups);
  return ({ propertyId }) => propertyId !== undefined && isListed(propertyId);
}

function hasTagIn(tags: readonly string[], lookups: number): PropertyTest {
  const isListed = membership(tags, lookups);
  return (property) => property.tags.some(isListed);
}

/** A set pays only for many look-ups: a manager's list is long, and each of its publishers has few properties. */
function membership(list: readonly string[], lookups: number): (text: string) => boolean {
  if (lookups < 32) return (text) => list.includes(text);
  const set = new Set(list);
  return (text) => set.has(text);
}

function noneIfEmpty(properties: readonly Property[]): readonly Property[] | undefined {
  return properties.length > 0 ? properties : undefined;
}
