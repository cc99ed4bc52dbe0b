import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Members that say how a request is handled, and not what it asks for. */
const ASIDE = ['governance_approval', 'context', 'ext'];

/**
 * SHA-256, in base64url, over the canonical JSON (RFC 8785) of what a request asks for: its payload without
 * `governance_approval`, `context` and `ext`. Two payloads that differ in the order of members or the writing of
 * numbers have one hash.
 */
export function payloadHash(payload: object): string {
  const asked = Object.fromEntries(Object.entries(payload).filter(([name]) => !ASIDE.includes(name)));
  return canonicalHash(asked, 'base64url');
}

/**
 * SHA-256 over the canonical JSON (RFC 8785) of a value. Throws for what I-JSON leaves out: half a surrogate pair,
 * a number that is not finite.
 */
export function canonicalHash(value: object, encoding: 'base64url' | 'hex'): string {
  return createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest(encoding);
}
