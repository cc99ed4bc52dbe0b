import { RegistryError } from '../errors.ts';

/** What a failure of ours means for the work: try again later, never, or stop the whole run. */
export type Retry = 'later' | 'never' | 'stop';

/**
 * Judges a thrown value once, where it leaves its stage. A broken store stops everything: nothing could be kept. An
 * index that is away stops nothing: the change log brings it up to date.
 */
export function classify(error: unknown): Retry {
  if (!(error instanceof RegistryError)) return 'later';
  if (error.code === 'interrupted' || error.code.startsWith('store_')) return 'stop';
  if (error.code.startsWith('index_') || error.code === 'lease_lost') return 'later';
  return error.retryable ? 'later' : 'never';
}
