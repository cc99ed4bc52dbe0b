import { apiKeyId, isApiKey } from '../owners/api-key.ts';
import type { ApiKey, ApiKeyStore } from '../ports/api-keys.ts';
import { HttpProblem } from './problem.ts';

/** Who asks. A wrong key is its own kind: it is counted against its address, then refused. */
export type Viewer =
  | { readonly kind: 'public' }
  | { readonly kind: 'member'; readonly member: string; readonly keyId: string }
  | { readonly kind: 'refused' };

export const PUBLIC_VIEWER: Viewer = { kind: 'public' };

/** A caller, and the key it is known by. */
export interface Identified {
  readonly viewer: Viewer;
  readonly key?: ApiKey;
}

const REFUSED: Identified = { viewer: { kind: 'refused' } };

// RFC 6750, section 2.1; the bound keeps anybody from making us hash a header of any length.
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]{1,512}=*)$/i;

/**
 * The caller behind an Authorization header: a member by an API key, or the public without one. The store is asked for
 * each request, so that a revoked key ends at once in every process. A malformed, unknown or revoked key is `refused`,
 * never silently public.
 */
export async function identifyViewer(
  authorization: string | undefined,
  keys: Pick<ApiKeyStore, 'find'>,
): Promise<Identified> {
  if (authorization === undefined) return { viewer: PUBLIC_VIEWER };
  const token = BEARER.exec(authorization)?.[1] ?? '';
  const id = apiKeyId(token);
  const key = id === undefined ? undefined : await keys.find(id);
  if (key === undefined || !isApiKey(token, key.hash) || key.revokedAt !== undefined) return REFUSED;
  return { viewer: { kind: 'member', member: key.member, keyId: key.id }, key };
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
