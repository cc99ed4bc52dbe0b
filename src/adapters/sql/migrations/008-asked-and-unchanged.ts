/** Runs that somebody has asked for: of one storyboard, and how far they are. */
const ASKED_RUNS = `
ALTER TABLE run_schedule ADD COLUMN asked_storyboard TEXT; -- null: all that the agent is to pass
ALTER TABLE run_schedule ADD COLUMN so_far TEXT; -- JSON, of the run that is under way: what its process has told last
`;

/** A capture stands for every visit in a row that got the same answer. Rows of before stand for one visit each. */
const UNCHANGED_CAPTURES = `
ALTER TABLE capture ADD COLUMN last_seen_at INTEGER; -- null: written by an earlier version
ALTER TABLE capture ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
`;

/** What was asked for, and what did not change. */
export const ASKED_AND_UNCHANGED = ASKED_RUNS + UNCHANGED_CAPTURES;
