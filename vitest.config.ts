import { defineConfig } from 'vitest/config';
import { COMPILE_CACHE } from './test/support/compile-cache.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'reference-agents/test/**/*.test.ts'],
    exclude: ['test/engines/**', '**/node_modules/**'],
    setupFiles: ['test/setup.ts'],
    env: COMPILE_CACHE,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: 'forks',
    // A worker keeps the modules that it has loaded: half of the time would go into loading them for each file anew.
    isolate: false,
    // Two cores; many tests wait for a clock, a socket or a child process.
    maxWorkers: 3,
  },
});
