/** Sources, what was fetched and declared there, and what follows from it. */
export const CRAWL_TABLES = `
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
);

-- A reason to look somewhere. Both files of a domain share visit 'domain'. A fence only ever grows.
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
  UNIQUE (kind, key)
);
CREATE INDEX source_due ON source (visit, next_visit_at);
CREATE INDEX source_rederive ON source (rederive_at) WHERE rederive_at IS NOT NULL;

-- Bodies are kept once, by the SHA-256 of their bytes.
CREATE TABLE body (
  hash TEXT PRIMARY KEY,
  bytes BLOB NOT NULL
);
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
  error_detail TEXT
);
CREATE INDEX capture_source ON capture (source);

-- What was read is kept once, by hash: thousands of publishers may share their manager's file.
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
  seen_until INTEGER
);
CREATE INDEX declaration_source ON declaration (source);
CREATE TABLE declaration_body (
  declaration INTEGER NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (declaration, hash)
) WITHOUT ROWID;

-- The edges. A publisher's adagents source owns all rows of that publisher.
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
  seen_until INTEGER
);
CREATE INDEX authorisation_publisher ON authorisation (publisher, seen_until);
CREATE INDEX authorisation_agent ON authorisation (agent, publisher) WHERE seen_until IS NULL;

-- Somebody's file names an agent; 'own' when the file stands on the agent's registrable domain.
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

CREATE TABLE reference_to (
  declarer TEXT NOT NULL,
  file TEXT NOT NULL,
  domain TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (declarer, file, domain, reason)
) WITHOUT ROWID;
CREATE TABLE operator (
  house TEXT NOT NULL,
  operator TEXT NOT NULL,
  PRIMARY KEY (house, operator)
) WITHOUT ROWID;

CREATE TABLE probe_budget (
  registrable_domain TEXT NOT NULL,
  hour INTEGER NOT NULL,
  spent INTEGER NOT NULL,
  PRIMARY KEY (registrable_domain, hour)
) WITHOUT ROWID;

-- What robots.txt says to us by name, for a day; most sites say nothing, which is worth remembering too.
CREATE TABLE robots (
  origin TEXT PRIMARY KEY,
  rules TEXT,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;

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
`;
