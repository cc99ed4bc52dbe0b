import { defineConfig } from 'vitest/config';
import { COMPILE_CACHE } from './test/support/compile-cache.ts';
import { longestFirst } from './test/support/longest-first.ts';
import { NODE_LOADS, WORKER_FLAGS } from './test/support/workers.ts';

const LONG = [
  'deploy/package.test.ts',
  'reference-agents/test/broken.test.ts',
  'sql/sqlite/sqlite-records.test.ts',
  'commands/campaign-walk.test.ts',
  'cli/check-record.test.ts',
  'compliance/bundle-agents.test.ts',
  'pipelines/rebuild-kill.test.ts',
  'scenarios/bounds.test.ts',
  'sql/index/sqlite-index.test.ts',
  'cli/same-verdict.test.ts',
  'cli/interrupt.test.ts',
  'compliance/faults/faults.test.ts',
  'api/paging-churn.test.ts',
  'compliance/trouble.test.ts',
  'pipelines/rebuild.test.ts',
  'demo/story.test.ts',
];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'reference-agents/test/**/*.test.ts'],
    exclude: ['test/engines/**', '**/node_modules/**'],
    setupFiles: ['test/setup.ts'],
    env: COMPILE_CACHE,
    // No limit of theirs is a behaviour: on a busy machine a process may take 20 seconds to start.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 50_000 } },
    pool: 'forks',
    execArgv: WORKER_FLAGS,
    experimental: NODE_LOADS,
    // A worker keeps the modules that it has loaded: half of the time would go into loading them for each file anew.
    isolate: false,
    // Two cores; a third of the time a test waits for a clock, a socket or a child process.
    maxWorkers: 4,
    sequence: { sequencer: longestFirst(LONG) },
  },
});
