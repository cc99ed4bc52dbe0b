/**
 * A change is appended with its version in the transaction of the change itself. Its number in the log, by which readers
 * follow, is given afterwards, so that no writer waits for another one.
 */
export const SEQUENCED_LOG = `
ALTER TABLE change_log RENAME COLUMN seq TO version;
ALTER TABLE change_log ADD COLUMN seq INTEGER; -- null: readers do not see the row yet
UPDATE change_log SET seq = version;
CREATE UNIQUE INDEX change_log_seq ON change_log (seq);
CREATE INDEX change_log_unnumbered ON change_log (version) WHERE seq IS NULL;
ALTER TABLE document RENAME COLUMN seq TO version;
`;

/** What happened to one agent, without a look at all others. */
export const CHANGES_OF_AGENTS = `
CREATE INDEX change_log_agent ON change_log (agent, seq);
`;

/** That a publisher's file was found, changed or is gone, in the order of the edge log. */
export const PUBLISHER_FILES = `
ALTER TABLE declaration ADD COLUMN told_at INTEGER; -- null: the edge log does not say yet how a publisher's file stands
UPDATE declaration SET told_at = seen_from
  WHERE seen_until IS NOT NULL OR source NOT IN (SELECT id FROM source WHERE kind = 'adagents');
CREATE INDEX declaration_untold ON declaration (id) WHERE told_at IS NULL;
ALTER TABLE edge_log ADD COLUMN declaration INTEGER; -- the row is of a publisher's file, without agent or scope; null: of an entry
CREATE INDEX edge_log_file ON edge_log (publisher, seq) WHERE declaration IS NOT NULL;
`;
