/**
 * What an edge covers, its limits and its keys; and the live properties of publishers with the names by which they are
 * found. Rows of before have none of it, and authorise nothing until their file is read anew.
 */
export const AUTHORISE = `
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
`;
