/** Bundles of storyboards that an operator installs, where agents stand with each, and how owners want to be tested. */
export const BUNDLES = `
CREATE TABLE bundle (
  version TEXT PRIMARY KEY,
  line TEXT NOT NULL,
  vocabulary TEXT NOT NULL,
  digest TEXT NOT NULL,
  stage TEXT NOT NULL,
  aliases TEXT NOT NULL, -- JSON
  added_at INTEGER NOT NULL
);
CREATE TABLE bundle_standing (
  agent TEXT NOT NULL,
  version TEXT NOT NULL, -- of the bundle
  standing TEXT NOT NULL, -- JSON
  PRIMARY KEY (agent, version)
) WITHOUT ROWID;
ALTER TABLE agent_settings ADD COLUMN compliance_target TEXT; -- null: by what the agent declares
ALTER TABLE agent_settings ADD COLUMN test_setup TEXT; -- JSON; null: as the registry's
ALTER TABLE run_schedule ADD COLUMN asked_target TEXT; -- of the run that was asked for
`;
