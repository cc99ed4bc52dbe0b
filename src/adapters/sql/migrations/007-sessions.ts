/** Browsers that members signed in with an API key. Of a session only the hash of its secret is kept. */
export const SESSIONS = `
CREATE TABLE session (
  hash TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX session_key ON session (key, opened_at);
CREATE INDEX session_end ON session (ends_at);
`;
