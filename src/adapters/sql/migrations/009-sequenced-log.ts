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
