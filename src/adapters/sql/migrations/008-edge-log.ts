/** The edges between publishers and agents in the order in which the registry tells of them. */
export const EDGE_LOG = `
ALTER TABLE authorisation ADD COLUMN told_at INTEGER; -- null: the edge log does not say yet how the row stands
UPDATE authorisation SET told_at = seen_until WHERE seen_until IS NOT NULL;
CREATE INDEX authorisation_untold ON authorisation (id) WHERE told_at IS NULL;
-- Rows are numbered under the lock of the change log, so that no number appears behind one that was read.
CREATE TABLE edge_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  authorisation INTEGER NOT NULL,
  agent TEXT NOT NULL,
  publisher TEXT NOT NULL,
  scope TEXT NOT NULL,
  ended_at INTEGER, -- null: the entry began
  at INTEGER NOT NULL
);
-- For prune: whether the same edge ended again.
CREATE INDEX edge_log_ended ON edge_log (agent, publisher, scope, seq) WHERE ended_at IS NOT NULL;
`;
