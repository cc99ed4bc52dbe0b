/** What happened to one agent, without a look at all others. */
export const CHANGES_OF_AGENTS = `
CREATE INDEX change_log_agent ON change_log (agent, seq);
`;
