/**
 * What runs leave behind, when they come, and what they may authenticate with. The two tables of the first schema were never written by any program, so they are made anew:
 * runs keep the ids that they came with, and badges their place in an agent's list. An agent that
 * somebody owns already is due at once.
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
  forgotten INTEGER NOT NULL -- runs were pruned: the history that is left does not give the standing
) WITHOUT ROWID;
CREATE TABLE run_schedule (
  agent TEXT PRIMARY KEY,
  registrable_domain TEXT NOT NULL,
  next_run_at INTEGER, -- by the clock; null: never
  reconsider_at INTEGER, -- when badges are looked at without a run; null: never
  asked_run TEXT, -- the id that a run that was asked for is to have
  asked_as TEXT, -- its trigger
  asked_at INTEGER,
  leased_run TEXT, -- what was asked for when the lease was taken
  fence INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  lease_holder TEXT -- the process that tests it; null: nobody
) WITHOUT ROWID;
INSERT INTO run_schedule (agent, registrable_domain, next_run_at, reconsider_at, fence, lease_until)
  SELECT ownership.agent, source.registrable_domain, ownership.proven_at, ownership.proven_at, 0, 0
  FROM ownership
  JOIN registration ON registration.agent = ownership.agent AND registration.member = ownership.member
  JOIN source ON source.kind = 'agent' AND source.key = ownership.agent;
CREATE INDEX run_schedule_due ON run_schedule (next_run_at, agent) WHERE next_run_at IS NOT NULL;
CREATE INDEX run_schedule_asked ON run_schedule (asked_at, agent) WHERE asked_at IS NOT NULL;
CREATE INDEX run_schedule_held ON run_schedule (lease_holder) WHERE lease_holder IS NOT NULL;
CREATE INDEX run_schedule_reconsider ON run_schedule (reconsider_at, agent) WHERE reconsider_at IS NOT NULL;
CREATE TABLE test_credential (
  agent TEXT PRIMARY KEY,
  member TEXT NOT NULL,
  sealed TEXT NOT NULL, -- a JWE: the key is not in this store
  set_at INTEGER NOT NULL
) WITHOUT ROWID;
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
