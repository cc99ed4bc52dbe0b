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

/** What several processes on one store agree on: whose turn a domain is, who does what only one may do. */
export const MANY_MACHINES = `
CREATE TABLE domain_turn (
  registrable_domain TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until INTEGER NOT NULL
);
CREATE TABLE named_lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  token TEXT NOT NULL, -- of one taking: whoever has it again has taken it already
  fence INTEGER NOT NULL,
  until INTEGER NOT NULL
);
-- The trace of the visit that found a source, changed an agent's facts, or led to a change: one id through all logs.
ALTER TABLE source ADD COLUMN trace TEXT;
ALTER TABLE agent ADD COLUMN trace TEXT;
ALTER TABLE change_log ADD COLUMN trace TEXT;
-- Due sources are read page by page, longest overdue first.
DROP INDEX source_due;
CREATE INDEX source_due ON source (visit, next_visit_at, id);
`;

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
