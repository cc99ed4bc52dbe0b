import type { Store, StoreOptions } from '../../compose/engines.ts';
import type { Config } from '../../config.ts';
import type { RecordsClock } from '../../ports/clock.ts';
import type { LogFlags, StoreFlags } from '../shared-flags.ts';
import { configOf } from './settings.ts';

/** For commands that only read: a store is neither created nor written. */
export const READ: StoreOptions = { create: false, readOnly: true };
/** For commands that write to a store that has to be there. */
export const WRITE: StoreOptions = { create: false };
/** For commands that change records and then the list: the records count, and the list may follow later. */
export const CHANGE: StoreOptions = { ...WRITE, indexDeadlineMs: 5_000 };

/** An open store with its clock. */
export interface OpenStore extends Store {
  readonly clock: RecordsClock;
}

/** Opens the store of the flags for one piece of work, and closes it whatever happens. */
export async function withStore<T>(
  flags: StoreFlags & LogFlags,
  options: StoreOptions,
  work: (store: OpenStore, config: Config) => Promise<T>,
): Promise<T> {
  const { openStore } = await import('../../compose/engines.ts');
  const config = configOf(flags);
  const store = await openStore(config, options);
  try {
    return await work({ ...store, clock: store.records.clock }, config);
  } finally {
    await store.close();
  }
}
