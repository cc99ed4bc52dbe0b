/** What files say, kept so that a question is answered from rows; and what is remembered of the files themselves. */
const FILES = `
-- What an edge covers, its limits and its keys; and the live properties of publishers with the names by which they are
-- found. Rows of before have none of it, and authorise nothing until their file is read anew.
ALTER TABLE authorisation ADD COLUMN covers TEXT; -- JSON; null: written by an earlier version
ALTER TABLE authorisation ADD COLUMN limits TEXT; -- JSON; null: none
ALTER TABLE authorisation ADD COLUMN signing_keys TEXT; -- JSON; null: none
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
-- 'domain:news.example' for an identifier, '#home' for an id.
CREATE TABLE property_name (
  name TEXT NOT NULL,
  publisher TEXT NOT NULL,
  property INTEGER NOT NULL,
  PRIMARY KEY (name, publisher, property)
) WITHOUT ROWID;

-- What counts of earlier readings of a file: revocations that vanished, how new it was, a pointer that waits.
ALTER TABLE source ADD COLUMN memory TEXT; -- JSON; null: nothing

-- A large body is kept packed; null: as it came.
ALTER TABLE body ADD COLUMN packing TEXT;

-- Who points to a domain's file. The many domains that a network names are not in it: they are found by their declarer.
CREATE INDEX reference_pointer ON reference_to (domain, declarer)
  WHERE file = 'adagents' AND reason <> 'publisher_selector';

-- Edges that cover no property do not count for an agent's publishers. Rows of before were counted, and stay so until they end.
ALTER TABLE authorisation ADD COLUMN sells INTEGER NOT NULL DEFAULT 1;
`;

/** Nonces of signed requests, on the records so that all machines know them. `until`: epoch seconds, as signatures say it. */
const SIGNATURE_NONCES = `
CREATE TABLE signature_nonce (
  key TEXT NOT NULL,
  nonce TEXT NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (key, nonce)
) WITHOUT ROWID;
CREATE INDEX signature_nonce_key ON signature_nonce (key, until);
CREATE INDEX signature_nonce_until ON signature_nonce (until);
`;

/** Contacts are complete, and accreditations have the field's name beside ours: every agent is stitched anew, once. */
const RECORD_SHAPE = `
UPDATE agent SET revision = revision + 1, dirty_since = 0;
`;

/** Publishers whose file counts, in the order of their domains; and what agents lost, for their directory. */
const GRAPH = `
CREATE INDEX source_publisher ON source (key) WHERE kind = 'adagents' AND declaration IS NOT NULL;
-- All that a list of an agent's publishers asks for: with 10,000,000 edges each row lies elsewhere.
DROP INDEX authorisation_agent;
CREATE INDEX authorisation_agent ON authorisation (agent, publisher, id, sells, seen_until) WHERE seen_until IS NULL;
CREATE INDEX authorisation_ended ON authorisation (agent, publisher) WHERE seen_until IS NOT NULL;

-- What a list of publishers tells of each, counted when it is written: agents that it authorises for something that it has,
-- and properties in its catalogue. Properties of before are read with their file, anew.
ALTER TABLE declaration ADD COLUMN agents INTEGER NOT NULL DEFAULT 0;
ALTER TABLE declaration ADD COLUMN properties INTEGER NOT NULL DEFAULT 0;
UPDATE declaration SET agents = (
  SELECT COUNT(DISTINCT authorisation.agent) FROM source
  JOIN authorisation ON authorisation.publisher = source.key AND authorisation.seen_until IS NULL
  WHERE source.declaration = declaration.id AND source.kind = 'adagents'
) WHERE seen_until IS NULL;
`;

/** What is asked for again, and when owners decided. */
const ASKED_AGAIN = `
ALTER TABLE agent_settings ADD COLUMN created_at INTEGER; -- null: before it was written down, as the next two
ALTER TABLE agent_settings ADD COLUMN updated_at INTEGER;
ALTER TABLE agent_settings ADD COLUMN paused_at INTEGER;

-- Somebody asked for a visit: 1 for the next one, 2 for the one after that which goes on; and when it would have come.
ALTER TABLE source ADD COLUMN asked INTEGER;
ALTER TABLE source ADD COLUMN planned_at INTEGER;
CREATE TABLE crawl_request (
  id TEXT PRIMARY KEY,
  visit TEXT NOT NULL,
  key TEXT NOT NULL,
  registrable_domain TEXT NOT NULL,
  caller TEXT NOT NULL, -- a keyed hash
  is_member INTEGER NOT NULL,
  is_new INTEGER NOT NULL, -- the domain was not known before
  asked_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX crawl_request_key ON crawl_request (visit, key, asked_at);
CREATE INDEX crawl_request_caller ON crawl_request (caller, asked_at);
CREATE INDEX crawl_request_site ON crawl_request (registrable_domain, asked_at);
CREATE INDEX crawl_request_group ON crawl_request (is_member, asked_at);
CREATE INDEX crawl_request_new ON crawl_request (is_member, asked_at) WHERE is_new = 1;

-- A probe beside the schedule, as somebody asked for it, says nothing of how often an agent is there.
ALTER TABLE observation ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
`;

/** Domains whose brand.json counts, in their order; and which houses name a brand that stands elsewhere. */
const BRAND_FILES = `
CREATE INDEX source_brand ON source (key) WHERE kind = 'brand' AND declaration IS NOT NULL;
CREATE INDEX reference_brand ON reference_to (domain, declarer) WHERE file = 'brand' AND reason = 'brand';
`;

/** What a history of an agent's health reads of each probe; null in rows of before, whose `value` has it. */
const HEALTH = `
ALTER TABLE observation ADD COLUMN online INTEGER;
ALTER TABLE observation ADD COLUMN response_ms INTEGER;
ALTER TABLE observation ADD COLUMN error_class TEXT;
`;

/** Who may sell what, answered from rows; what is asked for again; health that is read quickly. */
export const FILES_AND_GRAPH =
  FILES + SIGNATURE_NONCES + RECORD_SHAPE + GRAPH + ASKED_AGAIN + BRAND_FILES + HEALTH;
