import { hash, timingSafeEqual } from 'node:crypto';
import { type HttpRequest, headerLines, isFieldValue, TOKEN } from './message.ts';
import type { Alphabet } from './profile.ts';
import { decodeBytes, encodeBytes, splitDictionary, splitOutside } from './structured-fields.ts';
import { readAuthority, readTarget, type Target } from './target.ts';

/** The digests that are fit for this use (RFC 9530, section 5), by their names there. */
const DIGESTS: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-512': 'sha512' };
const MAX_FIELD = 2_048;

/**
 * What is wrong with the form of the message that a signature covers: a method, target or host that two readers could
 * take for different ones, a `content-type` or `content-digest` with several values, a covered header that is not
 * ASCII text. Undefined when all is well.
 */
export function messageFault(message: HttpRequest, components: readonly string[]): string | undefined {
  if (!TOKEN.test(message.method)) return 'the method is not a valid token';
  const target = targetFault(message);
  if (target !== undefined) return target;
  const read = readTarget(message.url);
  return (read.ok ? hostFault(message, read.target) : undefined) ?? fieldsFault(message, components);
}

/** Why two readers could take the target of a message, or its `Host`, for different ones. */
export function targetFault(message: HttpRequest): string | undefined {
  const read = readTarget(message.url);
  if (!read.ok) return read.reason;
  const hosts = headerLines(message, 'host');
  const isRead = hosts.every((host) => readAuthority(host, read.target.scheme) !== undefined);
  return isRead ? undefined : 'Host is malformed';
}

/**
 * What is wrong with the host of a message that came over the wire, where a name has its A-labels already. Whoever signs
 * may still write it in letters, and signs the A-labels that will be sent.
 */
export function rawHostFault(message: HttpRequest): string | undefined {
  const isAscii = [message.url, ...headerLines(message, 'host')].every(isFieldValue);
  return isAscii ? undefined : 'the host has characters that are not ASCII';
}

/** The host that was asked for must be the one of the target: a message for one must not count at another. */
function hostFault(message: HttpRequest, { scheme, authority }: Target): string | undefined {
  const [host, ...more] = headerLines(message, 'host');
  if (host === undefined) return undefined;
  if (more.length > 0) return 'duplicate Host header';
  return readAuthority(host, scheme) === authority
    ? undefined
    : 'Host differs from the host of the target URL';
}

function fieldsFault(message: HttpRequest, components: readonly string[]): string | undefined {
  const type = headerLines(message, 'content-type');
  if (
    components.includes('content-type') &&
    type.length > 0 &&
    (splitOutside(type.join(','), ',')?.length ?? 0) !== 1
  )
    return 'Content-Type has more than one value';
  const unreadable = components.find((name) => !headerLines(message, name).every(isFieldValue));
  if (unreadable !== undefined) return `the header ${unreadable} has characters that are not ASCII text`;
  const digest = headerLines(message, 'content-digest');
  return components.includes('content-digest') && digest.length > 0 ? digestFormFault(digest) : undefined;
}

/** The value of `Content-Digest` for a body. */
export function contentDigest(body: Uint8Array, alphabet: Alphabet): string {
  return `sha-256=${encodeBytes(hash('sha256', body, 'buffer'), alphabet)}`;
}

/**
 * What is wrong with the form of a `Content-Digest`: it is a dictionary of byte sequences, with each algorithm once
 * and one alphabet in each value.
 */
function digestFormFault(lines: readonly string[]): string | undefined {
  const [field = '', ...more] = lines;
  if (more.length > 0) return 'duplicate Content-Digest header';
  const members = field.length > MAX_FIELD ? undefined : splitDictionary(field);
  if (members === undefined) return 'Content-Digest is not a dictionary with unique algorithms';
  for (const [algorithm, value] of members) {
    if (!/^:[A-Za-z0-9+/_=-]*:$/.test(value)) return `the digest ${algorithm} is not a byte sequence`;
    if (/[+/=]/.test(value) && /[-_]/.test(value))
      return `the digest ${algorithm} mixes two base64 alphabets`;
  }
  return undefined;
}

/**
 * Why a `Content-Digest` is not that of the body: every algorithm that is known here has to agree, and one has to be known.
 * Its alphabet is its own, whatever that of the signature is: padding or one of `+/` says which.
 */
export function digestFault(field: string, body: Uint8Array): string | undefined {
  const known = [...(splitDictionary(field) ?? [])].filter(([name]) => Object.hasOwn(DIGESTS, name));
  if (known.length === 0) return 'Content-Digest has neither sha-256 nor sha-512';
  for (const [algorithm, value] of known) {
    const declared = decodeBytes(value.slice(1, -1), /[+/=]/.test(value) ? 'base64' : 'base64url');
    if (declared === undefined) return `the digest ${algorithm} is not valid base64`;
    if (!isEqual(declared, hash(DIGESTS[algorithm] ?? '', body, 'buffer')))
      return `the digest ${algorithm} does not match the body`;
  }
  return undefined;
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
