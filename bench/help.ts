/**
 * How long `agent-registry --help` takes, beside a Node that does nothing.
 *
 *   npm run bench -- help [--quick]
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { median } from './support/statistics.ts';
import { printTable } from './support/table.ts';

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const rounds = options.quick ? 2 : 10;
const launcher = new URL('../bin/agent-registry.mjs', import.meta.url).pathname;
const SIDES = {
  'agent-registry --help': [launcher, '--help'],
  'agent-registry crawl --help': [launcher, 'crawl', '--help'],
  'node -e 0': ['-e', '0'],
};
const times = Object.fromEntries(Object.keys(SIDES).map((side) => [side, [] as number[]]));
for (let round = 0; round < rounds; round += 1)
  for (const [side, args] of Object.entries(SIDES)) times[side]?.push(timeOf(args));

printTable(
  `Help (n = ${rounds})`,
  Object.entries(times).map(([side, ms]) => ({
    side,
    'median ms': Math.round(median(ms)),
    target: side.startsWith('agent-registry') ? '≤ 300' : '',
  })),
);

function timeOf(args: readonly string[]): number {
  const started = performance.now();
  execFileSync(process.execPath, args, { stdio: 'pipe' });
  return performance.now() - started;
}
