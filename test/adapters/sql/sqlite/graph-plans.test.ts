import { describe, expect, it, onTestFinished } from 'vitest';
import { createGraph } from '../../../../src/adapters/sql/records/agents/graph.ts';
import type { Statement } from '../../../../src/adapters/sql/sql-tasks.ts';
import { createSqliteStore } from '../../../../src/adapters/sql/sqlite/database.ts';
import { openSqliteRecords } from '../../../../src/adapters/sql/sqlite/sqlite-records.ts';
import type { Graph } from '../../../../src/ports/graph.ts';

const AGENT = 'https://a.example/mcp';
const READS: readonly (readonly [string, (graph: Graph) => Promise<unknown>])[] = [
  ['publishers', (graph) => graph.publishers('a', 10)],
  ['publishersAmong', (graph) => graph.publishersAmong(['a.example'])],
  ['agentsOf', (graph) => graph.agentsOf('a.example', 10)],
  ['publishersOf, live', (graph) => graph.publishersOf(AGENT, { limit: 10, isLive: true })],
  ['publishersOf, ended', (graph) => graph.publishersOf(AGENT, { limit: 10, isLive: false })],
  ['domainsOf, no row', (graph) => graph.domainsOf(AGENT, '', 10)],
  ['standingOf', (graph) => graph.standingOf(AGENT)],
  ['properties', (graph) => graph.properties('a.example', { count: 10, bytes: 10 })],
  ['publishersListing', (graph) => graph.publishersListing('domain', 'a.example', 10)],
  ['agentsNamedBy', (graph) => graph.agentsNamedBy('a.example', 10)],
];

describe('the graph', () => {
  it.each(READS)('reads %s by index, never a whole table', async (name, read) => {
    const records = await openSqliteRecords({ path: ':memory:' });
    onTestFinished(() => records.close());
    const plans: string[] = [];
    const store = createSqliteStore(records.database);
    const explained = (work: Parameters<typeof store.read>[0]) => {
      const task = work();
      for (let step = task.next(); ; ) {
        if (step.done) return Promise.resolve(step.value);
        step = task.next(answerOf(step.value as Statement));
      }
    };
    const answerOf = ({ text, values, wants }: Statement) => {
      const { database } = records;
      for (const row of database.statement(`EXPLAIN QUERY PLAN ${text}`).all(...(values as never[])))
        plans.push(String((row as { detail: unknown }).detail));
      // one row of each kind, so that the reads behind the first are planned as well
      const found = { publisher: 'a.example', key: 'a.example', count_by_type: '{}', seen_until: null, n: 1 };
      const rows = [{ ...found, id: 1, identifiers: '[]', tags: '[]' }];
      return wants === 'rows' ? rows : rows[0];
    };
    await read(createGraph({ ...store, read: explained as typeof store.read }));
    expect(plans.length).toBeGreaterThan(0);
    const scans = plans.filter(
      (plan) => plan.startsWith('SCAN') && !/listed|json_each|some|VIRTUAL|subquery/.test(plan),
    );
    expect([scans, plans]).toEqual([[], plans]);
    if (name.endsWith('no row')) expect(plans).toEqual([expect.stringContaining('USING COVERING INDEX')]);
  });
});
