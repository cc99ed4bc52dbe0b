/** What counts of earlier readings of a file: revocations that vanished, how new it was, a pointer that waits. */
export const FILE_MEMORY = `
ALTER TABLE source ADD COLUMN memory TEXT; -- JSON; null: nothing
`;
