import { defined } from '../base/json.ts';
import {
  type AuthorisationEntry,
  PROPERTY_TYPES,
  type Property,
  type PropertyIdentifier,
  SITE_TYPES,
} from '../domain/declaration.ts';
import { parseDomain } from '../domain/domain-name.ts';
import {
  at,
  has,
  hasNoStray,
  isSaid,
  readDomain,
  readLabels,
  readName,
  readNames,
  readObjects,
  readString,
  sizeOf,
} from './fields.ts';
import { LIMITS, type Meant, meantMembers } from './member-names.ts';
import type { FilePart } from './read-document.ts';

/** What an identifier may be, besides a site. */
export const IDENTIFIER_TYPES = new Set([
  ...['android_package', 'apple_app_store_id', 'apple_podcast_id', 'apple_tv_bundle', 'bundle_id'],
  ...['facility_id', 'fire_tv_asin', 'google_play_id', 'ios_bundle', 'network_id', 'openooh_venue_type'],
  ...['podcast_guid', 'roku_store_id', 'rss_url', 'samsung_app_id', 'screen_id'],
  ...['spotify_collection_id', 'station_id', 'venue_id'],
]);
export const PROPERTY_MEMBERS = new Set([
  'property_id',
  'property_type',
  'name',
  'identifiers',
  'tags',
  'publisher_domain',
  'supported_channels',
]);
const MEANT = ['publisher_domain', 'property_id', 'identifiers'];
/** What a catalogue says of a property besides is nobody's limit. */
const MEANT_LISTED = meantMembers(MEANT, [], 'none');
const LISTED: ReadonlySet<string> = new Set(['properties']);
const MEANT_CATALOGUE = meantMembers([...LISTED], [], 'none');
/** Inside an entry, a limit of a property may be meant as one of the entry. */
const MEANT_INLINE = meantMembers(MEANT, LIMITS, 'exclusions');

/**
 * The properties of an array, the bad ones left out. Those of one publisher with the same id count once. Without
 * `publisher_domain` the sites tell publishers apart, since several may refer to one file.
 */
export function readProperties(place: FilePart, key: string): readonly Property[] {
  const meant = place.pointer === '' ? MEANT_LISTED : MEANT_INLINE;
  const known = new Map<string, Set<string>>();
  const properties: Property[] = [];
  for (const item of readObjects(place, key)) {
    const property = place.file.take('properties', at(place, key)) ? readProperty(item, meant) : undefined;
    if (property !== undefined && isFirst(property, item, known)) properties.push(property);
  }
  return properties;
}

/** `known` has the publishers, or sites, under each id. */
function isFirst(property: Property, item: FilePart, known: Map<string, Set<string>>): boolean {
  const { propertyId, publisherDomain, identifiers } = property;
  if (propertyId === undefined) return true;
  const sites = () => identifiers.map(({ type, value }) => `${type}=${value}`).join(' ');
  const whose = publisherDomain ?? sites();
  const others = known.get(propertyId);
  if (others === undefined) {
    known.set(propertyId, new Set([whose]));
    return true;
  }
  if (others.has(whose)) {
    item.file.report.add('duplicate_property_id', at(item, 'property_id'), propertyId);
    return false;
  }
  if (publisherDomain === undefined) item.file.report.add('property_of_nobody', item.pointer, propertyId);
  others.add(whose);
  return true;
}

/**
 * Undefined, with findings, when it is not clear what or whose the property is: one of nobody knows whom may not count for
 * the file's own publisher, and one whose id is broken may not count beside another with that id.
 */
function readProperty(place: FilePart, meant: Meant): Property | undefined {
  const { report } = place.file;
  const propertyType = readString(place, 'property_type', 100);
  const publisherDomain = readDomain(place, 'publisher_domain');
  const propertyId = readName(place, 'property_id');
  const { identifiers, isWhole } = readIdentifiers(place);
  const isClear = hasNoStray(place, PROPERTY_MEMBERS, meant);
  if (propertyType === undefined) report.add('property_type_missing', place.pointer);
  if (identifiers.length === 0) report.add('identifiers_missing', place.pointer);
  if (isSaid(place, 'publisher_domain') && !has(place, 'publisher_domain'))
    report.add('wrong_type', at(place, 'publisher_domain'), null);
  if (isSaid(place, 'publisher_domain') && publisherDomain === undefined) return undefined;
  if (isSaid(place, 'property_id') && propertyId === undefined) return undefined;
  if (propertyType === undefined || identifiers.length === 0 || !isClear) return undefined;
  if (!(PROPERTY_TYPES as readonly string[]).includes(propertyType)) {
    report.add('property_type_unknown', at(place, 'property_type'), propertyType);
  }
  const name = readString(place, 'name', 500);
  if (name === undefined) report.add('property_name_missing', place.pointer);
  return defined({
    propertyId,
    propertyType,
    name,
    identifiers,
    hasUnread: isWhole ? undefined : (true as const),
    tags: has(place, 'tags') ? readTags(place) : [],
    publisherDomain,
  });
}

/** As many as the file may have; no property has a bound of its own. */
function readTags(place: FilePart): readonly string[] {
  const tags = readLabels(place, 'tags', readNames(place, 'tags'));
  return tags.filter(() => place.file.take('tags', at(place, 'tags')));
}

interface Identifiers {
  readonly identifiers: readonly PropertyIdentifier[];
  /** Each of them is of a type that is known, and none was left out. */
  readonly isWhole: boolean;
}

function readIdentifiers(place: FilePart): Identifiers {
  const identifiers: PropertyIdentifier[] = [];
  let known = 0;
  for (const item of readObjects(place, 'identifiers')) {
    const type = readName(item, 'type');
    const isSite = type !== undefined && SITE_TYPES.has(type);
    const value = isSite ? readString(item, 'value') : readName(item, 'value');
    if (type === undefined || value === undefined) {
      place.file.report.add('identifier_unreadable', item.pointer);
      continue;
    }
    identifiers.push({ type, value: isSite ? siteIdentifier(item, value) : value });
    if (isSite || IDENTIFIER_TYPES.has(type)) known += 1;
    else place.file.report.add('identifier_type_unknown', at(item, 'type'), type);
  }
  return { identifiers, isWhole: known === sizeOf(place, 'identifiers') };
}

/** In normal form, a leading `*.` kept; a value that is no domain stays as it is, and matches nothing. */
function siteIdentifier(place: FilePart, value: string): string {
  const star = value.startsWith('*.') ? '*.' : '';
  const parsed = parseDomain(value.slice(star.length));
  if (parsed.ok) return star + parsed.domain;
  place.file.report.add('identifier_domain_invalid', at(place, 'value'), value);
  return value;
}

/** A catalogue of which nothing can be read, or whose name is misspelt, is not the same as none: it narrows what "everything" is. */
export function isCatalogueUnread(
  document: FilePart,
  entries: readonly AuthorisationEntry[],
  read: readonly Property[],
): boolean {
  const { properties: list } = document.value;
  if (read.length > 0) return false;
  if (list !== undefined && !(Array.isArray(list) && list.length === 0)) return true;
  return entries.some(({ scope }) => scope.type === 'all') && !hasNoStray(document, LISTED, MEANT_CATALOGUE);
}

/** True when some element of `properties[]` lists agents of its own: the oldest form of the file. */
export function hasLegacyProperties(file: FilePart): boolean {
  const { properties } = file.value;
  return Array.isArray(properties) && properties.some((item: unknown) => Array.isArray(agentsOf(item)));
}

function agentsOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null
    ? (item as { readonly agents?: unknown }).agents
    : undefined;
}
