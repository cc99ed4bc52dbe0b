import { hash, timingSafeEqual } from 'node:crypto';
import { splitDictionary } from './dictionary.ts';
import { readBytes, writeBytes } from './encoding.ts';
import type { SigningProfile } from './profile.ts';

/** The digests that are fit for this use (RFC 9530, section 5), by their names there. */
const DIGESTS: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-512': 'sha512' };
const MAX_FIELD = 2_048;

/** The value of `Content-Digest` for a body. */
export function contentDigest(body: Uint8Array, profile: SigningProfile): string {
  return `sha-256=${writeBytes(hash('sha256', body, 'buffer'), profile)}`;
}

/**
 * What is wrong with the form of a `Content-Digest`: it is a dictionary of byte sequences, with each algorithm once
 * and one alphabet in each value. Whether the alphabet is the profile's own is judged with the digest.
 */
export function digestFormFault(lines: readonly string[]): string | undefined {
  const [field = '', ...more] = lines;
  if (more.length > 0) return 'Content-Digest stands there twice';
  const members = field.length > MAX_FIELD ? undefined : splitDictionary(field);
  if (members === undefined) return 'Content-Digest is no dictionary with each algorithm once';
  for (const [algorithm, value] of members) {
    if (!/^:[A-Za-z0-9+/_=-]*:$/.test(value)) return `the digest ${algorithm} is no byte sequence`;
    if (/[+/=]/.test(value) && /[-_]/.test(value)) return `the digest ${algorithm} mixes two alphabets`;
  }
  return undefined;
}

/** Why a `Content-Digest` is not that of the body: every algorithm that is known here has to agree, and one has to be known. */
export function digestFault(field: string, body: Uint8Array, profile: SigningProfile): string | undefined {
  const known = [...(splitDictionary(field) ?? [])].filter(([name]) => Object.hasOwn(DIGESTS, name));
  if (known.length === 0) return 'Content-Digest has neither sha-256 nor sha-512';
  for (const [algorithm, value] of known) {
    const declared = readBytes(value.slice(1, -1), profile);
    if (declared === undefined)
      return `the digest ${algorithm} is not written as profile ${profile} writes bytes`;
    if (!isEqual(declared, hash(DIGESTS[algorithm] ?? '', body, 'buffer')))
      return `the digest ${algorithm} is not that of the body`;
  }
  return undefined;
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
