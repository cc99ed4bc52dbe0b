/** Publishers whose file counts, in the order of their domains; and what agents lost, for their directory. */
export const GRAPH = `
CREATE INDEX source_publisher ON source (key) WHERE kind = 'adagents' AND declaration IS NOT NULL;
-- All that a list of an agent's publishers asks for: with 10,000,000 edges each row lies elsewhere.
DROP INDEX authorisation_agent;
CREATE INDEX authorisation_agent ON authorisation (agent, publisher, id, sells, seen_until) WHERE seen_until IS NULL;
CREATE INDEX authorisation_ended ON authorisation (agent, publisher) WHERE seen_until IS NOT NULL;

-- What a list of publishers tells of each, counted when it is written: agents that it authorises for something that it has,
-- and properties in its catalogue. Properties of before are read with their file, anew.
ALTER TABLE declaration ADD COLUMN agents INTEGER NOT NULL DEFAULT 0;
ALTER TABLE declaration ADD COLUMN properties INTEGER NOT NULL DEFAULT 0;
UPDATE declaration SET agents = (
  SELECT COUNT(DISTINCT authorisation.agent) FROM source
  JOIN authorisation ON authorisation.publisher = source.key AND authorisation.seen_until IS NULL
  WHERE source.declaration = declaration.id AND source.kind = 'adagents'
) WHERE seen_until IS NULL;
`;
