/** API keys as their owners know them, proofs of control, and the audit log by what it is about. */
export const OWNERS = `
ALTER TABLE api_key ADD COLUMN label TEXT;
ALTER TABLE api_key ADD COLUMN last_used_at INTEGER; -- to the day: it is written at most once in 24 h
CREATE INDEX api_key_member ON api_key (member);
ALTER TABLE ownership ADD COLUMN via TEXT;
CREATE INDEX ownership_member ON ownership (member);
-- The token is made to be published, so it is kept as it is.
CREATE TABLE ownership_challenge (
  agent TEXT NOT NULL,
  member TEXT NOT NULL REFERENCES member (slug),
  token TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (agent, member)
) WITHOUT ROWID;
CREATE INDEX audit_subject ON audit (subject, id);
`;
