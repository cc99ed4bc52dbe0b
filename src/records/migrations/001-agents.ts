/** Agents: their sums, documents, change log, observations, and whose they are. */
export const AGENT_TABLES = `
-- An agent with its running sums, so that no visit grows with the number of its publishers.
CREATE TABLE agent (
  agent TEXT PRIMARY KEY,
  first_seen_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  stitched_revision INTEGER NOT NULL DEFAULT 0,
  dirty_since INTEGER,
  restitch_at INTEGER,
  authorisation_count INTEGER NOT NULL DEFAULT 0,
  mention_count INTEGER NOT NULL DEFAULT 0,
  publisher_count INTEGER NOT NULL DEFAULT 0,
  property_count INTEGER NOT NULL DEFAULT 0,
  authorised_from INTEGER,
  declaration_ended_at INTEGER,
  last_seen_at INTEGER,
  last_checked_at INTEGER,
  health TEXT,
  protocol TEXT,
  endpoint TEXT,
  good_at INTEGER,
  good_protocol TEXT,
  good_endpoint TEXT,
  good_exposed TEXT
) WITHOUT ROWID;
CREATE INDEX agent_dirty ON agent (dirty_since) WHERE dirty_since IS NOT NULL;
CREATE INDEX agent_restitch ON agent (restitch_at) WHERE restitch_at IS NOT NULL;
CREATE INDEX agent_ended ON agent (declaration_ended_at) WHERE declaration_ended_at IS NOT NULL;
CREATE TABLE agent_property_count (
  agent TEXT NOT NULL,
  property_type TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (agent, property_type)
) WITHOUT ROWID;
CREATE TABLE agent_tag (
  agent TEXT NOT NULL,
  tag TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (agent, tag)
) WITHOUT ROWID;

CREATE TABLE document (
  agent TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  hash TEXT,
  value TEXT
);
CREATE INDEX document_listed ON document (agent) WHERE hash IS NOT NULL;
CREATE TABLE change_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  agent TEXT NOT NULL,
  kind TEXT NOT NULL,
  before TEXT,
  after TEXT,
  at INTEGER NOT NULL
);

-- What agents expose is kept once, by hash; an observation points to it.
CREATE TABLE exposed (
  hash TEXT PRIMARY KEY,
  value TEXT NOT NULL
);
CREATE TABLE observation (
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  at INTEGER NOT NULL,
  value TEXT NOT NULL,
  exposed TEXT
);
CREATE INDEX observation_agent ON observation (agent, at);
CREATE TABLE member (
  slug TEXT PRIMARY KEY,
  display_name TEXT NOT NULL,
  tier TEXT,
  tier_label TEXT,
  founding_member INTEGER NOT NULL,
  subscription_status TEXT,
  contact TEXT
);
CREATE TABLE registration (
  agent TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  member TEXT NOT NULL REFERENCES member (slug),
  type TEXT,
  name TEXT,
  description TEXT,
  contact TEXT,
  added_at INTEGER NOT NULL
);
CREATE INDEX registration_member ON registration (member);
CREATE TABLE api_key (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  member TEXT NOT NULL REFERENCES member (slug),
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
);
CREATE TABLE ownership (
  agent TEXT NOT NULL,
  member TEXT NOT NULL REFERENCES member (slug),
  proven_at INTEGER NOT NULL,
  PRIMARY KEY (agent, member)
) WITHOUT ROWID;
CREATE TABLE agent_settings (
  agent TEXT PRIMARY KEY,
  opted_out INTEGER NOT NULL DEFAULT 0,
  monitoring_paused INTEGER NOT NULL DEFAULT 0,
  check_interval_hours INTEGER NOT NULL DEFAULT 12,
  lifecycle_stage TEXT NOT NULL DEFAULT 'production'
);
CREATE TABLE compliance_run (
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  triggered_by TEXT NOT NULL,
  dry_run INTEGER NOT NULL,
  state TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  requested_compliance_target TEXT,
  proto_version TEXT,
  status TEXT,
  tracks TEXT NOT NULL DEFAULT '{}',
  track_details TEXT NOT NULL DEFAULT '[]',
  streak_days INTEGER NOT NULL DEFAULT 0,
  headline TEXT
);
CREATE INDEX compliance_run_agent ON compliance_run (agent, finished_at);
CREATE TABLE badge (
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  role TEXT NOT NULL,
  protocol_line TEXT NOT NULL,
  axes TEXT NOT NULL,
  verified_at INTEGER NOT NULL,
  grace_since INTEGER,
  revoked_at INTEGER
);
CREATE INDEX badge_active ON badge (agent) WHERE revoked_at IS NULL;
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  details TEXT NOT NULL
);
`;
