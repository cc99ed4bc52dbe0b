/** What is asked for again, and when owners decided. */
export const ASKED_AGAIN = `
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
