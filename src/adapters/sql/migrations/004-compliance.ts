/**
 * What runs leave behind. The two tables of the first schema were never written by any program, so they are made anew:
 * runs keep the ids that they came with, and badges their place in an agent's list.
 */
export const COMPLIANCE = `
DROP INDEX compliance_run_agent;
DROP INDEX badge_active;
DROP TABLE compliance_run;
DROP TABLE badge;
CREATE TABLE compliance_run (
  agent TEXT NOT NULL,
  id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  triggered_by TEXT, -- null: not known
  aside INTEGER NOT NULL, -- dry or of some storyboards only: it says nothing of the agent
  imported INTEGER NOT NULL,
  judged TEXT NOT NULL, -- the run without its steps, with its verdict
  PRIMARY KEY (agent, id)
) WITHOUT ROWID;
CREATE INDEX compliance_run_history ON compliance_run (agent, started_at, id);
CREATE INDEX compliance_run_old ON compliance_run (started_at);
CREATE TABLE compliance_evidence (
  agent TEXT NOT NULL,
  run TEXT NOT NULL,
  at INTEGER NOT NULL,
  passing INTEGER NOT NULL,
  bytes BLOB NOT NULL, -- the whole run as JSON, deflated
  PRIMARY KEY (agent, run)
) WITHOUT ROWID;
CREATE INDEX compliance_evidence_old ON compliance_evidence (passing, at);
CREATE TABLE compliance_standing (
  agent TEXT PRIMARY KEY,
  standing TEXT NOT NULL,
  latest_run TEXT, -- the run that the standing shows: never pruned
  next_run_at INTEGER, -- null: never
  forgotten INTEGER NOT NULL -- runs were pruned: the history that is left does not give the standing
) WITHOUT ROWID;
CREATE INDEX compliance_due ON compliance_standing (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE TABLE badge (
  agent TEXT NOT NULL,
  place INTEGER NOT NULL, -- from 0, in the order in which they were earned
  role TEXT NOT NULL,
  protocol_line TEXT NOT NULL,
  axes TEXT NOT NULL,
  specialisms TEXT NOT NULL,
  proto_version TEXT NOT NULL,
  verified_at INTEGER NOT NULL,
  grace_since INTEGER,
  revoked_at INTEGER,
  PRIMARY KEY (agent, place)
) WITHOUT ROWID;
CREATE UNIQUE INDEX badge_active ON badge (agent, role, protocol_line) WHERE revoked_at IS NULL;
CREATE TABLE badge_event (
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  role TEXT NOT NULL,
  protocol_line TEXT NOT NULL,
  reason TEXT NOT NULL,
  run TEXT
);
CREATE INDEX badge_event_agent ON badge_event (agent, id);
`;
