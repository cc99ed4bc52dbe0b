/**
 * Benchmarks on a real OpenSearch and a real PostgreSQL, which each benchmark starts itself: all, or those that are named,
 * `npm run bench:engines [-- NAME… --quick]`. Options of one benchmark: `node bench/engines/NAME.ts`.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const BENCHMARKS = [
  ...[
    'list-opensearch',
    'search-opensearch',
    'compliance',
    'rebuild',
    'queue',
    'codec',
    'authorise',
    'graph',
    'growth',
  ],
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const names = positionals.length > 0 ? positionals : BENCHMARKS;
const unknown = names.find((name) => !BENCHMARKS.includes(name));
if (unknown !== undefined) {
  console.error(`unknown benchmark ${unknown}; the benchmarks are ${BENCHMARKS.join(', ')}`);
  process.exit(2);
}
for (const name of names) {
  const path = new URL(`engines/${name}.ts`, import.meta.url).pathname;
  const args = values.quick ? ['--quick'] : [];
  const { status } = spawnSync(process.execPath, [path, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
