import { defined } from '../base/json.ts';
import type {
  AuthorisingEntry,
  Because,
  CoveredByEntry,
  PublisherFacts,
  Question,
} from './authorisation-question.ts';
import { type AuthorisationLimits, SITE_TYPES } from './declaration.ts';
import type { Coverage, ListedProperty, Names } from './declared-facts.ts';
import { hasHost, identifierCovers } from './domain-name.ts';

type Said = Pick<Because, 'code' | 'rule'>;

const WHOLE = 'the whole inventory';
const LISTED = 'all listed properties';
const NO_INVENTORY = 'signals, which authorize no inventory';

/** So many texts are looked for one by one. */
const FEW = 16;

/**
 * The first of some texts that the names have. Many are looked for in one pass, since both are as long as a stranger's
 * file. The readers leave no line break in any.
 */
function firstAmong(names: Names | undefined, texts: ReadonlySet<string>): string | undefined {
  if (names === undefined) return undefined;
  if (texts.size <= FEW) {
    for (const text of texts) if (names.includes(`\n${text}\n`)) return text;
    return undefined;
  }
  for (let from = 1; from < names.length; ) {
    const end = names.indexOf('\n', from);
    const name = names.slice(from, end);
    if (texts.has(name)) return name;
    from = end + 1;
  }
  return undefined;
}

interface CatalogueNames {
  readonly ids: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
  /** Of properties with an id: a publisher selector means no others. */
  readonly selectedTags: ReadonlySet<string>;
}

/** The listed properties that a question means. */
export interface Matches {
  readonly properties: readonly ListedProperty[];
  readonly catalogue: readonly ListedProperty[];
  /** Of those in the catalogue; put together once for all entries. */
  names(): CatalogueNames;
}

export function matchesOf(question: Question, facts: PublisherFacts): Matches {
  return matchesAmong(propertiesMeant(question, facts));
}

/** All of these are meant. */
export function matchesAmong(properties: readonly ListedProperty[]): Matches {
  const catalogue = properties.filter(({ entry }) => entry === undefined);
  let names: CatalogueNames | undefined;
  return { properties, catalogue, names: () => (names ??= namesOf(catalogue)) };
}

function namesOf(catalogue: readonly ListedProperty[]): CatalogueNames {
  const names = { ids: new Set<string>(), tags: new Set<string>(), selectedTags: new Set<string>() };
  for (const { propertyId, tags } of catalogue) {
    if (propertyId !== undefined) names.ids.add(propertyId);
    for (const tag of tags) {
      names.tags.add(tag);
      if (propertyId !== undefined) names.selectedTags.add(tag);
    }
  }
  return names;
}

/** Domains match by the rule of `identifierCovers`, all else exactly. */
function propertiesMeant(question: Question, { properties }: PublisherFacts): readonly ListedProperty[] {
  const { property: asked } = question;
  if (asked === undefined) return [];
  if ('id' in asked) return properties.filter(({ propertyId }) => propertyId === asked.id);
  return properties.filter(({ identifiers }) =>
    identifiers.some(
      ({ type, value }) =>
        type === asked.type &&
        (type === 'domain' ? identifierCovers(value, asked.value) : value === asked.value),
    ),
  );
}

/** Whether an entry covers what is asked for, and by which rule; its limits are another matter. */
export function coveredBy(
  question: Question,
  facts: PublisherFacts,
  matches: Matches,
  { entry, covers, held }: AuthorisingEntry,
): Said {
  if (covers === undefined) return no('unread', 'the entry was not evaluated: it is too long');
  if (held)
    return no(
      'held',
      'the file contains the entry, but the registry does not use it yet, or did not at that time',
    );
  const { all, ids, tags, inline, signals } = covers;
  if (signals !== undefined && !all && !ids && !tags && !inline)
    return no('signals_only', `the entry covers ${NO_INVENTORY}`);
  const whole = wholeInventory(question, facts, covers);
  if (whole !== undefined) return whole;
  const rule = ruleFor(matches, entry, covers);
  if (rule !== undefined) return { code: 'authorized', rule };
  if (matches.properties.length === 0) return no('no_such_property', `the file lists no ${textOf(question)}`);
  if (covers.selected && matches.properties.every(({ propertyId }) => propertyId === undefined))
    return no(
      'other_property',
      'a publisher selector matches properties with a property_id, and this property has none',
    );
  return no('other_property', `the entry covers other properties than ${textOf(question)}`);
}

/** What is said without a look at single properties; undefined: they decide. */
function wholeInventory({ property }: Question, facts: PublisherFacts, { all }: Coverage): Said | undefined {
  if (property === undefined) {
    if (all === 'inventory' || (all === 'listed' && facts.hasCatalogue))
      return { code: 'authorized', rule: `the entry covers ${WHOLE} of the publisher` };
    return no('part_only', 'the entry covers a part of the inventory; specify a property');
  }
  if (all !== 'inventory' || facts.hasCatalogue || !('type' in property)) return undefined;
  if (property.type !== 'domain' || !identifierCovers(facts.publisher, property.value)) return undefined;
  const rule = `the entry covers ${WHOLE}; the file lists no properties, so this is the publisher's own site`;
  return { code: 'authorized', rule };
}

/** By which rule an entry covers one of these; undefined: by none. `entry` is its pointer. */
export function ruleFor(matches: Matches, entry: string, covers: Coverage): string | undefined {
  const { properties, catalogue } = matches;
  if (covers.inline && properties.some((property) => property.entry === entry))
    return 'the entry lists the property itself';
  if (catalogue.length === 0) return undefined;
  if (covers.all === 'inventory') return `the entry covers ${WHOLE}`;
  const { ids, tags, selectedTags } = matches.names();
  if (covers.all === 'listed' && ids.size > 0) return `a publisher selector covers ${LISTED}`;
  const id = firstAmong(covers.ids, ids);
  if (id !== undefined) return `the entry lists property_id ${id}`;
  const tag = firstAmong(covers.tags, covers.selected ? selectedTags : tags);
  return tag === undefined ? undefined : `the entry lists the tag ${tag} of the property`;
}

/**
 * What an entry covers, in the words of the rules above; empty: nothing. `shown` says in words which of the properties
 * that are known it covers. Those of a selector may be in a file that is not known.
 */
export function coverageInWords({ all, signals, selected }: Coverage, shown: string): string {
  if (all === 'inventory') return shown === '' ? WHOLE : `${WHOLE}, for example ${shown}`;
  if (all === 'listed') return shown === '' ? LISTED : `${LISTED}: ${shown}`;
  if (shown !== '') return shown;
  if (signals !== undefined) return `${NO_INVENTORY}: ${listed(signals.trim().split('\n'))}`;
  return selected ? 'listed properties that match the ids or tags of the selector' : '';
}

/** Values of each list that are shown of an entry, and properties of a file that are looked through for them. */
const MAX_COVERED = 100;
const MAX_LOOKED_THROUGH = 1_000;

/** What an entry covers, as far as the properties of `facts` are known; where none of them is covered, the ids that it names. Pure. */
export function coverageOf(
  { properties }: Pick<PublisherFacts, 'properties'>,
  { entry, covers, limits = {} }: AuthorisingEntry,
): CoveredByEntry | undefined {
  if (covers === undefined) return undefined;
  const { all, inline } = covers;
  const [ids, tags] = [namesIn(covers.ids), namesIn(covers.tags)];
  const [wantedIds, wantedTags] = [new Set(ids), new Set(tags)];
  const isCovered = (property: ListedProperty): boolean =>
    property.entry === undefined
      ? all !== undefined ||
        wantedIds.has(property.propertyId ?? '') ||
        property.tags.some((tag) => wantedTags.has(tag))
      : inline === true && property.entry === entry;
  const found = properties
    .slice(0, MAX_LOOKED_THROUGH)
    .flatMap((property) => (isCovered(property) ? (property.propertyId ?? []) : []));
  const { countries, collections, placementIds, placementTags } = limits;
  const propertyIds = [...new Set(found.length > 0 ? found : ids)];
  const first = <T>(list: readonly T[] | undefined) =>
    list === undefined || list.length === 0 ? undefined : list.slice(0, MAX_COVERED);
  return defined({
    all,
    propertyIds: first(propertyIds),
    propertyTags: first(tags),
    countries: first(countries),
    collections: first(collections),
    placementIds: first(placementIds),
    placementTags: first(placementTags),
  });
}

function namesIn(names: Names | undefined): readonly string[] {
  return names === undefined
    ? []
    : names
        .slice(1)
        .split('\n', MAX_LOOKED_THROUGH)
        .filter((name) => name !== '');
}

const no = (code: Said['code'], rule: string): Said => ({ code, rule });

/** What is asked for, as people write it. */
export function textOf({ property }: Question): string {
  if (property === undefined) return 'inventory';
  return 'id' in property ? `property ${property.id}` : `${property.type}:${property.value}`;
}

/** Which limit of an entry the question does not meet; undefined when it meets all, or leaves them open. */
export function outOfLimits(question: Question, limits: AuthorisationLimits): Said | undefined {
  const { countries, collections, placementIds, placementTags, taggedPlacements: tagged } = limits;
  const { country, collection, placement } = question;
  const isAmong = collections?.some(({ collectionIds: ids }) => ids?.includes(collection ?? '') ?? true);
  if (collection !== undefined && isAmong === false) {
    const ids = collections?.flatMap(({ collectionIds = [] }) => collectionIds) ?? [];
    return { code: 'collection', rule: `collection ${collection} is not among ${listed(ids)}` };
  }
  if (placement !== undefined && placementIds !== undefined && !placementIds.includes(placement))
    return { code: 'placement', rule: `placement ${placement} is not among ${listed(placementIds)}` };
  if (placement !== undefined && placementTags !== undefined && !tagged?.includes(placement)) {
    const rule = `the entry is limited to placements with the tags ${listed(placementTags)}, and ${placement} has none of them`;
    return { code: 'placement', rule };
  }
  if (country !== undefined && countries !== undefined && !countries.includes(country))
    return { code: 'country', rule: `country ${country} is not among ${listed(countries)}` };
  return undefined;
}

function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, 10).join(', ');
  return texts.length > 10 ? `${shown} and ${texts.length - 10} more` : shown;
}

/** A site is spoken for by its own domain and by those above it; anything else by whoever lists it. */
export function speaksFor(publisher: string, { property }: Question): boolean {
  if (property === undefined || !('type' in property) || !SITE_TYPES.has(property.type)) return true;
  const site = property.value.replace(/^\*\./, '');
  return hasHost(publisher, site) || identifierCovers(site, publisher);
}

/** Whether it is about a site, or about a publisher that is named anyway. */
export function isSite({ property }: Question): boolean {
  return property === undefined || !('type' in property) || SITE_TYPES.has(property.type);
}
