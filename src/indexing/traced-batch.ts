import type { BatchSpan, Tracing } from '../ports/tracing.ts';

/** Does work that many visits led to under their traces, where anybody wants to know. */
export function tracedBatch<T>(
  tracing: Tracing | undefined,
  start: BatchSpan,
  work: () => Promise<T>,
): Promise<T> {
  return tracing === undefined ? work() : tracing.batch(start, work);
}
