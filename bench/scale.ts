/**
 * CPU per domain and memory of a crawl as the number of domains grows, and as the number of publishers of one agent grows.
 *
 *   npm run bench -- scale [--quick]
 */
import { parseArgs } from 'node:util';
import type { OurInput, OurResult } from './sides/crawl-ours.ts';
import { publisherNames } from './support/publishers.ts';
import { withScratchStore } from './support/scratch.ts';
import { type Cost, runSide } from './support/side.ts';
import { printTable } from './support/table.ts';
import { startWeb } from './support/web.ts';

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const CONCURRENCY = 100;

await grow('More domains (40 agents)', 40, options.quick ? [100, 300] : [1_000, 10_000, 50_000]);
await grow('More publishers of one agent', 1, options.quick ? [100, 300] : [2_000, 20_000]);

async function grow(title: string, agents: number, counts: readonly number[]): Promise<void> {
  const web = await startWeb({ agents });
  try {
    const costs: Cost<OurResult>[] = [];
    for (const count of counts) costs.push(await firstVisit(count, web));
    const cpu = costs.map((cost) => cost.cpuMs / cost.result.domains);
    printTable(
      title,
      costs.map((cost, at) => ({
        domains: cost.result.domains,
        'CPU ms a domain': cpu[at] ?? Number.NaN,
        'of the row above': at === 0 ? '' : (cpu[at] ?? Number.NaN) / (cpu[at - 1] ?? Number.NaN),
        'peak RSS MiB': Math.round(cost.peakRssMiB),
        'agents listed': cost.result.listed,
        'domains a second': Math.round((cost.result.domains * 1_000) / cost.wallMs),
      })),
    );
  } finally {
    await web.stop();
  }
}

function firstVisit(count: number, { port, ca }: { port: number; ca: string }): Promise<Cost<OurResult>> {
  const common = { port, ca, concurrency: CONCURRENCY, domains: publisherNames(count) };
  return withScratchStore((store) => runSide('crawl-ours', { ...common, store } satisfies OurInput));
}
