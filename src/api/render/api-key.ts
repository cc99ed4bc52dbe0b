import { API_SCOPES } from '../../domain/api-scope.ts';
import type { ApiKey, RevokedKey } from '../../records/owners/keys.ts';

/** A key without its secret. */
export function apiKeyRecord({ id, member, label, ...key }: ApiKey) {
  return {
    id,
    member,
    label: label ?? null,
    scopes: key.scopes ?? API_SCOPES,
    created_at: new Date(key.createdAt).toISOString(),
    last_used_at: instant(key.lastUsedAt),
    expires_at: instant(key.expiresAt),
    made_by: key.madeBy ?? null,
    renewed_by: key.renewedBy ?? null,
    revoked_at: instant(key.revokedAt),
  };
}

export type ApiKeyRecord = ReturnType<typeof apiKeyRecord>;

/** A key after its revocation, with the ids of the keys that were revoked with it. */
export function revokedKeyRecord(key: RevokedKey) {
  return { ...apiKeyRecord(key), also_revoked: key.alsoRevoked };
}

export type RevokedKeyRecord = ReturnType<typeof revokedKeyRecord>;

function instant(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
