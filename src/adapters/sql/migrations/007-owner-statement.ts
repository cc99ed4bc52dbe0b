/** What the owner of an agent says of how it does in tests: one text, of the member that owns it. */
export const OWNER_STATEMENT = `
CREATE TABLE owner_statement (
  agent TEXT PRIMARY KEY,
  member TEXT NOT NULL,
  text TEXT NOT NULL,
  said_at INTEGER NOT NULL
) WITHOUT ROWID;
`;
