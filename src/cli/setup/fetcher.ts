import type { Config } from '../../config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Fetcher } from '../../ports/fetcher.ts';
import type { NetworkFlags } from '../shared-flags.ts';
import { configOf, networkOf } from './settings.ts';

export interface OpenFetcher {
  readonly fetcher: Fetcher;
  readonly config: Config;
  readonly clock: Clock;
}

/** Opens the guarded way out with the network of the flags for one piece of work, and closes it whatever happens. */
export async function withFetcher<T>(
  flags: NetworkFlags,
  work: (open: OpenFetcher) => Promise<T>,
): Promise<T> {
  const { composeFetcher } = await import('../../compose/network.ts');
  const { systemClock } = await import('../../compose/clock.ts');
  const config = configOf({});
  const fetcher = composeFetcher(config, await networkOf(flags, config), systemClock);
  try {
    return await work({ fetcher, config, clock: systemClock });
  } finally {
    await fetcher.close();
  }
}
