/**
 * How long the good domains of a crawl take beside one hostile file for every nine of them, compared with the crawl without;
 * also the memory of the process and the longest pause of its event loop. The floor is the same crawl beside as many more
 * good domains.
 *
 *   npm run bench -- hostile-files [--quick]
 *   node bench/hostile-files.ts [--domains 1000] [--rounds 3]
 */
import { parseArgs } from 'node:util';
import { startDnsServer } from '../test/support/dns-server.ts';
import type { AbusedInput, AbusedResult } from './sides/crawl-abused.ts';
import { HOSTILE_KINDS } from './support/hostile-files.ts';
import { publisherName, publisherNames } from './support/publishers.ts';
import { withScratchStore } from './support/scratch.ts';
import { type Cost, runSide } from './support/side.ts';
import { median } from './support/statistics.ts';
import { printTable } from './support/table.ts';
import { startWeb } from './support/web.ts';

const TARGET = { ratio: 2, rssMiB: 768 };
/** Public, so that it is vetted like any other; no connection leads there. */
const ADDRESS = '93.184.215.14';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    domains: { type: 'string' },
    rounds: { type: 'string' },
  },
});
const good = Number(options.domains ?? (options.quick ? 90 : 1_000));
const rounds = Number(options.rounds ?? (options.quick ? 1 : 3));
const hostile = Math.max(HOSTILE_KINDS.length, Math.round(good / 9));

const web = await startWeb({ agents: 40 }, true);
const nameServer = await startDnsServer((name, type) => ({
  answers: type === 'A' ? [{ type: 'A', name, ttl: 60, data: ADDRESS }] : [],
}));
const crawl = (domains: readonly string[]): Promise<Cost<AbusedResult>> =>
  withScratchStore((store) => {
    const { port, hostilePort = port, ca } = web;
    const input: AbusedInput = { port, hostilePort, ca, nameServer: nameServer.address, domains, store };
    return runSide<AbusedResult>('crawl-abused', input);
  });
try {
  const names = publisherNames(good);
  const [bad, more] = (['hostile', 'also'] as const).map((manner) =>
    Array.from({ length: hostile }, (_, at) => publisherName(at, manner)),
  ) as [string[], string[]];
  await crawl([...names.slice(0, 30), ...bad.slice(0, 2 * HOSTILE_KINDS.length)]); // warms up, and makes the files
  const quiet: Cost<AbusedResult>[] = [];
  const floor: Cost<AbusedResult>[] = [];
  const beside: Cost<AbusedResult>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    quiet.push(await crawl(names));
    floor.push(await crawl(mixed(names, more)));
    beside.push(await crawl(mixed(names, bad)));
  }
  const ofQuiet = (costs: readonly Cost<AbusedResult>[], read: (one: AbusedResult) => number): number =>
    median(costs.map(({ result }, at) => read(result) / read((quiet[at] as Cost<AbusedResult>).result)));
  const ratio = ofQuiet(beside, ({ goodMs }) => goodMs);
  const compared = (crawled: string, costs: readonly Cost<AbusedResult>[]) => ({
    ...row(crawled, costs),
    'of without': ofQuiet(costs, ({ goodMs }) => goodMs),
    'CPU of without': ofQuiet(costs, ({ goodCpuMs }) => goodCpuMs),
  });
  printTable(
    `${good} good domains beside ${hostile} hostile files of ${HOSTILE_KINDS.length} kinds (n = ${rounds})`,
    [
      row('without', quiet),
      compared('beside as many more good ones', floor),
      {
        ...compared('beside hostile files', beside),
        target: `≤ ${TARGET.ratio}`,
        'target MiB': `≤ ${TARGET.rssMiB}`,
      },
    ],
  );
  const isGood = [...quiet, ...floor, ...beside].every(
    ({ result }) => result.read === good && result.failed === 0,
  );
  const isKept = beside.every(({ result }) => result.others === hostile);
  const isSmall = beside.every(({ peakRssMiB }) => peakRssMiB <= TARGET.rssMiB);
  if (!options.quick && !(isGood && isKept && isSmall && ratio <= TARGET.ratio)) process.exitCode = 1;
} finally {
  nameServer.close();
  await web.stop();
}

/** Spread evenly, a hostile one first. */
function mixed(some: readonly string[], others: readonly string[]): readonly string[] {
  const every = some.length / others.length;
  return others.flatMap((one, at) => [
    one,
    ...some.slice(Math.round(at * every), Math.round((at + 1) * every)),
  ]);
}

function row(crawled: string, costs: readonly Cost<AbusedResult>[]) {
  const of = (read: (one: AbusedResult) => number): number => median(costs.map(({ result }) => read(result)));
  const reasons = costs.map(({ result }) => result.reasons).find((one) => Object.keys(one).length > 0);
  return {
    crawl: crawled,
    'good read': of(({ read }) => read),
    'good failed': Math.max(...costs.map(({ result }) => result.failed)),
    why: reasons === undefined ? '' : JSON.stringify(reasons),
    'hostile kept': of(({ others }) => others),
    'good done s': of(({ goodMs }) => goodMs) / 1_000,
    'CPU s until then': of(({ goodCpuMs }) => goodCpuMs) / 1_000,
    'of without': '' as string | number,
    'CPU of without': '' as string | number,
    target: '',
    'all done s': median(costs.map(({ wallMs }) => wallMs)) / 1_000,
    'peak MiB': Math.max(...costs.map(({ peakRssMiB }) => peakRssMiB)),
    'target MiB': '',
    'longest pause ms': Math.max(...costs.map(({ result }) => result.longestPauseMs)),
  };
}
