/**
 * The compliance operation over HTTP on the embedded store: many agents, some of them owned, tested and with badges.
 *
 *   npm run bench -- compliance-read [--quick]
 *   node bench/compliance-read.ts [--agents 1000000] [--tested 10000] [--each 3000]
 */
import { parseArgs } from 'node:util';
import type { RegistryServerInput } from './sides/registry-server.ts';
import { fillTested } from './support/fill-tested.ts';
import { oneRun } from './support/one-run.ts';
import { withScratchStore } from './support/scratch.ts';
import { startSide } from './support/side.ts';
import { timeCompliance } from './support/time-compliance.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    agents: { type: 'string' },
    tested: { type: 'string' },
    each: { type: 'string' },
  },
});
const agents = Number(options.agents ?? (options.quick ? 2_000 : 1_000_000));
const tested = Number(options.tested ?? (options.quick ? 50 : 10_000));
const each = Number(options.each ?? (options.quick ? 100 : 3_000));
const SEED = 20_261_121;

await withScratchStore(async (path) => {
  const begun = performance.now();
  const filled = await fillTested({ path, agents, tested, run: await oneRun() });
  console.log(`${agents} agents, ${tested} of them tested, in ${seconds(performance.now() - begun)}`);
  const input: RegistryServerInput = { store: `sqlite:${path}` };
  const ours = await startSide<{ port: number }, number>('registry-server', input);
  try {
    const title = `Compliance operation, ${agents} agents, embedded`;
    await timeCompliance({ title, ours, agents: filled, each, targetMs: 10, seed: SEED });
  } finally {
    await ours.stop();
  }
});

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
