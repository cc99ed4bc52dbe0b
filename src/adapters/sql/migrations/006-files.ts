/** What files say, kept so that a question is answered from rows; and what is remembered of the files themselves. */
export const FILES = `
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
