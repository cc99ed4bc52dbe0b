/** API keys that can do less than their member, and that end; and how badges that were revoked lately are found. */
export const KEYS = `
ALTER TABLE api_key ADD COLUMN scopes TEXT; -- JSON; null: every scope, as all keys had that were made before
ALTER TABLE api_key ADD COLUMN expires_at INTEGER; -- null: never
ALTER TABLE api_key ADD COLUMN renewed_by TEXT; -- the id of its successor, beside which it ends
CREATE INDEX badge_revoked ON badge (revoked_at) WHERE revoked_at IS NOT NULL;
`;
