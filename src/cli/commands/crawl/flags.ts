import { choiceFlag, type FlagValues, integerFlag, textFlag, toggle } from '../../flags.ts';
import type { ProgressKind } from '../../output/crawl-progress.ts';
import { JSON_FLAG, LOG_FLAGS, NETWORK_FLAGS, STORE_FLAGS } from '../../shared-flags.ts';

const PROGRESS_KINDS = ['auto', 'bar', 'plain', 'json', 'none'] as const satisfies readonly ProgressKind[];

export const CRAWL_FLAGS = {
  from: textFlag('--from <file>', 'read domain names from a file, one per line'),
  due: toggle('--due', 'visit everything that is due, instead of named domains'),
  depth: integerFlag(
    '--depth <n>',
    'number of references to follow from the named domains; --due visits the rest later',
    [0, 10],
    1,
  ),
  concurrency: integerFlag(
    '--concurrency <n>',
    'maximum number of domains visited at the same time (REGISTRY_CONCURRENCY)',
    [1, 2_000],
  ),
  progress: choiceFlag('--progress <kind>', 'how to show progress, on stderr', PROGRESS_KINDS, 'auto'),
  dryRun: toggle('--dry-run', 'fetch and show changes without writing them'),
  failAbove: integerFlag(
    '--fail-above <percent>',
    'exit with 1 if more than this percentage of the domains failed',
    [0, 100],
    20,
  ),
  metricsFile: textFlag(
    '--metrics-file <file>',
    'write the metrics of the run to this file at the end, in the Prometheus text format',
  ),
  ...STORE_FLAGS,
  ...NETWORK_FLAGS,
  ...JSON_FLAG,
  ...LOG_FLAGS,
};
export type CrawlFlags = FlagValues<typeof CRAWL_FLAGS>;
