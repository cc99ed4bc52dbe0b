import { defined, isObject } from '../base/json.ts';
import type { AuthorisationEntry, AuthorisationLimits, CollectionSelector } from '../domain/declaration.ts';
import { at, hasNoStray, isSaid, readBoolean, readDomain, readNames, readObjects } from './fields.ts';
import { type LIMITS, meantMembers, NARROWING } from './member-names.ts';
import { readCountries } from './read-countries.ts';
import type { FilePart } from './read-document.ts';
import { readTime } from './read-time.ts';

type Limit = (typeof LIMITS)[number];

const DELEGATION_TYPES = ['direct', 'delegated', 'ad_network'] as const;
const COLLECTION_MEMBERS = new Set(['publisher_domain', 'collection_ids']);
const MEANT_COLLECTION_MEMBERS = meantMembers([...COLLECTION_MEMBERS], NARROWING);

/**
 * What narrows an entry. Undefined, with a finding, when a limit stands there and nothing of it can be read, be it null or
 * an empty list: an entry may not authorise more because its limit is broken. Of a list, the elements that can be read
 * count, since the others would only add to them.
 */
export function readLimits(entry: FilePart): AuthorisationLimits | undefined {
  const { report } = entry.file;
  const unread: Limit[] = [];
  const read = <T>(key: Limit, readOne: (entry: FilePart, key: Limit) => T | undefined): T | undefined => {
    if (!isSaid(entry, key)) return undefined;
    const value = entry.value[key] === null ? wrongType(entry, key) : readOne(entry, key);
    if (value === undefined) unread.push(key);
    return value;
  };
  const effectiveFrom = read('effective_from', readTime);
  const effectiveUntil = read('effective_until', readTime);
  const limits = {
    delegationType: read('delegation_type', readDelegation),
    exclusive: read('exclusive', readBoolean),
    countries: read('countries', readSomeCountries),
    collections: read('collections', readCollections),
    placementIds: read('placement_ids', readSomeNames),
    placementTags: read('placement_tags', readSomeNames),
    ...{ effectiveFrom, effectiveUntil },
  };
  if (unread.length > 0) report.add('limit_unreadable', entry.pointer, unread.join(', '));
  const isEmpty =
    effectiveFrom !== undefined && effectiveUntil !== undefined && effectiveUntil <= effectiveFrom;
  if (isEmpty) report.add('window_empty', at(entry, 'effective_until'));
  return unread.length > 0 || isEmpty ? undefined : defined(limits);
}

function readDelegation(entry: FilePart, key: Limit): AuthorisationLimits['delegationType'] {
  const declared = entry.value[key];
  const known = DELEGATION_TYPES.find((type) => type === declared);
  if (known === undefined) entry.file.report.add('delegation_type_unknown', at(entry, key), declared);
  return known;
}

/** The steps in which the placements of a file are looked up by their tags. */
const MAX_LOOKED_UP = 20_000;

/**
 * Says of each entry that is limited to placements by their tags which placements of its file these are. An id that stands
 * twice is nobody's.
 */
export function withPlacements(
  entries: readonly AuthorisationEntry[],
  document: FilePart,
): readonly AuthorisationEntry[] {
  const byTag = placementsByTag(document);
  let left = MAX_LOOKED_UP;
  return entries.map((entry) => {
    const { placementTags } = entry.limits;
    if (placementTags === undefined) return entry;
    const found = new Set<string>();
    for (const tag of placementTags)
      for (const id of byTag.get(tag) ?? []) {
        left -= 1;
        if (left < 0) break;
        found.add(id);
      }
    if (left >= 0) return { ...entry, limits: { ...entry.limits, taggedPlacements: [...found] } };
    document.file.report.add('too_many_placements', `${entry.pointer}/placement_tags`);
    return entry;
  });
}

function placementsByTag(document: FilePart): ReadonlyMap<unknown, readonly string[]> {
  const { placements } = document.value;
  const known = new Map<string, readonly unknown[] | undefined>();
  for (const placement of Array.isArray(placements) ? (placements as readonly unknown[]) : []) {
    if (!isObject(placement) || typeof placement.placement_id !== 'string' || placement.placement_id === '')
      continue;
    const { placement_id: id, tags } = placement;
    known.set(id, Array.isArray(tags) && !known.has(id) ? tags : undefined);
  }
  const byTag = new Map<unknown, string[]>();
  for (const [id, tags] of known)
    for (const tag of new Set(tags)) {
      const ids = byTag.get(tag);
      if (ids === undefined) byTag.set(tag, [id]);
      else ids.push(id);
    }
  return byTag;
}

/** Undefined when the list holds no usable id or tag. One that is repeated counts once. */
function readSomeNames(place: FilePart, key: string): readonly string[] | undefined {
  return someOf([...new Set(readNames(place, key))], place, key);
}

function readSomeCountries(entry: FilePart, key: Limit): readonly string[] | undefined {
  return someOf(readCountries(entry, key), entry, key);
}

/** Collections of a publisher: those that are named, or all. */
function readCollections(entry: FilePart, key: Limit): readonly CollectionSelector[] | undefined {
  const selectors = [...readObjects(entry, key)].flatMap((item) => readCollection(item) ?? []);
  return someOf(selectors, entry, key);
}

function readCollection(item: FilePart): CollectionSelector | undefined {
  const isClear = hasNoStray(item, COLLECTION_MEMBERS, MEANT_COLLECTION_MEMBERS);
  const publisherDomain = readDomain(item, 'publisher_domain');
  if (publisherDomain === undefined && typeof item.value.publisher_domain !== 'string')
    item.file.report.add('domain_invalid', item.pointer, 'publisher_domain is missing');
  if (publisherDomain === undefined || !isClear) return undefined;
  if (!isSaid(item, 'collection_ids')) return { publisherDomain };
  const collectionIds = readSomeNames(item, 'collection_ids');
  return collectionIds && { publisherDomain, collectionIds };
}

/** Undefined for an empty list; one that is empty in the file is a finding of its own. */
function someOf<T>(list: readonly T[], place?: FilePart, key = ''): readonly T[] | undefined {
  const declared = place?.value[key];
  if (Array.isArray(declared) && declared.length === 0) place?.file.report.add('list_empty', at(place, key));
  return list.length > 0 ? list : undefined;
}

function wrongType(place: FilePart, key: string): undefined {
  place.file.report.add('wrong_type', at(place, key), place.value[key]);
  return undefined;
}
