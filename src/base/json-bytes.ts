import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * SHA-256 over the canonical JSON (RFC 8785) of a value. Throws for what I-JSON leaves out: half a surrogate pair,
 * a number that is not finite.
 */
export function canonicalHash(value: object, encoding: 'base64url' | 'hex'): string {
  return hash('sha256', canonicalize(value) ?? '', encoding);
}

/** As many of the first items as have together at most so many bytes of JSON. */
export function withinBytes<T>(items: readonly T[], most: number): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += jsonBytes(item) + 1;
    return bytes > most;
  });
  return end < 0 ? items : items.slice(0, end);
}

/** Bytes of a value's JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
