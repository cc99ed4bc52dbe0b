/**
 * The search with facets on the embedded index, in process, against its floor: fetching 50 agents by URL with one bare
 * prepared statement.
 *
 *   node bench/search-sql.ts [--agents 100000] [--rounds 100] [--quick]
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSqliteIndex } from '../src/adapters/sql/index/sqlite-index.ts';
import { openDatabase } from '../src/adapters/sql/sqlite/database.ts';
import type { SavedDocument } from '../src/ports/agent-store.ts';
import { readSearchQuery } from '../src/query/search-query.ts';
import { printTable } from './support/table.ts';
import { syntheticAgents } from './synthetic-agents.ts';

const { values: options } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '100' },
    quick: { type: 'boolean', default: false },
  },
});
const agents = options.quick ? 2_000 : Number(options.agents);
const rounds = options.quick ? 20 : Number(options.rounds);
const BATCH = 2_000;

const CASES: readonly (readonly [string, string])[] = [
  ['a word that everybody has', 'q=agent'],
  ['a rare word', 'q=v1990'],
  ['both', 'q=agent+v1990'],
  ['a word with a mistake', 'q=viewabilitty'],
  ['a word that nobody has', 'q=zzzzzzzz'],
  ['filters alone', 'accreditation=MRC&tags=premium&min_properties=5'],
  ['a common word and filters', 'q=agent&accreditation=MRC&tags=premium&min_properties=5'],
  ['ten common words', 'q=sells+measures+or+describes+advertising+for+the+publishers+that+it'],
  ['everybody', ''],
];

const path = join(tmpdir(), `registry-bench-search-${process.pid}.sqlite`);
const database = openDatabase(path);
const index = createSqliteIndex(database, { clock: { now: () => 0 } });
await fill();
const statement = database.statement('SELECT base FROM index_agent_1 WHERE url = ?');
const urls = Array.from(syntheticAgents(50), ({ agent }) => agent);
const floor = await timed(async () => void urls.map((url) => statement.get(url)));
const rows = [
  {
    case: 'floor: 50 agents by URL',
    'p50 ms': floor.p50,
    'p99 ms': floor.p99,
    'of the floor': 1,
    agents: 50,
  },
];
for (const [name, text] of CASES) {
  const read = readSearchQuery(new URLSearchParams(text), Date.now());
  if (!read.ok) throw new Error(read.problem.detail);
  const query = { ...read.query, facets: true as const };
  const { p50, p99 } = await timed(() => index.find(query));
  const { total } = await index.find(query);
  rows.push({
    case: name,
    'p50 ms': p50,
    'p99 ms': p99,
    'of the floor': p99 / floor.p99,
    agents: total.agents,
  });
}
printTable(`Search with facets, ${agents} agents (target: p99 under 20 ms)`, rows);
database.close();
for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });

async function fill(): Promise<void> {
  const [live] = await index.generations.list();
  let batch: SavedDocument[] = [];
  for (const agent of syntheticAgents(agents)) {
    if (batch.push(agent) < BATCH) continue;
    await index.generations.write(live?.id ?? 0, batch);
    batch = [];
  }
  await index.generations.write(live?.id ?? 0, batch);
}

/** Milliseconds. */
async function timed(work: () => Promise<unknown>): Promise<{ p50: number; p99: number }> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
