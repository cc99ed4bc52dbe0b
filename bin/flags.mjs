// Flags of Node's engine, by what a command does. They count from the start of a process only.

/** For visits and tests: what they throw away lives a little too long for V8; collected earlier, the process is a quarter smaller at no cost. */
export const BULK_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=100'];

/**
 * For visits: V8's last compiler works beside them for as long as a crawl lasts, and what it makes is not quicker by as much. Without
 * it 10,000 first visits cost a tenth less.
 */
export const VISIT_FLAGS = [...BULK_FLAGS, '--max-opt=2'];

/**
 * For who answers. Four threads would collect garbage on two cores, and who answers would wait for a core: one thread less
 * than cores. A young generation that stays small is collected in half a millisecond, and not in ten; what a request leaves
 * then lies in the processor's cache, too.
 */
export const SERVE_FLAGS = ['--v8-pool-size=0', '--max-semi-space-size=8'];
