/**
 * Flags of Node for the workers of the tests: most of what they run, they run a few times. V8's last compiler and threads that
 * collect garbage beside the others take a tenth of their CPU, and give nothing back where all processors are busy.
 */
export const WORKER_FLAGS = ['--max-opt=2', '--single-threaded-gc'];

/**
 * Node loads the tests and what they test, as it loads the program. Vitest's own loader rewrites each module, and each use of
 * an import is then a look-up: a fifth of the CPU. It is wanted for `vi.mock` only, which no test has.
 */
export const NODE_LOADS = { viteModuleRunner: false, nodeLoader: false };
