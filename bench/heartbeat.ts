/**
 * Whether one machine can test 10,000 owned agents every 12 hours: a part of those 12 hours with the clock sped up, with
 * small agents under as many names; and the cost of a run of a full seller in the same process.
 *
 *   npm run bench -- heartbeat [--quick]
 *   node bench/heartbeat.ts [--agents 10000] [--hours 2] [--speed 60] [--sellers 40]
 */
import { parseArgs } from 'node:util';
import type { AgentsInput, AgentsReady } from './sides/agents.ts';
import type { HeartbeatSide, HeartbeatSideInput } from './sides/check-heartbeat.ts';
import type { LightAgentsReady } from './sides/light-agents.ts';
import { fillOwned } from './support/fill-owned.ts';
import { PARENT } from './support/publishers.ts';
import { withScratchStore } from './support/scratch.ts';
import { type Cost, runSide, startSide } from './support/side.ts';
import { printTable } from './support/table.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    agents: { type: 'string' },
    hours: { type: 'string' },
    speed: { type: 'string' },
    sellers: { type: 'string' },
  },
});
const agents = Number(options.agents ?? (options.quick ? 100 : 10_000));
const hours = Number(options.hours ?? (options.quick ? 0.5 : 2));
const speed = Number(options.speed ?? 60);
const sellers = Number(options.sellers ?? (options.quick ? 2 : 40));
const CONCURRENCY = 4;
const CORES = 2;
const HOUR = 3_600_000;
const INTERVAL = 12 * HOUR;
const FROM = Date.UTC(2026, 0, 6, 9);
const urls = (count: number) => Array.from({ length: count }, (_, at) => `https://agent-${at}.${PARENT}/mcp`);

printTable(`${agents} owned agents at 12 h, ${hours} h of it ${speed} times as fast`, [await light()]);
printTable(`${sellers} whole sellers that are all due`, [await whole()]);

async function light() {
  const server = await startSide<LightAgentsReady, null>('light-agents', {});
  try {
    const { connectTo } = server.ready;
    return await withScratchStore(async (store) => {
      await fillOwned(store, urls(agents), { from: FROM, overMs: INTERVAL });
      const cost = await beat({ store, connectTo, from: FROM, speed, lastingMs: hours * HOUR });
      const { runs, wallMs, largestDelayMs } = cost.result;
      return {
        ...figures(cost),
        'runs wanted': Math.round((agents * hours * HOUR) / INTERVAL),
        'runs a second here': (runs * 1_000) / wallMs,
        'largest delay, s of that clock': largestDelayMs / 1_000,
        'largest delay, s of ours': largestDelayMs / 1_000 / speed,
      };
    });
  } finally {
    await server.stop();
  }
}

async function whole() {
  const hosts = ['sales-1.agents.example', 'sales-2.agents.example'];
  const server = await startSide<AgentsReady, null>('agents', {
    hosts,
    numbered: sellers,
  } satisfies AgentsInput);
  try {
    const { connectTo } = server.ready;
    return await withScratchStore(async (store) => {
      const now = Date.now();
      await fillOwned(store, urls(sellers), { from: now, overMs: 0 });
      const cost = await beat({ store, connectTo, from: now, speed: 1, token: 'sandbox-desk' });
      return { ...figures(cost), 'runs a second here': (cost.result.runs * 1_000) / cost.result.wallMs };
    });
  } finally {
    await server.stop();
  }
}

function beat(input: Omit<HeartbeatSideInput, 'concurrency'>): Promise<Cost<HeartbeatSide>> {
  return runSide('check-heartbeat', { ...input, concurrency: CONCURRENCY } satisfies HeartbeatSideInput);
}

/** What all 10,000 would need of two cores follows from the CPU time of one run. */
function figures({ result, peakRssMiB }: Cost<HeartbeatSide>) {
  const each = result.cpuMs / Math.max(1, result.runs);
  return {
    runs: result.runs,
    complete: result.complete,
    'CPU ms a run': each,
    [`share of ${CORES} cores for 10,000 at 12 h`]: `${((10_000 * each * 100) / (INTERVAL * CORES)).toFixed(2)} %`,
    'peak MiB': peakRssMiB,
  };
}
