import type { JsonObject } from '../base/json.ts';
import type { PinnedKey } from '../domain/declaration.ts';
import { at, readObjects } from './fields.ts';
import type { FilePart } from './read-document.ts';

/** Private and symmetric members of a JWK (RFC 7518, section 6). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const MAX_KEYS = 50;

/**
 * The public keys that an entry pins for its agent (JWK, RFC 7517), their private members taken away. Undefined, with a
 * finding, when none can be read: the entry would otherwise trust whatever key the agent shows.
 */
export function readPins(entry: FilePart): readonly PinnedKey[] | undefined {
  const keys: PinnedKey[] = [];
  for (const item of readObjects(entry, 'signing_keys')) {
    if (keys.length >= MAX_KEYS) break;
    if (!isUsable(item.value)) entry.file.report.add('key_invalid', item.pointer);
    else keys.push(publicMembers(item, item.value));
  }
  if (keys.length > 0) return keys;
  entry.file.report.add('limit_unreadable', entry.pointer, 'signing_keys');
  return undefined;
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
