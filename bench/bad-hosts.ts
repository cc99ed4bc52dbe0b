/**
 * How long a crawl takes when many servers never answer: the bound is what the bad ones alone must take, each its
 * deadline, over the visits at the same time.
 *
 *   npm run bench -- bad-hosts [--quick]
 */
import { parseArgs } from 'node:util';
import type { OurInput, OurResult } from './sides/crawl-ours.ts';
import { type Manner, publisherName } from './support/publishers.ts';
import { withScratchStore } from './support/scratch.ts';
import { runSide } from './support/side.ts';
import { printTable } from './support/table.ts';
import { startWeb } from './support/web.ts';

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const count = options.quick ? 200 : 2_000;
const concurrency = options.quick ? 50 : 200;
const rounds = options.quick ? 1 : 2;
/** The program's default; a short one would measure the good ones more than the waiting. */
const deadlineMs = options.quick ? 1_000 : 15_000;

/** Of every ten: two hang, one drips. */
const MANNERS: readonly Manner[] = [
  'good',
  'hang',
  'good',
  'good',
  'drip',
  'good',
  'good',
  'hang',
  'good',
  'good',
];

const domains = Array.from({ length: count }, (_, at) => publisherName(at, MANNERS[at % MANNERS.length]));
const bad = domains.filter((domain) => !domain.startsWith('good')).length;
const boundMs = (bad * deadlineMs) / concurrency;
const web = await startWeb({ agents: 40 });
try {
  const rows = [];
  for (let round = 0; round < rounds; round += 1) rows.push(await measure());
  printTable(
    `Bad hosts (${count} domains, ${bad} of them bad, ${concurrency} at the same time, ${deadlineMs} ms a visit)`,
    rows,
  );
} finally {
  await web.stop();
}

async function measure() {
  const { port, ca } = web;
  const { wallMs, cpuMs, result } = await withScratchStore((store) =>
    runSide<OurResult>('crawl-ours', {
      ...{ port, ca, domains, concurrency, store },
      visitDeadlineMs: deadlineMs,
    } satisfies OurInput),
  );
  return {
    'wall s': wallMs / 1_000,
    'bound s': boundMs / 1_000,
    'wall / bound': wallMs / boundMs,
    target: '≤ 1.15',
    'CPU s': cpuMs / 1_000,
    indexed: result.outcomes.indexed,
    unreachable: result.outcomes.unreachable,
  };
}
