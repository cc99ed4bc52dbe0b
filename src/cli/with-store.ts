import type { Store, StoreOptions } from '../compose.ts';
import type { Config } from '../config.ts';
import type { LogFlags, StoreFlags } from './options.ts';
import { settingsOf } from './settings.ts';

/** For commands that only read: a store is neither made nor written. */
export const READ: StoreOptions = { create: false, readOnly: true };
/** For commands that write to a store that has to be there. */
export const WRITE: StoreOptions = { create: false };

/** Opens the store of the flags for one piece of work, and closes it whatever happens. */
export async function withStore<T>(
  flags: StoreFlags & LogFlags,
  options: StoreOptions,
  work: (store: Store, config: Config) => Promise<T>,
): Promise<T> {
  const { openStore } = await import('../compose.ts');
  const config = settingsOf(flags);
  const store = await openStore(config, options);
  try {
    return await work(store, config);
  } finally {
    await store.close();
  }
}
