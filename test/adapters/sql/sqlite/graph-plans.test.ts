import { describe, expect, it, onTestFinished } from 'vitest';
import { createAuthorisationStore } from '../../../../src/adapters/sql/records/agents/authorisation-facts.ts';
import { createGraph } from '../../../../src/adapters/sql/records/agents/graph.ts';
import type { SqlStore, SqlTask, Statement } from '../../../../src/adapters/sql/sql-tasks.ts';
import { createSqliteStore } from '../../../../src/adapters/sql/sqlite/database.ts';
import { openSqliteRecords } from '../../../../src/adapters/sql/sqlite/sqlite-records.ts';
import type { Graph } from '../../../../src/ports/graph.ts';

const AGENT = 'https://a.example/mcp';
const READS: readonly (readonly [string, (graph: Graph) => Promise<unknown>])[] = [
  ['publishers', (graph) => graph.publishers('a', 10)],
  ['publishersAmong', (graph) => graph.publishersAmong(['a.example'])],
  ['agentsOf', (graph) => graph.agentsOf('a.example', 10)],
  ['agentsOfEach', (graph) => graph.agentsOfEach(['a.example', 'b.example'], 10)],
  ['publishersOf, live', (graph) => graph.publishersOf(AGENT, { limit: 10, isLive: true })],
  ['publishersOf, ended', (graph) => graph.publishersOf(AGENT, { limit: 10, isLive: false })],
  ['domainsOf, no row', (graph) => graph.domainsOf(AGENT, '', 10)],
  ['standingOf', (graph) => graph.standingOf(AGENT)],
  ['properties', (graph) => graph.properties('a.example', { count: 10, bytes: 10 })],
  ['publishersListing', (graph) => graph.publishersListing('domain', 'a.example', 10)],
  ['agentsNamedBy', (graph) => graph.agentsNamedBy('a.example', 10)],
];

/** The plans of all statements that a read sends; each is answered with one row, so that those behind it are planned as well. */
async function plansOf(read: (store: SqlStore) => Promise<unknown>): Promise<readonly string[]> {
  const records = await openSqliteRecords({ path: ':memory:' });
  onTestFinished(() => records.close());
  const plans: string[] = [];
  const answerOf = ({ text, values, wants }: Statement) => {
    const { database } = records;
    for (const row of database.statement(`EXPLAIN QUERY PLAN ${text}`).all(...(values as never[])))
      plans.push(String((row as { detail: unknown }).detail));
    const found = { publisher: 'a.example', key: 'a.example', count_by_type: '{}', seen_until: null, n: 1 };
    const rows = [{ ...found, id: 1, identifiers: '[]', tags: '[]', agent: AGENT, count: 1 }];
    return wants === 'rows' ? rows : rows[0];
  };
  const explained = <T>(task: SqlTask<T>): T => {
    for (let step = task.next(); ; ) {
      if (step.done) return step.value;
      const wanted = step.value;
      step = task.next('together' in wanted ? wanted.together.map(explained) : answerOf(wanted));
    }
  };
  await read({ ...createSqliteStore(records.database), read: async (task) => explained(task()) });
  expect(plans.length).toBeGreaterThan(0);
  return plans;
}

/** Those that read a whole table. */
function scansAmong(plans: readonly string[]): readonly string[] {
  return plans.filter(
    (plan) => plan.startsWith('SCAN') && !/listed|json_each|some|VIRTUAL|subquery/.test(plan),
  );
}

describe('the graph', () => {
  it.each(READS)('reads %s by index, never a whole table', async (name, read) => {
    const plans = await plansOf((store) => read(createGraph(store)));
    expect([scansAmong(plans), plans]).toEqual([[], plans]);
    if (name.endsWith('no row')) expect(plans).toEqual([expect.stringContaining('USING COVERING INDEX')]);
  });
});

describe('who may sell what', () => {
  it('is read by the agents that are asked about, whoever else the publisher names', async () => {
    const question = { property: { type: 'domain', value: 'a.example' } };
    const plans = await plansOf((store) => createAuthorisationStore(store).facts(question, [AGENT, 'b']));
    expect([scansAmong(plans), plans]).toEqual([[], plans]);
    const edges = plans.filter((plan) => plan.includes('SEARCH authorisation '));
    expect(edges).toHaveLength(4);
    expect(edges.filter((plan) => !plan.includes('authorisation_agent (agent=? AND publisher=?'))).toEqual(
      [],
    );
  });
});
