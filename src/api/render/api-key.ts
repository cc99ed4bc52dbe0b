import { API_SCOPES } from '../../domain/api-scope.ts';
import type { ApiKey } from '../../ports/members.ts';

/** A key as it is shown: nothing of what would let anybody use it. */
export function apiKeyRecord({ id, member, label, ...key }: ApiKey) {
  return {
    id,
    member,
    label: label ?? null,
    scopes: key.scopes ?? API_SCOPES,
    created_at: new Date(key.createdAt).toISOString(),
    last_used_at: instant(key.lastUsedAt),
    expires_at: instant(key.expiresAt),
    renewed_by: key.renewedBy ?? null,
    revoked_at: instant(key.revokedAt),
  };
}

export type ApiKeyRecord = ReturnType<typeof apiKeyRecord>;

function instant(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
