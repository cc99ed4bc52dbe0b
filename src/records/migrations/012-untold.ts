/**
 * What the edge log has still to tell lies in a table of its own. A mark there is two numbers, which are deleted when they
 * are told. In the row itself it was written anew for them, into each of its indexes.
 */
export const UNTOLD_MARKS = `
CREATE TABLE untold (
  what INTEGER NOT NULL, -- what happened: the words are UNTOLD's
  id INTEGER NOT NULL, -- up to 3 of an authorisation, else of a declaration
  PRIMARY KEY (what, id)
) WITHOUT ROWID;
INSERT INTO untold (what, id)
  SELECT CASE WHEN seen_until IS NULL THEN 3 ELSE 1 END, id FROM authorisation WHERE told_at IS NULL;
INSERT INTO untold (what, id)
  SELECT CASE WHEN seen_until IS NULL THEN 5 ELSE 4 END, id FROM declaration WHERE told_at IS NULL;
DROP INDEX authorisation_untold;
DROP INDEX declaration_untold;
ALTER TABLE authorisation DROP COLUMN told_at;
ALTER TABLE declaration DROP COLUMN told_at;
`;
