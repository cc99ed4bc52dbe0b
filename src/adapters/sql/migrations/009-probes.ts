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

export const PROBES = `${PROBE_TABLES}
DROP INDEX observation_day;
DROP TABLE observation;
`;

/** What lists print of how an agent is, made when a probe is written: null until the first one since. */
export const LIVE_TEXTS = `
ALTER TABLE agent ADD COLUMN seen_text TEXT; -- members of freshness, each with the comma behind it
ALTER TABLE agent ADD COLUMN health_text TEXT; -- the member health, with the comma before it
`;
