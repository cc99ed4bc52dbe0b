/** Agents that members say are theirs and have still to prove, and who may become a member. Neither counts for anything else. */
export const JOINING = `
CREATE TABLE pending_registration (
  member TEXT NOT NULL REFERENCES member (slug),
  agent TEXT NOT NULL,
  url TEXT NOT NULL,
  type TEXT,
  name TEXT,
  description TEXT,
  contact TEXT,
  added_at INTEGER NOT NULL,
  PRIMARY KEY (member, agent)
) WITHOUT ROWID;
CREATE TABLE invitation (
  hash TEXT PRIMARY KEY, -- SHA-256 of its secret, lower case hex
  member TEXT, -- whom it is for; null: whoever comes with it names a new member
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  used_by TEXT
) WITHOUT ROWID;
`;

/** What a sealed credential is. */
export const CREDENTIAL_KINDS = `
ALTER TABLE test_credential ADD COLUMN kind TEXT NOT NULL DEFAULT 'bearer';
`;
