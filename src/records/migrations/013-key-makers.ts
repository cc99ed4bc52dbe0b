/**
 * Each API key names the key that made it. Keys of before are found in the audit log: `key.create` has the maker as its
 * actor. A successor has the maker of the key that it renews.
 */
export const KEY_MAKERS = `
ALTER TABLE api_key ADD COLUMN made_by TEXT; -- the id of a key; null: the operator, an invitation or a proof made it
CREATE INDEX api_key_made_by ON api_key (made_by);
CREATE INDEX api_key_renewed_by ON api_key (renewed_by);
UPDATE api_key SET made_by = (
  WITH RECURSIVE line (id) AS (
    SELECT api_key.id
    UNION SELECT older.id FROM api_key AS older JOIN line ON older.renewed_by = line.id
  )
  SELECT audit.actor FROM audit JOIN line ON audit.subject = line.id
  WHERE audit.action = 'key.create' AND audit.actor IN (SELECT known.id FROM api_key AS known)
  LIMIT 1
);
`;
