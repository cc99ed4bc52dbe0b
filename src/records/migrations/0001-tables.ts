import { sql } from 'kysely';
import { type Db, isPostgres } from '../database.ts';

/**
 * The tables of the records, in the words of SQLite; `inPostgres` has the few that differ. Times are epoch milliseconds,
 * booleans 0 or 1, JSON is text. History is rows with `seen_from` and `seen_until`; a row is live while `seen_until` is null.
 */
const TABLES = `
-- Sources and visits

CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
);

-- A file of a domain or an agent that is visited. The files of a domain (adagents, ard, brand) share visit 'domain'. A fence only ever grows.
CREATE TABLE source (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  visit TEXT NOT NULL,
  registrable_domain TEXT NOT NULL,
  url TEXT,
  found_via TEXT NOT NULL,
  first_seen_at INTEGER NOT NULL,
  next_visit_at INTEGER NOT NULL,
  last_visit_at INTEGER,
  last_success_at INTEGER,
  last_outcome TEXT,
  last_error TEXT,
  failures INTEGER NOT NULL DEFAULT 0,
  validators TEXT NOT NULL DEFAULT '[]',
  content_hash TEXT,
  absent_since INTEGER,
  absent_visits INTEGER NOT NULL DEFAULT 0,
  findings TEXT, -- of the last file read; null: those of the live declaration
  declaration INTEGER,
  rederive_at INTEGER,
  fence INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER NOT NULL DEFAULT 0,
  trace TEXT, -- of the visit that found it
  memory TEXT, -- JSON: earlier readings of the file that still count
  asked INTEGER, -- a requested visit: 1 for the next one, 2 for the one after that
  planned_at INTEGER, -- when the visit would have come without the request
  UNIQUE (kind, key)
);
CREATE INDEX source_due ON source (visit, next_visit_at, id);
CREATE INDEX source_rederive ON source (rederive_at) WHERE rederive_at IS NOT NULL;
CREATE INDEX source_publisher ON source (key) WHERE kind = 'adagents' AND declaration IS NOT NULL;
CREATE INDEX source_brand ON source (key) WHERE kind = 'brand' AND declaration IS NOT NULL;

-- The process that may visit a registrable domain.
CREATE TABLE domain_turn (
  registrable_domain TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until INTEGER NOT NULL,
  yields INTEGER NOT NULL DEFAULT 0, -- 1: held by work for a caller
  wanted_until INTEGER NOT NULL DEFAULT 0 -- work for callers has to wait until then
);

-- Work that one process at a time does.
CREATE TABLE named_lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  token TEXT NOT NULL, -- identifies one acquisition, so that a retry recognises its own lease
  fence INTEGER NOT NULL,
  until INTEGER NOT NULL
);

-- The rules of robots.txt for us, kept for a day; null: it has none.
CREATE TABLE robots (
  origin TEXT PRIMARY KEY,
  rules TEXT,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE probe_budget (
  registrable_domain TEXT NOT NULL,
  hour INTEGER NOT NULL,
  spent INTEGER NOT NULL,
  PRIMARY KEY (registrable_domain, hour)
) WITHOUT ROWID;

-- A named crawl, and the visits that it still has to make.
CREATE TABLE crawl_run (
  id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  progressed_at INTEGER NOT NULL,
  finished_at INTEGER,
  worker TEXT NOT NULL,
  pending_domains INTEGER NOT NULL DEFAULT 0,
  pending_agents INTEGER NOT NULL DEFAULT 0,
  agents_found INTEGER NOT NULL DEFAULT 0,
  done INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX crawl_run_open ON crawl_run (fingerprint) WHERE finished_at IS NULL;

CREATE TABLE crawl_frontier (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  depth INTEGER NOT NULL,
  done INTEGER NOT NULL DEFAULT 0,
  UNIQUE (run, kind, key)
);
CREATE INDEX crawl_frontier_pending ON crawl_frontier (run, kind, id) WHERE done = 0;

-- Requested visits.
CREATE TABLE crawl_request (
  id TEXT PRIMARY KEY,
  visit TEXT NOT NULL,
  key TEXT NOT NULL,
  asked_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX crawl_request_key ON crawl_request (visit, key, asked_at);


-- Fetched files and what they declare

-- Bodies are kept once, by the SHA-256 of their bytes.
CREATE TABLE body (
  hash TEXT PRIMARY KEY,
  bytes BLOB NOT NULL,
  packing TEXT -- null: as it came; 'zstd'; 'moved': beside the records
);
CREATE INDEX body_here ON body (hash) WHERE packing IS NULL OR packing = 'zstd';

-- Bodies beside the records that nothing refers to any more, until they are deleted.
CREATE TABLE body_unused (
  hash TEXT PRIMARY KEY,
  at INTEGER NOT NULL -- since when
) WITHOUT ROWID;

-- One row for all consecutive visits with the same answer.
CREATE TABLE capture (
  id INTEGER PRIMARY KEY,
  source INTEGER NOT NULL,
  at INTEGER NOT NULL,
  requested_url TEXT NOT NULL,
  final_url TEXT,
  trail TEXT,
  status INTEGER,
  body_hash TEXT,
  bytes INTEGER,
  duration_ms INTEGER NOT NULL,
  error_code TEXT,
  error_detail TEXT,
  last_seen_at INTEGER NOT NULL, -- of the last visit with this answer
  times INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX capture_source ON capture (source);

-- What was read from a file, once by its hash: thousands of publishers may share their manager's file.
CREATE TABLE declared_value (
  hash TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  findings TEXT NOT NULL
);

CREATE TABLE declaration (
  id INTEGER PRIMARY KEY,
  source INTEGER NOT NULL,
  value_hash TEXT NOT NULL,
  via TEXT NOT NULL,
  manager TEXT,
  url TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  seen_from INTEGER NOT NULL,
  seen_until INTEGER,
  agents INTEGER NOT NULL DEFAULT 0, -- agents that it authorises for a property that it has
  properties INTEGER NOT NULL DEFAULT 0 -- in its catalogue
);
CREATE INDEX declaration_source ON declaration (source);

CREATE TABLE declaration_body (
  declaration INTEGER NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (declaration, hash)
) WITHOUT ROWID;

-- The edges. All rows of a publisher come from its adagents.json.
CREATE TABLE authorisation (
  id INTEGER PRIMARY KEY,
  publisher TEXT NOT NULL,
  agent TEXT NOT NULL,
  entry TEXT NOT NULL,
  declared_url TEXT NOT NULL,
  via TEXT NOT NULL,
  authorized_for TEXT,
  claimed_protocol TEXT,
  claimed_capabilities TEXT,
  scope TEXT NOT NULL,
  count_by_type TEXT NOT NULL,
  tags TEXT NOT NULL,
  seen_from INTEGER NOT NULL,
  seen_until INTEGER,
  covers TEXT NOT NULL, -- JSON
  limits TEXT, -- JSON; null: none
  signing_keys TEXT, -- JSON; null: none
  sells INTEGER NOT NULL DEFAULT 1 -- 0: it covers no property, and does not count for publishers
);
CREATE INDEX authorisation_publisher ON authorisation (publisher, seen_until);
CREATE INDEX authorisation_agent ON authorisation (agent, publisher, id, sells, seen_until) WHERE seen_until IS NULL;
CREATE INDEX authorisation_ended ON authorisation (agent, publisher) WHERE seen_until IS NOT NULL;

-- A file names an agent; 'own' if the file is on the agent's registrable domain.
CREATE TABLE mention (
  id INTEGER PRIMARY KEY,
  declarer TEXT NOT NULL,
  file TEXT NOT NULL,
  agent TEXT NOT NULL,
  entry TEXT NOT NULL,
  declared_url TEXT NOT NULL,
  own INTEGER NOT NULL,
  details TEXT NOT NULL,
  seen_from INTEGER NOT NULL,
  seen_until INTEGER
);
CREATE INDEX mention_declarer ON mention (declarer, file, seen_until);
CREATE INDEX mention_agent ON mention (agent, file, own, declarer) WHERE seen_until IS NULL;

-- The live properties of publishers, and the names by which they are found: 'domain:news.example' for an identifier, '#:home' for an id.
CREATE TABLE property (
  id INTEGER PRIMARY KEY,
  publisher TEXT NOT NULL,
  entry TEXT, -- null: it is in the file's catalogue
  property_id TEXT,
  property_type TEXT NOT NULL,
  name TEXT,
  identifiers TEXT NOT NULL,
  tags TEXT NOT NULL
);
CREATE INDEX property_publisher ON property (publisher, entry);

CREATE TABLE property_name (
  name TEXT NOT NULL,
  publisher TEXT NOT NULL,
  property INTEGER NOT NULL,
  PRIMARY KEY (name, publisher, property)
) WITHOUT ROWID;

CREATE TABLE reference_to (
  declarer TEXT NOT NULL,
  file TEXT NOT NULL,
  domain TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (declarer, file, domain, reason)
) WITHOUT ROWID;
CREATE INDEX reference_pointer ON reference_to (domain, declarer)
  WHERE file = 'adagents' AND reason <> 'publisher_selector';
CREATE INDEX reference_brand ON reference_to (domain, declarer) WHERE file = 'brand' AND reason = 'brand';

CREATE TABLE operator (
  house TEXT NOT NULL,
  operator TEXT NOT NULL,
  PRIMARY KEY (house, operator)
) WITHOUT ROWID;

-- Words of the names of a domain's brands.
CREATE TABLE brand_word (
  domain TEXT NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (domain, word)
) WITHOUT ROWID;
CREATE INDEX brand_word_domain ON brand_word (word, domain);


-- The log of edges between publishers and agents

-- The edges in the order in which the feed reports them. Rows are numbered under a lock, so that no number appears behind one that was read.
CREATE TABLE edge_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  authorisation INTEGER NOT NULL,
  agent TEXT NOT NULL,
  publisher TEXT NOT NULL,
  scope TEXT NOT NULL,
  ended_at INTEGER, -- null: the entry began
  at INTEGER NOT NULL,
  declaration INTEGER -- the row is of a publisher's file; null: of an entry
);
CREATE INDEX edge_log_ended ON edge_log (agent, publisher, scope, seq) WHERE ended_at IS NOT NULL;
CREATE INDEX edge_log_file ON edge_log (publisher, seq) WHERE declaration IS NOT NULL;

-- What the edge log has still to report.
CREATE TABLE edge_log_pending (
  event INTEGER NOT NULL, -- as in PENDING
  id INTEGER NOT NULL, -- of an authorisation or a declaration
  PRIMARY KEY (event, id)
) WITHOUT ROWID;


-- Agents, their documents and probes

-- An agent with running sums, so that the cost of a visit does not grow with the number of its publishers.
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
  good_exposed TEXT,
  trace TEXT
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
  version INTEGER NOT NULL, -- the number of its last change
  hash TEXT,
  value TEXT
);
CREATE INDEX document_listed ON document (agent) WHERE hash IS NOT NULL;

-- The changes of documents in their order. Rows are numbered under a lock, so that no number appears behind one that was read.
CREATE TABLE change_log (
  seq INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  kind TEXT NOT NULL,
  before TEXT,
  after TEXT,
  at INTEGER NOT NULL,
  trace TEXT
);
CREATE INDEX change_log_agent ON change_log (agent, seq);

-- What agents expose is kept once, by its hash.
CREATE TABLE exposed (
  hash TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- The latest day of an agent's probes, packed ('probes/probe-log.ts'), and a hash of what the last one found.
CREATE TABLE probe_today (
  agent TEXT PRIMARY KEY,
  day INTEGER NOT NULL,
  found TEXT NOT NULL,
  probes BLOB NOT NULL
) WITHOUT ROWID;

-- Earlier days. 'health': none of the planned probes was answered (0), some (1) or all (2); null without any.
CREATE TABLE probe_day (
  day INTEGER NOT NULL,
  agent TEXT NOT NULL,
  health INTEGER,
  probes BLOB NOT NULL,
  PRIMARY KEY (day, agent)
) WITHOUT ROWID;

-- What a probe found that the one before had not found.
CREATE TABLE probe_change (
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  at INTEGER NOT NULL,
  value TEXT NOT NULL,
  exposed TEXT
);
CREATE INDEX probe_change_agent ON probe_change (agent, at);

-- Exams of agents in the lab.
CREATE TABLE lab_report (
  id TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  value TEXT -- JSON; null while it is under way
) WITHOUT ROWID;
CREATE INDEX lab_report_agent ON lab_report (agent, asked_at);
CREATE INDEX lab_report_asked ON lab_report (asked_at);


-- Members, owners and the audit log

CREATE TABLE member (
  slug TEXT PRIMARY KEY,
  display_name TEXT NOT NULL,
  tier TEXT,
  tier_label TEXT,
  founding_member INTEGER NOT NULL,
  subscription_status TEXT,
  contact TEXT,
  joined_id TEXT -- null: it was imported
);

-- Agents that members have registered; those in 'pending_registration' wait for a proof of control and count for nothing else.
CREATE TABLE registration (
  agent TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  member TEXT NOT NULL REFERENCES member (slug),
  type TEXT,
  name TEXT,
  description TEXT,
  contact TEXT,
  added_at INTEGER NOT NULL,
  proven_at INTEGER, -- when the member proved that it controls the domain; null: it is not the owner
  via TEXT, -- where the proof was found
  asked_again_at INTEGER -- when a new proof was requested; null: the proof is recent
);
CREATE INDEX registration_member ON registration (member);
CREATE INDEX registration_proven ON registration (proven_at) WHERE proven_at IS NOT NULL;

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
  member TEXT, -- null: it is for a new member
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  used_by TEXT
) WITHOUT ROWID;
CREATE INDEX invitation_used_by ON invitation (used_by);

CREATE TABLE api_key (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  member TEXT NOT NULL REFERENCES member (slug),
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  label TEXT,
  last_used_at INTEGER, -- written at most once in 24 hours
  scopes TEXT, -- JSON; null: all
  expires_at INTEGER, -- null: never
  renewed_by TEXT, -- the id of its successor
  made_by TEXT -- the id of a key; null: an operator, an invitation or a proof
);
CREATE INDEX api_key_member ON api_key (member);
CREATE INDEX api_key_made_by ON api_key (made_by);
CREATE INDEX api_key_renewed_by ON api_key (renewed_by);

-- Browsers of members that signed in with an API key. Only the hash of a session's secret is kept.
CREATE TABLE session (
  hash TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX session_key ON session (key, opened_at);
CREATE INDEX session_end ON session (ends_at);

-- Open challenges of members. The token is published, so it is kept in plain text.
CREATE TABLE ownership_challenge (
  agent TEXT NOT NULL,
  member TEXT NOT NULL REFERENCES member (slug),
  token TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (agent, member)
) WITHOUT ROWID;

CREATE TABLE agent_settings (
  agent TEXT PRIMARY KEY,
  opted_out INTEGER NOT NULL,
  monitoring_paused INTEGER NOT NULL,
  check_interval_hours INTEGER NOT NULL,
  lifecycle_stage TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  paused_at INTEGER,
  compliance_target TEXT, -- null: as the agent declares
  test_setup TEXT -- JSON; null: the registry's
);
CREATE INDEX agent_settings_opted_out ON agent_settings (updated_at, agent) WHERE opted_out = 1;

-- Credentials that tests use, sealed: the key is not in this store.
CREATE TABLE test_credential (
  agent TEXT PRIMARY KEY,
  member TEXT NOT NULL,
  sealed TEXT NOT NULL, -- a JWE: the key is not in this store
  set_at INTEGER NOT NULL,
  kind TEXT NOT NULL
) WITHOUT ROWID;

-- What the owner of an agent states about its test results.
CREATE TABLE owner_statement (
  agent TEXT PRIMARY KEY,
  member TEXT NOT NULL,
  text TEXT NOT NULL,
  stated_at INTEGER NOT NULL
) WITHOUT ROWID;

-- The audit log, a chain: each record has the hash of the one before. Records are only ever added.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  details TEXT NOT NULL,
  prev TEXT, -- the hash of the record before
  hash TEXT
);
CREATE INDEX audit_subject ON audit (subject, id);

CREATE TABLE audit_head (
  kind TEXT NOT NULL, -- head: a record that was the newest once; checkpoint: records up to it may have been deleted
  record INTEGER NOT NULL,
  hash TEXT NOT NULL,
  at INTEGER NOT NULL,
  token TEXT, -- the signed head; null without a key
  PRIMARY KEY (kind, record)
) WITHOUT ROWID;

-- Nonces of signed requests. 'until': epoch seconds.
CREATE TABLE signature_nonce (
  key TEXT NOT NULL,
  nonce TEXT NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (key, nonce)
) WITHOUT ROWID;
CREATE INDEX signature_nonce_key ON signature_nonce (key, until);
CREATE INDEX signature_nonce_until ON signature_nonce (until);

-- Use of callers' budgets, read and written by the package 'rate-limiter-flexible'.
CREATE TABLE budget_use (
  key TEXT PRIMARY KEY,
  points INTEGER NOT NULL,
  expire INTEGER -- epoch milliseconds
);

-- Webhooks that wake subscribers of the feed. Each row is its own outbox.
CREATE TABLE feed_subscription (
  id TEXT PRIMARY KEY,
  member TEXT NOT NULL,
  url TEXT NOT NULL,
  types TEXT NOT NULL,
  agents INTEGER NOT NULL, -- reported up to here: numbers in the change log and in the edge log
  edges INTEGER NOT NULL,
  first_change_at INTEGER, -- of what is not reported yet; null: nothing
  since INTEGER, -- when the current attempts began
  due_at INTEGER,
  attempts INTEGER NOT NULL,
  refusals INTEGER NOT NULL,
  delivered_at INTEGER,
  last_error TEXT,
  dead_at INTEGER,
  fence INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  verified_at INTEGER -- null: its receiver has not confirmed it
) WITHOUT ROWID;
CREATE INDEX feed_subscription_member ON feed_subscription (member, created_at);


-- Compliance

-- Bundles of storyboards that an operator has installed.
CREATE TABLE bundle (
  version TEXT PRIMARY KEY,
  line TEXT NOT NULL,
  vocabulary TEXT NOT NULL,
  digest TEXT NOT NULL,
  stage TEXT NOT NULL,
  aliases TEXT NOT NULL, -- JSON
  added_at INTEGER NOT NULL
);

-- Compliance runs with their verdicts and their evidence, and the resulting standings.
CREATE TABLE compliance_run (
  agent TEXT NOT NULL,
  id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  hidden INTEGER NOT NULL, -- a dry run or a part of the storyboards: it does not count for the standing
  imported INTEGER NOT NULL,
  passing INTEGER NOT NULL,
  judged TEXT NOT NULL, -- the run without its steps, with its verdict
  evidence BLOB, -- the whole run as JSON, deflated; null: it was imported, or the evidence was pruned
  PRIMARY KEY (agent, id)
);
CREATE INDEX compliance_run_history ON compliance_run (agent, started_at, id);
CREATE INDEX compliance_run_old ON compliance_run (started_at);
CREATE INDEX compliance_run_evidence ON compliance_run (started_at) WHERE passing = 1 AND evidence IS NOT NULL;

CREATE TABLE compliance_standing (
  agent TEXT PRIMARY KEY,
  standing TEXT NOT NULL,
  latest_run TEXT, -- the run that the standing shows: never pruned
  history_pruned INTEGER NOT NULL -- runs were pruned: the standing cannot be computed from those that are left
) WITHOUT ROWID;

CREATE TABLE bundle_standing (
  agent TEXT NOT NULL,
  version TEXT NOT NULL, -- of the bundle
  standing TEXT NOT NULL, -- JSON
  PRIMARY KEY (agent, version)
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
CREATE INDEX badge_revoked ON badge (revoked_at) WHERE revoked_at IS NOT NULL;

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

-- When agents are tested, and by which process.
CREATE TABLE run_schedule (
  agent TEXT PRIMARY KEY,
  registrable_domain TEXT NOT NULL,
  next_run_at INTEGER, -- null: never
  reconsider_at INTEGER, -- when badges are evaluated without a run; null: never
  asked_run TEXT, -- the id of a requested run
  asked_as TEXT, -- its trigger
  asked_at INTEGER,
  leased_run TEXT, -- the requested run that the lease is for
  fence INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  lease_holder TEXT, -- the process that tests it
  asked_storyboard TEXT, -- null: all
  progress TEXT, -- JSON: progress of the run
  asked_target TEXT
) WITHOUT ROWID;
CREATE INDEX run_schedule_due ON run_schedule (next_run_at, agent) WHERE next_run_at IS NOT NULL;
CREATE INDEX run_schedule_asked ON run_schedule (asked_at, agent) WHERE asked_at IS NOT NULL;
CREATE INDEX run_schedule_held ON run_schedule (lease_holder) WHERE lease_holder IS NOT NULL;
CREATE INDEX run_schedule_reconsider ON run_schedule (reconsider_at, agent) WHERE reconsider_at IS NOT NULL;
`;

/** Creates the tables. */
export async function up(db: Db): Promise<void> {
  const text = TABLES.replaceAll(/--.*$/gm, '');
  for (const statement of (isPostgres(db) ? inPostgres(text) : text).split(';'))
    if (statement.trim() !== '') await sql.raw(statement).execute(db);
}

/** Texts compare byte by byte, as the order of every list is that of the bytes of a URL. */
function inPostgres(text: string): string {
  return text
    .replaceAll(
      /INTEGER PRIMARY KEY( AUTOINCREMENT)?/g,
      'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY',
    )
    .replaceAll(/\bINTEGER\b/g, 'BIGINT')
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')
    .replaceAll(/\bBLOB\b/g, 'BYTEA')
    .replaceAll(') WITHOUT ROWID', ')');
}
