import { describe, expect, it } from 'vitest';
import { createAuthorisationStore } from '../../../src/records/agents/authorisations.ts';
import { createGraph, type Graph } from '../../../src/records/agents/graph.ts';
import { plansOf } from '../support/plans.ts';

const AGENT = 'https://a.example/mcp';
const READS: readonly (readonly [string, (graph: Graph) => Promise<unknown>])[] = [
  ['publishers', (graph) => graph.publishers('a', 10)],
  ['publishersAmong', (graph) => graph.publishersAmong(['a.example'])],
  ['agentsOf', (graph) => graph.agentsOf('a.example', 10)],
  ['agentsOfEach', (graph) => graph.agentsOfEach(['a.example', 'b.example'], 10)],
  ['publishersOf, live', (graph) => graph.publishersOf(AGENT, { limit: 10, isLive: true })],
  ['publishersOf, ended', (graph) => graph.publishersOf(AGENT, { limit: 10, isLive: false })],
  ['domainsOf, no row', (graph) => graph.domainsOf(AGENT, '', 10)],
  ['authorisationSummary', (graph) => graph.authorisationSummary(AGENT)],
  ['properties', (graph) => graph.properties('a.example', { count: 10, bytes: 10 })],
  ['pointingTo, no row', (graph) => graph.pointingTo('a.example', { after: '', limit: 10 })],
  ['publishersListing', (graph) => graph.publishersListing('domain', 'a.example', 10)],
  ['agentsNamedBy', (graph) => graph.agentsNamedBy('a.example', 10)],
];

const NUMBERS = { count_by_type: '{}', seen_until: null, n: 1, id: 1, count: 1, bytes: 1, property_bytes: 1 };
const FOUND = {
  publisher: 'a.example',
  key: 'a.example',
  agent: AGENT,
  identifiers: '[]',
  tags: '[]',
  properties: '[]',
  entries: '[]',
  ...NUMBERS,
};

/** Those that read a whole table. */
function scansAmong(plans: readonly string[]): readonly string[] {
  return plans.filter(
    (plan) => plan.startsWith('SCAN') && !/listed|json_each|some|agg|VIRTUAL|subquery/.test(plan),
  );
}

describe('the graph', () => {
  it.each(READS)('reads %s by index, never a whole table', async (name, read) => {
    const plans = await plansOf(FOUND, (store) => read(createGraph(store)));
    expect([scansAmong(plans), plans]).toEqual([[], plans]);
    if (name.endsWith('no row')) expect(plans).toEqual([expect.stringContaining('USING COVERING INDEX')]);
  });
});

describe('who may sell what', () => {
  it('is read by the agents that are asked about, whoever else the publisher names', async () => {
    const question = { property: { type: 'domain', value: 'a.example' } };
    const plans = await plansOf(FOUND, (store) =>
      createAuthorisationStore(store).facts(question, [AGENT, 'b']),
    );
    expect([scansAmong(plans), plans]).toEqual([[], plans]);
    const edges = plans.filter((plan) => plan.includes('SEARCH authorisation '));
    expect(edges).toHaveLength(3);
    expect(edges.filter((plan) => !plan.includes('authorisation_agent (agent=? AND publisher=?'))).toEqual(
      [],
    );
  });
});

it('the entries at an earlier moment are those of the publisher', async () => {
  const plans = await plansOf(FOUND, (store) =>
    createAuthorisationStore(store).entriesAt('a.example', AGENT, 5),
  );
  expect(plans[0]).toMatch(/^SEARCH authorisation USING INDEX authorisation_publisher \(publisher=\?/);
});
