import { backOffMs } from '../base/back-off.ts';
import { engineFault } from '../errors.ts';

/** Faults of an engine that no waiting heals. */
const LASTING = new Set(['store_missing', 'store_corrupt', 'store_newer', 'store_older']);

/**
 * Whether a fault may pass by itself, so that a process that is to run for months goes on: an engine that is away,
 * frozen or full. What is wrong with the store itself, and faults of ours, do not pass.
 */
export function isTransientFault(error: unknown): boolean {
  const found = engineFault(error);
  return found !== undefined && !LASTING.has(found.code);
}

/** How long to leave an engine alone that failed so many times in a row: half a second, doubled, 30 s at most. */
export function engineBackOffMs(failures: number): number {
  return backOffMs(failures, 500, 30_000);
}
