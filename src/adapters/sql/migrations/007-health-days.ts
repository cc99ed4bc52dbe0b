/** A page of a list reads 30 days of each of its agents from the index alone; it begins as the one that it replaces. */
export const HEALTH_DAYS = `
CREATE INDEX observation_day ON observation (agent, at, asked, online);
DROP INDEX observation_agent;
`;
