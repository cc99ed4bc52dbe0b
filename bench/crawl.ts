/**
 * CPU time of a crawl's process, first visit and again unchanged, beside a bare undici loop and a bare Crawlee crawler that
 * make the same requests over the same connections.
 *
 *   npm run bench -- crawl [--quick]
 *   node bench/crawl.ts [--domains 10000] [--rounds 3] [--latency 100]
 *
 * `--latency`: each publisher takes this many milliseconds, and up to twice as many more, to answer; by default none.
 */
import { parseArgs } from 'node:util';
import { readConfig } from '../src/config.ts';
import type { OurInput, OurResult } from './sides/crawl-ours.ts';
import type { Seen } from './sides/web.ts';
import type { PeerInput } from './support/bare-undici.ts';
import { publisherNames } from './support/publishers.ts';
import { withScratchStore } from './support/scratch.ts';
import { type Cost, runSide } from './support/side.ts';
import { median } from './support/statistics.ts';
import { printTable } from './support/table.ts';
import { startWeb, type Web } from './support/web.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    domains: { type: 'string' },
    rounds: { type: 'string' },
    latency: { type: 'string', default: '0' },
  },
});
const domains = publisherNames(Number(options.domains ?? (options.quick ? 300 : 10_000)));
const rounds = Number(options.rounds ?? (options.quick ? 1 : 3));
const latencyMs = Number(options.latency);
const CONCURRENCY = latencyMs > 0 ? readConfig({}).concurrency : 100;
const PASSES = ['first', 'again'] as const;
const SIDES = ['ours', 'undici', 'crawlee'] as const;
type Pass = (typeof PASSES)[number];
/** Times the CPU of the bare loop. */
const TARGET: Record<Pass, number> = { first: 2.2, again: 1.6 };
type Side = (typeof SIDES)[number];

interface Measured {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly seen: Seen;
  /** Of ours alone. */
  readonly feed?: OurResult['feed'] | undefined;
}

const web = await startWeb({ agents: 40, latencyMs });
try {
  const measured: Record<Pass, Record<Side, Measured[]>> = {
    first: { ours: [], undici: [], crawlee: [] },
    again: { ours: [], undici: [], crawlee: [] },
  };
  for (let round = 0; round < rounds; round += 1) {
    await withScratchStore(async (store) => {
      for (const pass of PASSES)
        for (const side of SIDES) measured[pass][side].push(await measure(side, pass, store, web));
    });
  }
  for (const pass of PASSES) report(pass, measured[pass]);
} finally {
  await web.stop();
}

async function measure(side: Side, pass: Pass, store: string, { port, ca, seen }: Web): Promise<Measured> {
  const common = { port, ca, domains, concurrency: CONCURRENCY };
  await seen();
  const cost: Cost<OurResult | undefined> =
    side === 'ours'
      ? await runSide('crawl-ours', { ...common, store } satisfies OurInput)
      : await runSide(`crawl-${side}`, { ...common, again: pass === 'again' } satisfies PeerInput);
  return { cpuMs: cost.cpuMs, wallMs: cost.wallMs, seen: await seen(), feed: cost.result?.feed };
}

function report(pass: Pass, sides: Record<Side, readonly Measured[]>): void {
  const cpu = (side: Side) => median(sides[side].map((one) => one.cpuMs)) / domains.length;
  const rows = SIDES.map((side) => {
    const last = sides[side].at(-1);
    return {
      side,
      'CPU ms a domain': cpu(side),
      'ours / it': side === 'ours' ? '' : cpu('ours') / cpu(side),
      target: side === 'undici' ? `≤ ${TARGET[pass]}` : '',
      'domains a second': (domains.length * 1_000) / median(sides[side].map((one) => one.wallMs)),
      connections: last?.seen.connections ?? 0,
      requests: last?.seen.requests ?? 0,
      'of them 304': last?.seen.unchanged ?? 0,
      probes: last?.seen.probes ?? 0,
      'the feed, % of CPU': last?.feed === undefined ? '' : (last.feed.cpuMs / last.cpuMs) * 100,
      'rows of the feed': last?.feed?.rows ?? '',
    };
  });
  printTable(
    `Crawl, ${pass === 'first' ? 'first visit' : 'again, unchanged'} (${domains.length} domains, n = ${rounds})`,
    rows,
  );
}
