/** Each page of the feed asks whether an owner has opted out since it was made, and each export who has. */
export const OPTED_OUT = `
CREATE INDEX agent_settings_opted_out ON agent_settings (updated_at, agent) WHERE opted_out = 1;
`;
