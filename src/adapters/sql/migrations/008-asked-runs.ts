/** Runs that somebody has asked for: of one storyboard, and how far they are. */
export const ASKED_RUNS = `
ALTER TABLE run_schedule ADD COLUMN asked_storyboard TEXT; -- null: all that the agent is to pass
ALTER TABLE run_schedule ADD COLUMN so_far TEXT; -- JSON, of the run that is under way: what its process has told last
`;
