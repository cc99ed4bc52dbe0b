import { expect, it } from 'vitest';
import { createAgentStore } from '../../../src/records/agents/agents.ts';
import { authorisation, documentOf, facts, mention, NOW } from '../../contract/records-fixtures.ts';
import { declare } from '../../contract/records-steps.ts';
import { countedStore } from '../support/plans.ts';

it('reads the facts of 40 agents with as many queries as those of one', async () => {
  const { agents, store, counted } = await storeOfAgents(40);
  counted.statements = 0;
  expect(await store.facts(agents.slice(0, 1))).toHaveLength(1);
  const ofOne = counted.statements;
  counted.statements = 0;
  const found = await store.facts(agents);
  expect(found.map(({ mentions, portfolio }) => [mentions.length, portfolio?.publishers])).toEqual(
    agents.map(() => [1, ['a.example']]),
  );
  expect(counted.statements).toBe(ofOne);
});

it('saves 40 documents with one query for each agent and a few for all', async () => {
  const { agents, store, counted } = await storeOfAgents(40);
  const stitched = agents.map((agent) => ({
    agent,
    revision: 9,
    stitched: { document: documentOf(agent) },
  }));
  counted.statements = 0;
  const saved = await store.saveStitched(stitched, NOW);
  expect(counted.statements).toBeLessThan(50);
  expect(saved.map(({ agent }) => agent)).toEqual(agents);
  expect((await store.changes(0, 100)).map(({ agent, kind }) => [agent, kind])).toEqual(
    agents.map((agent) => [agent, 'listed']),
  );
});

/** Agents with one publisher and a brand.json each. */
async function storeOfAgents(length: number) {
  const { records, counted, store } = await countedStore();
  const hosts = Array.from({ length }, (_, n) => `agent${String(n).padStart(2, '0')}.example`);
  const agents = hosts.map((host) => `https://${host}/mcp`);
  const authorisations = agents.map((agent, n) =>
    authorisation('a.example', agent, { entry: `/authorized_agents/${n}` }),
  );
  await declare(records, 'a.example', 'adagents', 'a', facts({ authorisations }));
  for (const host of hosts)
    await declare(records, host, 'brand', host, facts({ mentions: [mention(host, `https://${host}/mcp`)] }));
  return { agents, store: createAgentStore(store, false), counted };
}
