/** What is asked for again, and when owners decided. */
export const ASKED_AGAIN = `
ALTER TABLE agent_settings ADD COLUMN created_at INTEGER; -- null: before it was written down, as the next two
ALTER TABLE agent_settings ADD COLUMN updated_at INTEGER;
ALTER TABLE agent_settings ADD COLUMN paused_at INTEGER;
`;
