import { choiceFlag, type FlagValues, integerFlag, textFlag, toggle } from '../../flags.ts';
import type { ProgressKind } from '../../output/crawl-progress.ts';
import { JSON_FLAG, LOG_FLAGS, NETWORK_FLAGS, STORE_FLAGS } from '../../shared-flags.ts';

const PROGRESS_KINDS = ['auto', 'bar', 'plain', 'json', 'none'] as const satisfies readonly ProgressKind[];

export const CRAWL_FLAGS = {
  from: textFlag('--from <file>', 'domain names from a file, one a line'),
  due: toggle('--due', 'visit what is due instead of named domains'),
  depth: integerFlag(
    '--depth <n>',
    'how many links to follow from the named domains; --due visits the rest later',
    [0, 10],
    1,
  ),
  concurrency: integerFlag(
    '--concurrency <n>',
    'domains visited at the same time (REGISTRY_CONCURRENCY)',
    [1, 2_000],
  ),
  progress: choiceFlag('--progress <kind>', 'how to show progress, on stderr', PROGRESS_KINDS, 'auto'),
  dryRun: toggle('--dry-run', 'fetch and show what would change; write nothing'),
  failAbove: integerFlag(
    '--fail-above <percent>',
    'exit with 1 when more than this percentage of many domains failed',
    [0, 100],
    20,
  ),
  metricsFile: textFlag(
    '--metrics-file <file>',
    'write the metrics of the run there at the end, in the Prometheus text format',
  ),
  ...STORE_FLAGS,
  ...NETWORK_FLAGS,
  ...JSON_FLAG,
  ...LOG_FLAGS,
};
export type CrawlFlags = FlagValues<typeof CRAWL_FLAGS>;
