import { canonicalHash } from '../base/json-bytes.ts';

/** Members that say how a request is written and handled, and not what it asks for. */
const ASIDE: readonly string[] = [
  'governance_approval',
  'governance_context',
  'context',
  'ext',
  '$schema',
  'proto_version',
  'proto_major_version',
  'adcp_version',
  'adcp_major_version',
];

/** What of a payload is hashed, and so what an approval covers: all but the members that say how. */
export function coveredPart(payload: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !ASIDE.includes(name)));
}

/**
 * SHA-256, in base64url, over the canonical JSON (RFC 8785) of what a request asks for: its payload without the
 * members that say how it is written and handled (docs/reference/approvals.md names them). Two payloads that differ in the order of members or the writing of
 * numbers have one hash.
 */
export function payloadHash(payload: object): string {
  return canonicalHash(coveredPart(payload), 'base64url');
}
