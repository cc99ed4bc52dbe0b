/**
 * The search with facets on the embedded index, in process.
 *
 *   node bench/search-sql.ts [--agents 100000] [--rounds 100] [--store PATH to keep it] [--quick]
 */
import { parseArgs } from 'node:util';
import { withFilledIndex } from './support/filled-index.ts';
import { printTable } from './support/table.ts';
import { timeSearches, WARM_UP } from './support/time-search.ts';

const { values: options } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '100' },
    store: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const agents = options.quick ? 2_000 : Number(options.agents);
const rounds = options.quick ? 20 : Number(options.rounds);

await withFilledIndex({ agents, store: options.store }, async (index) => {
  await timeSearches(index, WARM_UP);
  const rows = (await timeSearches(index, rounds)).map(({ name, p50, p99, cpuP99, agents: found }) => ({
    ...{ case: name, 'p50 ms': p50, 'p99 ms': p99, 'CPU p99 ms': cpuP99, agents: found },
  }));
  printTable(`Search with facets, ${agents} agents (target: p99 under 120 ms)`, rows);
});
