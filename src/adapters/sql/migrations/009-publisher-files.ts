/** That a publisher's file was found, changed or is gone, in the order of the edge log. */
export const PUBLISHER_FILES = `
ALTER TABLE declaration ADD COLUMN told_at INTEGER; -- null: the edge log does not say yet how a publisher's file stands
UPDATE declaration SET told_at = seen_from
  WHERE seen_until IS NOT NULL OR source NOT IN (SELECT id FROM source WHERE kind = 'adagents');
CREATE INDEX declaration_untold ON declaration (id) WHERE told_at IS NULL;
ALTER TABLE edge_log ADD COLUMN declaration INTEGER; -- the row is of a publisher's file, without agent or scope; null: of an entry
CREATE INDEX edge_log_file ON edge_log (publisher, seq) WHERE declaration IS NOT NULL;
`;
