/**
 * Flags of Node for the workers of the tests: most of what they run, they run a few times. V8's last compiler and threads that
 * collect garbage beside the others take a tenth of their CPU, and give nothing back where all processors are busy.
 */
export const WORKER_FLAGS = ['--max-opt=2', '--single-threaded-gc'];
