import { resolve } from 'node:path';

/**
 * Environment of the processes that tests start. The first one keeps the JavaScript that Node makes of our TypeScript,
 * and the next ones start in half of the time. Node looks at the source before it takes what was kept.
 */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../../node_modules/.cache/compile'),
};
