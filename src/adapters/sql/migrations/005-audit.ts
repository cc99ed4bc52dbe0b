/**
 * The audit log as a chain: each record has the hash of the one before it. Records from before the chain have no hash;
 * the first record after them is chained to all of them. Both tables are only ever added to by a running registry.
 */
export const AUDIT_CHAIN = `
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
