/** API keys that can do less than their member, and that end; and how badges that were revoked lately are found. */
const KEYS = `
ALTER TABLE api_key ADD COLUMN scopes TEXT; -- JSON; null: every scope, as all keys had that were made before
ALTER TABLE api_key ADD COLUMN expires_at INTEGER; -- null: never
ALTER TABLE api_key ADD COLUMN renewed_by TEXT; -- the id of its successor, beside which it ends
CREATE INDEX badge_revoked ON badge (revoked_at) WHERE revoked_at IS NOT NULL;
`;

/**
 * The audit log as a chain: each record has the hash of the one before it. Records from before the chain have no hash;
 * the first record after them is chained to all of them. Both tables are only ever added to by a running registry.
 */
const AUDIT_CHAIN = `
ALTER TABLE audit ADD COLUMN prev TEXT; -- the hash of the record before
ALTER TABLE audit ADD COLUMN hash TEXT; -- of this record, prev included
CREATE TABLE audit_head (
  kind TEXT NOT NULL, -- head: a record was the newest once; checkpoint: what came before and with it may be gone
  record INTEGER NOT NULL,
  hash TEXT NOT NULL,
  at INTEGER NOT NULL,
  token TEXT, -- the signed head; null where there was no key
  PRIMARY KEY (kind, record)
) WITHOUT ROWID;
`;

/**
 * Since when an old proof is asked for again. Texts of open challenges said neither for whom nor for what they were, so
 * their members ask for new ones.
 */
const OWNERSHIP = `
ALTER TABLE ownership ADD COLUMN asked_again_at INTEGER; -- null: it is not old
CREATE INDEX ownership_age ON ownership (proven_at);
DELETE FROM ownership_challenge;
`;

/** Keys with scopes, the audit log as a chain, and proofs that grow old. */
export const KEYS_AND_AUDIT = KEYS + AUDIT_CHAIN + OWNERSHIP;
