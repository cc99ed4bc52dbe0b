/**
 * Runs all benchmarks or those that are named: `npm run bench [-- NAME… --quick]`. Options of one: `node bench/NAME.ts`.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/** What each benchmark runs: scripts with their arguments. */
const BENCHMARKS: Readonly<Record<string, readonly (readonly [script: string, ...full: string[]])[]>> = {
  crawl: [['crawl']],
  scale: [['scale']],
  growth: [['growth']],
  'bad-hosts': [['bad-hosts']],
  list: [['list-sql', '--agents', '100000']],
  search: [['search-sql', '--agents', '100000']],
  authorise: [['authorise']],
  graph: [['graph']],
  'local-directory': [['local-directory']],
  feed: [['feed'], ['feed-delay']],
  'list-http': [['list-http']],
  pages: [['pages']],
  help: [['help']],
  'trusted-match': [['trusted-match']],
  compliance: [['compliance']],
  'compliance-read': [['compliance-read']],
  heartbeat: [['heartbeat']],
  abuse: [['abuse']],
  'hostile-files': [['hostile-files']],
  soak: [['soak']],
};
const QUICK: Readonly<Record<string, readonly string[]>> = {
  'list-sql': ['--agents', '2000', '--rounds', '20'],
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const names = positionals.length > 0 ? positionals : Object.keys(BENCHMARKS);
const unknown = names.find((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown !== undefined) {
  console.error(`unknown benchmark ${unknown}; the benchmarks are ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exit(2);
}
for (const name of names) {
  const scripts = BENCHMARKS[name] ?? [];
  for (const [script, ...full] of values.quick ? scripts.slice(0, 1) : scripts) run(script, full);
}

function run(script: string, full: readonly string[]): void {
  const args = values.quick ? (QUICK[script] ?? ['--quick']) : full;
  const path = new URL(`${script}.ts`, import.meta.url).pathname;
  const { status } = spawnSync(process.execPath, [path, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
