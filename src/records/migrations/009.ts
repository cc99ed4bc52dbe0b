/**
 * A change is appended with its version in the transaction of the change itself. Its number in the log, by which readers
 * follow, is given afterwards, so that no writer waits for another one.
 */
const SEQUENCED_LOG = `
ALTER TABLE change_log RENAME COLUMN seq TO version;
ALTER TABLE change_log ADD COLUMN seq INTEGER; -- null: readers do not see the row yet
UPDATE change_log SET seq = version;
CREATE UNIQUE INDEX change_log_seq ON change_log (seq);
CREATE INDEX change_log_unnumbered ON change_log (version) WHERE seq IS NULL;
ALTER TABLE document RENAME COLUMN seq TO version;
`;

/** What happened to one agent, without a look at all others. */
const CHANGES_OF_AGENTS = `
CREATE INDEX change_log_agent ON change_log (agent, seq);
`;

/** That a publisher's file was found, changed or is gone, in the order of the edge log. */
const PUBLISHER_FILES = `
ALTER TABLE declaration ADD COLUMN told_at INTEGER; -- null: the edge log does not say yet how a publisher's file stands
UPDATE declaration SET told_at = seen_from
  WHERE seen_until IS NOT NULL OR source NOT IN (SELECT id FROM source WHERE kind = 'adagents');
CREATE INDEX declaration_untold ON declaration (id) WHERE told_at IS NULL;
ALTER TABLE edge_log ADD COLUMN declaration INTEGER; -- the row is of a publisher's file, without agent or scope; null: of an entry
CREATE INDEX edge_log_file ON edge_log (publisher, seq) WHERE declaration IS NOT NULL;
`;

/** Words of the names of a domain's brands. Files of before are derived anew, once and with no request. */
export const BRAND_WORDS = `
CREATE TABLE brand_word (
  domain TEXT NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (domain, word)
) WITHOUT ROWID;
CREATE INDEX brand_word_domain ON brand_word (word, domain);
UPDATE source SET rederive_at = 0 WHERE kind = 'brand' AND declaration IS NOT NULL;
`;

/**
 * Every visit rewrites the rows of its sources twice, and those of its captures. With room in a page, PostgreSQL
 * writes the new row beside the old one and leaves the indexes alone
 * (https://www.postgresql.org/docs/current/storage-hot.html). The pages of before get there as their rows are rewritten.
 */
const ROOM_IN_PAGES = `
/* postgres: ALTER TABLE source SET (fillfactor = 70); */
/* postgres: ALTER TABLE capture SET (fillfactor = 70); */
`;

/** Agents that members say are theirs and have still to prove, and who may become a member. Neither counts for anything else. */
const JOINING = `
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
const CREDENTIAL_KINDS = `
ALTER TABLE test_credential ADD COLUMN kind TEXT NOT NULL DEFAULT 'bearer';
`;

/**
 * Probes: a few bytes for each, packed by day (`probe-log.ts`), and a row where one found something else than the one
 * before. `carry-probes.ts` makes these tables from `observation`, which had a row for each, and so runs before this.
 * A column has no comment here: SQLite keeps the text, and both ways must leave the same.
 */
export const PROBE_TABLES = `
-- The latest day of an agent, rewritten at each probe, and a hash of what the last one found.
CREATE TABLE IF NOT EXISTS probe_today (
  agent TEXT PRIMARY KEY,
  day INTEGER NOT NULL,
  found TEXT NOT NULL,
  probes BLOB NOT NULL
) WITHOUT ROWID /* postgres: WITH (fillfactor = 50) */;
-- A day is written once, when the next one begins. What is old goes together.
-- Of its planned probes health says that none was answered (0), some (1) or all (2), and null where there was none.
CREATE TABLE IF NOT EXISTS probe_day (
  day INTEGER NOT NULL,
  agent TEXT NOT NULL,
  health INTEGER,
  probes BLOB NOT NULL,
  PRIMARY KEY (day, agent)
) WITHOUT ROWID;
-- What a probe found that the one before had not found, and all that it saw, as JSON.
CREATE TABLE IF NOT EXISTS probe_change (
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  at INTEGER NOT NULL,
  value TEXT NOT NULL,
  exposed TEXT
);
CREATE INDEX IF NOT EXISTS probe_change_agent ON probe_change (agent, at);
`;

const PROBES = `${PROBE_TABLES}
DROP INDEX observation_day;
DROP TABLE observation;
`;

/** What lists print of how an agent is, made when a probe is written: null until the first one since. */
const LIVE_TEXTS = `
ALTER TABLE agent ADD COLUMN seen_text TEXT; -- members of freshness, each with the comma behind it
ALTER TABLE agent ADD COLUMN health_text TEXT; -- the member health, with the comma before it
`;

/** Who is woken when the feed goes on. Each row is its own outbox. */
const SUBSCRIPTIONS = `
CREATE TABLE feed_subscription (
  id TEXT PRIMARY KEY,
  member TEXT NOT NULL,
  url TEXT NOT NULL,
  types TEXT NOT NULL,
  agents INTEGER NOT NULL, -- told up to here: numbers in the change log and in the edge log
  edges INTEGER NOT NULL,
  first_change_at INTEGER, -- of what is not told yet; null: there is nothing to tell
  since INTEGER, -- when the present round of tries began
  due_at INTEGER,
  attempts INTEGER NOT NULL,
  refusals INTEGER NOT NULL,
  told_at INTEGER,
  last_error TEXT,
  dead_at INTEGER,
  fence INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX feed_subscription_member ON feed_subscription (member, created_at);
`;

/** Probes by day, what the feed and its subscribers need, and members that join by themselves. */
export const FEED_AND_PROBES =
  PROBES + // what is carried over makes its tables first
  PUBLISHER_FILES +
  BRAND_WORDS +
  SEQUENCED_LOG +
  CHANGES_OF_AGENTS +
  ROOM_IN_PAGES +
  CREDENTIAL_KINDS +
  LIVE_TEXTS +
  JOINING +
  SUBSCRIPTIONS;
