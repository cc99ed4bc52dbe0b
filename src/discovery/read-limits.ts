import { isObject } from '../base/json.ts';
import { defined } from '../base/present.ts';
import type { AuthorisationLimits } from '../domain/declaration.ts';
import { at, has, type FilePart, readBoolean, readString, readStrings, readTime } from './fields.ts';

const DELEGATION_TYPES = ['direct', 'delegated', 'ad_network'] as const;

/**
 * What narrows an entry. Undefined, with a finding, when a limit is there but cannot be read: an entry may not
 * authorise more because its limit is broken.
 */
export function readLimits(entry: FilePart): AuthorisationLimits | undefined {
  const effectiveFrom = readTime(entry, 'effective_from');
  const effectiveUntil = readTime(entry, 'effective_until');
  const countries = readCountries(entry);
  const isUnread = (key: string, value: unknown): boolean => has(entry, key) && value === undefined;
  if (
    isUnread('effective_from', effectiveFrom) ||
    isUnread('effective_until', effectiveUntil) ||
    isUnread('countries', countries)
  ) {
    entry.file.report.add('limit_unreadable', entry.pointer);
    return undefined;
  }
  if (effectiveFrom !== undefined && effectiveUntil !== undefined && effectiveUntil <= effectiveFrom) {
    entry.file.report.add('window_empty', entry.pointer);
  }
  return defined({
    delegationType: readDelegation(entry),
    exclusive: readBoolean(entry, 'exclusive'),
    countries,
    collections: readCollections(entry),
    placementIds: textsIfAny(entry, 'placement_ids'),
    placementTags: textsIfAny(entry, 'placement_tags'),
    effectiveFrom,
    effectiveUntil,
  });
}

function readDelegation(entry: FilePart): AuthorisationLimits['delegationType'] {
  const declared = readString(entry, 'delegation_type', 100);
  const known = DELEGATION_TYPES.find((type) => type === declared);
  if (declared !== undefined && known === undefined) {
    entry.file.report.add('delegation_type_unknown', at(entry, 'delegation_type'), declared);
  }
  return known;
}

/** Undefined when there is no usable country. */
function readCountries(entry: FilePart): readonly string[] | undefined {
  const codes = readStrings(entry, 'countries');
  const good = codes.filter((code) => /^[A-Z]{2}$/.test(code));
  const bad = codes.find((code) => !/^[A-Z]{2}$/.test(code));
  if (bad !== undefined) entry.file.report.add('country_invalid', at(entry, 'countries'), bad);
  return good.length > 0 ? good : undefined;
}

/** Ids as texts, or inside selector objects `{collection_ids: […]}`. */
function readCollections(entry: FilePart): readonly string[] | undefined {
  const value = entry.value.collections;
  if (!Array.isArray(value)) return textsIfAny(entry, 'collections');
  const ids = value.flatMap((item: unknown) => (isObject(item) ? item.collection_ids : item));
  const texts = ids.filter((id): id is string => typeof id === 'string' && id !== '');
  return texts.length > 0 ? texts : undefined;
}

function textsIfAny(entry: FilePart, key: string): readonly string[] | undefined {
  const texts = readStrings(entry, key);
  return texts.length > 0 ? texts : undefined;
}
