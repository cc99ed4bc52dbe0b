/** What the lab has seen of agents for those who asked. */
export const LAB = `
CREATE TABLE lab_report (
  id TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  value TEXT -- JSON; null while it is under way
) WITHOUT ROWID;
CREATE INDEX lab_report_agent ON lab_report (agent, asked_at);
CREATE INDEX lab_report_asked ON lab_report (asked_at);
`;
