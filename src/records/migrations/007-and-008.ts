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

/** Runs that somebody has asked for: of one storyboard, and how far they are. */
const ASKED_RUNS = `
ALTER TABLE run_schedule ADD COLUMN asked_storyboard TEXT; -- null: all that the agent is to pass
ALTER TABLE run_schedule ADD COLUMN so_far TEXT; -- JSON, of the run that is under way: what its process has told last
`;

/** A capture stands for every visit in a row that got the same answer. Rows of before stand for one visit each. */
const UNCHANGED_CAPTURES = `
ALTER TABLE capture ADD COLUMN last_seen_at INTEGER; -- null: written by an earlier version
ALTER TABLE capture ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
`;

/** What was asked for, and what did not change. */
export const ASKED_AND_UNCHANGED = ASKED_RUNS + UNCHANGED_CAPTURES;

/** The edges between publishers and agents in the order in which the registry tells of them. */
export const EDGE_LOG = `
ALTER TABLE authorisation ADD COLUMN told_at INTEGER; -- null: the edge log does not say yet how the row stands
UPDATE authorisation SET told_at = seen_until WHERE seen_until IS NOT NULL;
CREATE INDEX authorisation_untold ON authorisation (id) WHERE told_at IS NULL;
-- Rows are numbered under the lock of the change log, so that no number appears behind one that was read.
CREATE TABLE edge_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  authorisation INTEGER NOT NULL,
  agent TEXT NOT NULL,
  publisher TEXT NOT NULL,
  scope TEXT NOT NULL,
  ended_at INTEGER, -- null: the entry began
  at INTEGER NOT NULL
);
-- For prune: whether the same edge ended again.
CREATE INDEX edge_log_ended ON edge_log (agent, publisher, scope, seq) WHERE ended_at IS NOT NULL;
`;
