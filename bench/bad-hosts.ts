/**
 * How long good domains take beside silent ones: the file of one publisher names thousands of domains whose servers never
 * answer, and they are leased first. The floor is the crawl of the good domains alone.
 *
 *   npm run bench -- bad-hosts [--quick]
 */
import { parseArgs } from 'node:util';
import { startDnsServer } from '../test/support/dns-server.ts';
import type { AbusedInput, AbusedResult } from './sides/crawl-abused.ts';
import { publisherName, publisherNames } from './support/publishers.ts';
import { withScratchStore } from './support/scratch.ts';
import { type Cost, runSide } from './support/side.ts';
import { median } from './support/statistics.ts';
import { printTable } from './support/table.ts';
import { startWeb } from './support/web.ts';

/** Public, so that it is vetted like any other; no connection leads there. */
const ADDRESS = '93.184.215.14';
const TARGET = 2;

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const rounds = options.quick ? 1 : 3;
const good = publisherNames(options.quick ? 500 : 2_000);
/** Two of three hang, one drips. */
const silent = Array.from({ length: options.quick ? 1_000 : 10_000 }, (_, at) =>
  publisherName(at, at % 3 === 0 ? 'drip' : 'hang'),
);

const web = await startWeb({ agents: 40 });
const nameServer = await startDnsServer((name, type) => ({
  answers: type === 'A' ? [{ type: 'A', name, ttl: 60, data: ADDRESS }] : [],
}));
try {
  const alone: Cost<AbusedResult>[] = [];
  const beside: Cost<AbusedResult>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await crawl([]));
    beside.push(await crawl(silent));
  }
  const goodMs = (costs: readonly Cost<AbusedResult>[]) => median(costs.map(({ result }) => result.goodMs));
  const row = (crawled: string, costs: readonly Cost<AbusedResult>[]) => ({
    crawl: crawled,
    'good read': Math.min(...costs.map(({ result }) => result.read)),
    'good failed': Math.max(...costs.map(({ result }) => result.failed)),
    'good done s': goodMs(costs) / 1_000,
  });
  printTable(
    `${good.length} good domains beside ${silent.length} silent ones that one file names (n = ${rounds})`,
    [
      { ...row('good domains alone', alone), 'of alone': 1, target: '' },
      {
        ...row('beside the silent ones', beside),
        'of alone': goodMs(beside) / goodMs(alone),
        target: `≤ ${TARGET}`,
      },
    ],
  );
} finally {
  nameServer.close();
  await web.stop();
}

function crawl(namedByOne: readonly string[]): Promise<Cost<AbusedResult>> {
  return withScratchStore((store) => {
    const input: AbusedInput = {
      port: web.port,
      ca: web.ca,
      nameServer: nameServer.address,
      domains: good,
      namedByOne,
      store,
    };
    return runSide<AbusedResult>('crawl-abused', input);
  });
}
