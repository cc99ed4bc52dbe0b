import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { longestFirst } from '../support/longest-first.ts';
import { NODE_LOADS, WORKER_FLAGS } from '../support/workers.ts';

const LONG = [
  'opensearch/contract.test.ts',
  // these two wait for the next full minutes
  'queue/ticks.test.ts',
  'queue/job-queue.test.ts',
  'queue/workers.test.ts',
  'opensearch/switching.test.ts',
  'queue/outages.test.ts',
  'migrate/records.test.ts',
  'postgres/records.test.ts',
  'queue/heartbeat.test.ts',
  'opensearch/reads.test.ts',
  'opensearch/bulk-faults.test.ts',
  'postgres/roles.test.ts',
  'migrate/disturbed.test.ts',
  'opensearch/repair.test.ts',
  'migrate/at-work.test.ts',
  'opensearch/agreement.test.ts',
  'deploy/services.test.ts',
  'migrate/refused.test.ts',
  'deploy/secrets.test.ts',
  'postgres/trouble.test.ts',
  'postgres/prune.test.ts',
  'opensearch/read-only.test.ts',
];

/** The tests that need a real PostgreSQL and a real OpenSearch; see "Real engines" in CONTRIBUTING.md. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  test: {
    include: ['test/engines/**/*.test.ts'],
    globalSetup: ['test/engines/support/global-setup.ts'],
    setupFiles: ['test/setup.ts', 'test/engines/support/setup.ts'],
    env: COMPILE_CACHE,
    // No limit of theirs is a behaviour: on a busy machine an engine may take ten times as long.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 50_000 } },
    pool: 'forks',
    execArgv: WORKER_FLAGS,
    experimental: NODE_LOADS,
    // A worker keeps the modules that it has loaded.
    isolate: false,
    // Two cores; most of them wait for an engine.
    maxWorkers: 5,
    sequence: { sequencer: longestFirst(LONG) },
  },
});
