/** Browsers that members signed in with an API key. Of a session only the hash of its secret is kept. */
const SESSIONS = `
CREATE TABLE session (
  hash TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX session_key ON session (key, opened_at);
CREATE INDEX session_end ON session (ends_at);
`;

/** What the lab has seen of agents for those who asked. */
const LAB = `
CREATE TABLE lab_report (
  id TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  value TEXT -- JSON; null while it is under way
) WITHOUT ROWID;
CREATE INDEX lab_report_agent ON lab_report (agent, asked_at);
CREATE INDEX lab_report_asked ON lab_report (asked_at);
`;

/** A page of a list reads 30 days of each of its agents from the index alone; it begins as the one that it replaces. */
const HEALTH_DAYS = `
CREATE INDEX observation_day ON observation (agent, at, asked, online);
DROP INDEX observation_agent;
`;

/** What the owner of an agent says of how it does in tests: one text, of the member that owns it. */
const OWNER_STATEMENT = `
CREATE TABLE owner_statement (
  agent TEXT PRIMARY KEY,
  member TEXT NOT NULL,
  text TEXT NOT NULL,
  said_at INTEGER NOT NULL
) WITHOUT ROWID;
`;

/** What the pages for people keep: sessions, reports of the lab, 30 days of health, statements of owners. */
export const PEOPLE = SESSIONS + LAB + HEALTH_DAYS + OWNER_STATEMENT;
