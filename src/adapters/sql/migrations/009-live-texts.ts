/** What lists print of how an agent is, made when a probe is written: null until the first one since. */
export const LIVE_TEXTS = `
ALTER TABLE agent ADD COLUMN seen_text TEXT; -- members of freshness, each with the comma behind it
ALTER TABLE agent ADD COLUMN health_text TEXT; -- the member health, with the comma before it
`;
