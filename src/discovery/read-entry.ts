import type { JsonObject } from '../base/json.ts';
import { defined } from '../base/json.ts';
import type { AuthorisationEntry, PinnedKey } from '../domain/declaration.ts';
import { cleanText } from '../domain/text.ts';
import {
  at,
  has,
  hasNoStray,
  isSaid,
  readDeclaredAgent,
  readLabels,
  readObjects,
  readString,
  readStrings,
} from './fields.ts';
import { LIMITS, MEANT_MEMBERS, NARROWING } from './member-names.ts';
import { publishersOf } from './own-properties.ts';
import type { FilePart, FileState } from './read-document.ts';
import { readLimits } from './read-limits.ts';
import { readScope } from './read-scope.ts';

export const ENTRY_MEMBERS = new Set([
  ...NARROWING,
  'authorized_for',
  'encryption_keys',
  'last_updated',
  'name',
  'url',
]);
export const SIMPLE_MEMBERS = new Set(['url', 'protocol', 'capabilities']);
/** What agents speak (specification, 4.3); either spelling of the letters is understood. */
export const PROTOCOLS: readonly string[] = ['mcp', 'a2a'];
const MAX_AUTHORIZED_FOR = 500;
const MAX_CAPABILITIES = 50;

/** One element of `authorized_agents[]`; undefined, with findings, when it cannot be counted. */
export function readEntry(entry: FilePart): AuthorisationEntry | undefined {
  const address = readDeclaredAgent(entry, 'url');
  const isClear = hasNoStray(entry, ENTRY_MEMBERS, MEANT_MEMBERS);
  if (address === undefined) return undefined;
  const authorizedFor = readAuthorizedFor(entry);
  const scope = readScope(entry);
  const limits = LIMITS.some((limit) => isSaid(entry, limit)) ? readLimits(entry) : {};
  const signingKeys = isSaid(entry, 'signing_keys') ? readPins(entry) : [];
  if (!isClear || scope === undefined || limits === undefined || signingKeys === undefined) return undefined;
  if (!entry.file.takeEntry(publishersOf(scope), entry.pointer)) return undefined;
  return { pointer: entry.pointer, ...address, ...defined({ authorizedFor }), scope, limits, signingKeys };
}

/**
 * One element of the simple variant's `agents[]` (specification, 4.3): all of the inventory, so nothing in it may be meant
 * to narrow. Protocol and capabilities are claims.
 */
export function readSimpleEntry(entry: FilePart): AuthorisationEntry | undefined {
  const address = readDeclaredAgent(entry, 'url');
  const isClear = hasNoStray(entry, SIMPLE_MEMBERS, MEANT_MEMBERS);
  if (address === undefined || !isClear || !entry.file.takeEntry([], entry.pointer)) return undefined;
  const claimedProtocol = readString(entry, 'protocol', 100);
  if (claimedProtocol !== undefined && !PROTOCOLS.includes(claimedProtocol.toLowerCase()))
    entry.file.report.add('protocol_unknown', at(entry, 'protocol'), claimedProtocol);
  const claimedCapabilities = readCapabilities(entry);
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

/** Names of tasks; undefined when there are none. */
function readCapabilities(entry: FilePart): readonly string[] | undefined {
  const names = readLabels(entry, 'capabilities', readStrings(entry, 'capabilities'));
  const left = names.length - MAX_CAPABILITIES;
  if (left > 0) entry.file.report.add('too_many_labels', at(entry, 'capabilities'), `${left} left out`);
  return names.length > 0 ? names.slice(0, MAX_CAPABILITIES) : undefined;
}

/** An entry for everything counts only where the file says nothing else of its agent, which was meant to narrow. */
export function withoutShadowed(
  entries: readonly AuthorisationEntry[],
  { report, timesNamed }: FileState,
): readonly AuthorisationEntry[] {
  const isBare = ({ scope }: AuthorisationEntry): boolean => scope.type === 'all';
  if (!entries.some(isBare)) return entries;
  const bare = Map.groupBy(entries.filter(isBare), ({ agent }) => agent);
  return entries.filter((entry) => {
    const isAlone = !isBare(entry) || timesNamed(entry.agent) === bare.get(entry.agent)?.length;
    if (!isAlone) report.add('legacy_entry_beside', entry.pointer);
    return isAlone;
  });
}

/** Wanted by the format, but only a text for people: an entry that says its type stands without it. */
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

/** Private and symmetric members of a JWK (RFC 7518, section 6). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const MAX_KEYS = 50;

/**
 * The public keys that an entry pins for its agent (JWK, RFC 7517), their private members taken away. Undefined, with a
 * finding, when none can be read: the entry would otherwise trust whatever key the agent shows.
 */
function readPins(entry: FilePart): readonly PinnedKey[] | undefined {
  const keys: PinnedKey[] = [];
  for (const item of readObjects(entry, 'signing_keys')) {
    if (keys.length >= MAX_KEYS) {
      entry.file.report.add('too_many_signing_keys', at(entry, 'signing_keys'), `${MAX_KEYS} read`);
      break;
    }
    const shared = publicMembers(item);
    if (isUsable(shared)) keys.push(shared);
    else entry.file.report.add('key_invalid', item.pointer);
  }
  if (keys.length > 0) return keys;
  entry.file.report.add('limit_unreadable', entry.pointer, 'signing_keys');
  return undefined;
}

function isUsable(jwk: JsonObject): jwk is PinnedKey {
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
  return isText(jwk.kid) && isText(jwk.kty) && jwk.kty !== 'oct';
}

function publicMembers(item: FilePart): JsonObject {
  const jwk = item.value;
  const leaked = PRIVATE_MEMBERS.find((member) => Object.hasOwn(jwk, member));
  if (leaked === undefined) return jwk;
  item.file.report.add('private_key', at(item, leaked), leaked);
  const members = Object.entries(jwk).filter(([member]) => !PRIVATE_MEMBERS.includes(member));
  return Object.fromEntries(members);
}
