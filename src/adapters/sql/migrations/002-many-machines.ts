/** What several processes on one store agree on: whose turn a domain is, who does what only one may do. */
export const MANY_MACHINES = `
CREATE TABLE domain_turn (
  registrable_domain TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until INTEGER NOT NULL
);
CREATE TABLE named_lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  token TEXT NOT NULL, -- of one taking: whoever has it again has taken it already
  fence INTEGER NOT NULL,
  until INTEGER NOT NULL
);
-- The trace of the visit that found a source, changed an agent's facts, or led to a change: one id through all logs.
ALTER TABLE source ADD COLUMN trace TEXT;
ALTER TABLE agent ADD COLUMN trace TEXT;
ALTER TABLE change_log ADD COLUMN trace TEXT;
-- Due sources are read page by page, longest overdue first.
DROP INDEX source_due;
CREATE INDEX source_due ON source (visit, next_visit_at, id);
`;
