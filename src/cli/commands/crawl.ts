import { Option } from 'commander';
import { type DefineCommand, examples } from '../command.ts';
import {
  type JsonFlag,
  type LogFlags,
  type NetworkFlags,
  type StoreFlags,
  wholeNumber,
  withJson,
  withLog,
  withNetwork,
  withStore,
} from '../options.ts';

export const PROGRESS_KINDS = ['auto', 'bar', 'plain', 'json', 'none'] as const;
export type ProgressKind = (typeof PROGRESS_KINDS)[number];

export interface CrawlFlags extends StoreFlags, NetworkFlags, JsonFlag, LogFlags {
  readonly from?: string;
  readonly due?: true;
  readonly depth: number;
  readonly concurrency?: number;
  readonly progress: ProgressKind;
  readonly dryRun?: true;
  readonly failAbove: number;
  readonly metricsFile?: string;
}

/** `registry crawl`. */
export const defineCrawl: DefineCommand = (program, done) => {
  const command = program
    .command('crawl')
    .description('Visit domains, what they refer to, and the agents they lead to.')
    .argument('[domain...]', 'domain names, or - for one a line on stdin')
    .option('--from <file>', 'domain names from a file, one a line')
    .option('--due', 'visit what is due instead of named domains')
    .option(
      '--depth <n>',
      'links to follow away from the named domains; the rest waits for --due',
      wholeNumber(0, 10),
      1,
    )
    .option(
      '--concurrency <n>',
      'domains visited at the same time (REGISTRY_CONCURRENCY)',
      wholeNumber(1, 2_000),
    )
    .addOption(
      new Option('--progress <kind>', 'how to show progress, on stderr')
        .choices(PROGRESS_KINDS)
        .default('auto'),
    )
    .option('--dry-run', 'fetch and say what would change; write nothing')
    .option(
      '--fail-above <percent>',
      'exit with 1 when more than this share of many domains failed',
      wholeNumber(0, 100),
      20,
    );
  command.option(
    '--metrics-file <file>',
    "write the run's figures there at the end, in the Prometheus text format",
  );
  withLog(withJson(withNetwork(withStore(command))));
  examples(
    command,
    'registry crawl news.example shop.example',
    'registry crawl --from domains.txt --progress plain',
    'registry crawl --due',
  );
  command.action(async (domains: string[], flags: CrawlFlags) => {
    const { crawlCommand } = await import('../run/crawl.ts');
    done(await crawlCommand(domains, flags));
  });
};
