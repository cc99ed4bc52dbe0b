import type {
  AdagentsDeclaration,
  AuthorisationEntry,
  Property,
  PublisherSelector,
} from '../domain/declaration.ts';
import type { OwnCatalogue } from './own-catalogue.ts';
import { isOwn, namesPublisher, ownProperties, type Reader } from './own-properties.ts';

/** A file and the publisher for whom it is read. */
export interface Audience extends Reader {
  readonly declaration: AdagentsDeclaration;
}

/** Which of the publisher's own properties an entry names, unresolved: as long as the entry, and no longer. */
export interface Covered {
  readonly all?: true;
  readonly ids?: readonly string[];
  readonly tags?: readonly string[];
  /** Properties that stand in the entry itself. */
  readonly inline?: readonly Property[];
}

/** Says of an entry what it covers; undefined when it does not speak of this publisher at all. */
export type Coverage = (entry: AuthorisationEntry) => Covered | undefined;

/**
 * What the entries of a file cover of one publisher. A selector counts only where it names the publisher, and a
 * manager's file must name the publisher in one way or another.
 */
export function createCoverage(audience: Audience, own: OwnCatalogue): Coverage {
  const isManager = audience.via === 'manager';
  const others = othersNames(audience);
  // ids or tags of others' properties only: the entry does not speak of the publisher; of nobody's: of no property
  const named = (covered: Covered, isOurs: boolean, isTheirs: () => boolean): Covered | undefined => {
    if (isOurs) return covered;
    return audience.via !== 'own' || isTheirs() ? undefined : {};
  };
  return ({ scope }) => {
    switch (scope.type) {
      case 'publisher_properties':
        return selected(scope.selectors, audience.domain);
      case 'inline_properties': {
        const inline = ownProperties(scope.properties, audience);
        return inline.length > 0 ? { inline } : undefined;
      }
      case 'property_ids': {
        const { propertyIds: ids } = scope;
        const isOurs = ids.some((id) => own.withId(id) !== undefined);
        return named({ ids }, isOurs, () => ids.some((id) => others().ids.has(id)));
      }
      case 'property_tags': {
        const { propertyTags: tags } = scope;
        const isOurs = tags.some((tag) => own.hasTag(tag));
        return named({ tags }, isOurs, () => tags.some((tag) => others().tags.has(tag)));
      }
      case 'all':
        return isManager && own.items.length === 0 ? undefined : { all: true };
      default: // signals are the publisher's data and no properties
        return isManager ? undefined : {};
    }
  };
}

function selected(selectors: readonly PublisherSelector[], domain: string): Covered | undefined {
  const selections = selectors
    .filter(({ publisherDomains }) => publisherDomains.some((name) => namesPublisher(name, domain)))
    .map(({ selection }) => selection);
  if (selections.length === 0) return undefined;
  if (selections.some(({ type }) => type === 'all')) return { all: true };
  return {
    ids: selections.flatMap((selection) => (selection.type === 'by_id' ? selection.propertyIds : [])),
    tags: selections.flatMap((selection) => (selection.type === 'by_tag' ? selection.propertyTags : [])),
  };
}

interface OthersNames {
  readonly ids: ReadonlySet<string | undefined>;
  readonly tags: ReadonlySet<string>;
}

/** Ids and tags of the file's other properties, put together when they are first asked for. */
function othersNames(audience: Audience): () => OthersNames {
  let names: OthersNames | undefined;
  return () => {
    if (names !== undefined) return names;
    const others = audience.declaration.properties.filter((property) => !isOwn(property, audience));
    names = {
      ids: new Set(others.map((property) => property.propertyId)),
      tags: new Set(others.flatMap((property) => property.tags)),
    };
    return names;
  };
}
