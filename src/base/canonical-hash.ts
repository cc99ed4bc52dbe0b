import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * SHA-256 over the canonical JSON (RFC 8785) of a value. Throws for what I-JSON leaves out: half a surrogate pair,
 * a number that is not finite.
 */
export function canonicalHash(value: object, encoding: 'base64url' | 'hex'): string {
  return createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest(encoding);
}
