/** Edges that cover no property do not count for an agent's publishers. Rows of before were counted, and stay so until they end. */
export const SELLS = `
ALTER TABLE authorisation ADD COLUMN sells INTEGER NOT NULL DEFAULT 1;
`;
