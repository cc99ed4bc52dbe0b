import { isObject } from '../base/json.ts';
import type { Jwk } from './public-key.ts';

/** What is found under a `keyid`. */
export type FoundKey =
  | {
      readonly found: true;
      readonly jwk: Jwk;
      readonly pinned: boolean /** The set that it is in. */;
      readonly published: JwkSet;
    }
  | {
      readonly found: false;
      readonly fault: 'signature_key_unknown' | 'signature_jwks_unavailable';
      readonly detail: string;
    };

/** Where the keys of one signer are. */
export interface KeySource {
  /** Never rejects for what the signer's side does wrong. */
  find(keyid: string): Promise<FoundKey>;
}

/** A JWK set that was read (RFC 7517, section 5). Members that are no objects are left out. */
export type JwkSet = readonly Jwk[];

/** Reads a JWK set, a list of keys or a single key; undefined for anything else. */
export function readJwkSet(text: string): JwkSet | undefined {
  const value = parsed(text);
  if (Array.isArray(value)) return value.filter(isObject);
  if (!isObject(value)) return undefined;
  if (Array.isArray(value.keys)) return value.keys.filter(isObject);
  return typeof value.kty === 'string' ? [value] : undefined;
}

/** The one key of a set with this `kid`. Two of them would leave it to chance which one counts. */
export function findKey(set: JwkSet, keyid: string, pinned = false): FoundKey {
  const [jwk, ...others] = set.filter((candidate) => candidate.kid === keyid);
  if (jwk === undefined) return unknownKey(`no key has the kid ${shown(keyid)}`);
  return others.length > 0
    ? unknownKey(`${others.length + 1} keys have the kid ${shown(keyid)}`)
    : { found: true, jwk, pinned, published: set };
}

/** Keys that are at hand, from a file for example; where there is no set, `absence` says why. */
export function fixedKeys(set: JwkSet | undefined, absence = 'no JWK set'): KeySource {
  return {
    async find(keyid) {
      return set === undefined ? keysUnavailable(absence) : findKey(set, keyid);
    },
  };
}

export function unknownKey(detail: string): FoundKey {
  return { found: false, fault: 'signature_key_unknown', detail };
}

export function keysUnavailable(detail: string): FoundKey {
  return { found: false, fault: 'signature_jwks_unavailable', detail };
}

function shown(keyid: string): string {
  return JSON.stringify(keyid.slice(0, 100));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
