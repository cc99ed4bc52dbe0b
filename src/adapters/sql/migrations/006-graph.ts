/** Publishers whose file counts, in the order of their domains; and what agents lost, for their directory. */
export const GRAPH = `
CREATE INDEX source_publisher ON source (key) WHERE kind = 'adagents' AND declaration IS NOT NULL;
CREATE INDEX authorisation_ended ON authorisation (agent, publisher) WHERE seen_until IS NOT NULL;
`;
