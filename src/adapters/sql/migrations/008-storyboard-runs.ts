/** Runs of one storyboard that somebody has asked for. */
export const STORYBOARD_RUNS = `
ALTER TABLE run_schedule ADD COLUMN asked_storyboard TEXT; -- null: all that the agent is to pass
`;
