import { hash } from 'node:crypto';
import type { MemberStore } from '../ports/members.ts';
import { HttpProblem } from './problem.ts';

/** Who asks. A wrong key is its own kind: it is counted against its address, then refused. */
export type Viewer =
  | { readonly kind: 'public' }
  | { readonly kind: 'member'; readonly member: string; readonly keyId: string }
  | { readonly kind: 'refused' };

export const PUBLIC_VIEWER: Viewer = { kind: 'public' };

// RFC 6750, section 2.1; the bound keeps anybody from making us hash a header of any length.
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]{1,512}=*)$/i;

/**
 * The caller behind an Authorization header: a member by an API key, or the public without one. Keys are
 * looked up by their SHA-256, so that the store never holds one. A malformed, unknown or revoked key is
 * `refused`, never silently public.
 */
export async function identifyViewer(
  authorization: string | undefined,
  members: MemberStore,
): Promise<Viewer> {
  if (authorization === undefined) return PUBLIC_VIEWER;
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) return { kind: 'refused' };
  const key = await members.keyByHash(hash('sha256', token));
  if (key === undefined || key.revokedAt !== undefined) return { kind: 'refused' };
  return { kind: 'member', member: key.member, keyId: key.id };
}

/** The answer to a refused caller (RFC 6750, section 3). */
export function invalidKey(): HttpProblem {
  return new HttpProblem(
    'invalid_key',
    'the API key is malformed, unknown or revoked; send "Authorization: Bearer KEY" with a valid key, or no header at all',
    {},
    { 'www-authenticate': 'Bearer realm="registry", error="invalid_token"' },
  );
}
