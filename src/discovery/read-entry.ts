import { isObject, type JsonObject, pointerTo } from '../base/json.ts';
import { defined } from '../base/present.ts';
import type {
  AuthorisationEntry,
  AuthorisationLimits,
  CollectionSelector,
  PinnedKey,
} from '../domain/declaration.ts';
import { cleanText } from '../domain/text.ts';
import {
  at,
  has,
  readBoolean,
  readDeclaredAgent,
  readDomain,
  readLabels,
  readObjects,
  readString,
  readStrings,
  readTime,
} from './fields.ts';
import { publishersOf } from './own-properties.ts';
import type { FilePart } from './read-document.ts';
import { readScope } from './read-scope.ts';

const DELEGATION_TYPES = ['direct', 'delegated', 'ad_network'] as const;
/** Private and symmetric members of a JWK (RFC 7518, section 6). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const MAX_KEYS = 50;
const MAX_AUTHORIZED_FOR = 500;

/** One element of `authorized_agents[]`; undefined, with findings, when it cannot be counted. */
export function readEntry(entry: FilePart): AuthorisationEntry | undefined {
  const address = readDeclaredAgent(entry, 'url');
  if (address === undefined) return undefined;
  const authorizedFor = readAuthorizedFor(entry);
  const scope = readScope(entry);
  const limits = readLimits(entry);
  if (scope === undefined || limits === undefined) return undefined;
  if (!entry.file.takeEntry(publishersOf(scope), entry.pointer)) return undefined;
  const signingKeys = readSigningKeys(entry);
  return { pointer: entry.pointer, ...address, ...defined({ authorizedFor }), scope, limits, signingKeys };
}

/** One element of the simple variant's `agents[]` (specification, 4.3): protocol and capabilities are claims. */
export function readSimpleEntry(entry: FilePart): AuthorisationEntry | undefined {
  const address = readDeclaredAgent(entry, 'url');
  if (address === undefined || !entry.file.takeEntry([], entry.pointer)) return undefined;
  const claimedProtocol = readString(entry, 'protocol', 100);
  const capabilities = readLabels(entry, 'capabilities');
  const claimedCapabilities = capabilities.length > 0 ? capabilities : undefined;
  const claims = defined({ claimedProtocol, claimedCapabilities });
  return {
    pointer: entry.pointer,
    ...address,
    scope: { type: 'all' },
    limits: {},
    signingKeys: [],
    ...claims,
  };
}

/** Wanted by the format, but only a text for people: the entry stands without it. */
function readAuthorizedFor(entry: FilePart): string | undefined {
  const value = entry.value.authorized_for;
  const { report } = entry.file;
  if (!has(entry, 'authorized_for')) report.add('authorized_for_missing', entry.pointer);
  else if (typeof value === 'string' && (value === '' || value.length > MAX_AUTHORIZED_FOR)) {
    report.add('authorized_for_length', at(entry, 'authorized_for'), `${value.length} characters`);
    return cleanText(value).slice(0, MAX_AUTHORIZED_FOR).toWellFormed() || undefined;
  }
  return readString(entry, 'authorized_for', MAX_AUTHORIZED_FOR);
}

/**
 * What narrows an entry. Undefined, with a finding, when a limit is there but cannot be read: an entry may not
 * authorise more because its limit is broken.
 */
function readLimits(entry: FilePart): AuthorisationLimits | undefined {
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

/**
 * Ids as texts, or selectors `{publisher_domain?, collection_ids}`. One that cannot be read selects nothing, and a list
 * without any is a limit that nothing meets.
 */
function readCollections(entry: FilePart): readonly CollectionSelector[] | undefined {
  const value = entry.value.collections;
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) =>
      isObject(item)
        ? readSelector({ ...entry, value: item, pointer: pointerTo(at(entry, 'collections'), index) })
        : selectorOf([item]),
    );
  return readStrings(entry, 'collections').length === 0 && !has(entry, 'collections') ? undefined : [];
}

function readSelector(selector: FilePart): readonly CollectionSelector[] {
  const ids: unknown = selector.value.collection_ids;
  const publisherDomain = readDomain(selector, 'publisher_domain');
  if (has(selector, 'publisher_domain')) {
    if (publisherDomain === undefined || !selector.file.take('domains', selector.pointer)) return [];
  }
  return selectorOf(Array.isArray(ids) ? ids : [], publisherDomain);
}

function selectorOf(ids: readonly unknown[], publisherDomain?: string): readonly CollectionSelector[] {
  const collectionIds = ids.filter((id): id is string => typeof id === 'string' && id !== '');
  return collectionIds.length > 0 ? [{ collectionIds, ...defined({ publisherDomain }) }] : [];
}

function textsIfAny(entry: FilePart, key: string): readonly string[] | undefined {
  const texts = readStrings(entry, key);
  return texts.length > 0 ? texts : undefined;
}

/** The public keys that an entry pins for its agent (JWK, RFC 7517), their private members taken away. */
function readSigningKeys(entry: FilePart): readonly PinnedKey[] {
  const keys: PinnedKey[] = [];
  for (const item of readObjects(entry, 'signing_keys')) {
    if (keys.length >= MAX_KEYS) break;
    if (!isUsable(item.value)) entry.file.report.add('key_invalid', item.pointer);
    else keys.push(publicMembers(item, item.value));
  }
  return keys;
}

function isUsable(jwk: JsonObject): jwk is PinnedKey {
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
  return isText(jwk.kid) && isText(jwk.kty) && jwk.kty !== 'oct';
}

function publicMembers(item: FilePart, jwk: PinnedKey): PinnedKey {
  const leaked = PRIVATE_MEMBERS.find((member) => Object.hasOwn(jwk, member));
  if (leaked === undefined) return jwk;
  item.file.report.add('private_key', at(item, leaked), leaked);
  const members = Object.entries(jwk).filter(([member]) => !PRIVATE_MEMBERS.includes(member));
  return { ...Object.fromEntries(members), kid: jwk.kid, kty: jwk.kty };
}
