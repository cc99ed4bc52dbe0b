import { readBrand } from '../discovery/read-brand.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import { createKeyDirectory, type KeyDirectory } from '../signing/agent-keys.ts';

/** The keys of agents, found through brand.json over the guarded way out. */
export function composeKeyDirectory(fetcher: Fetcher, clock: Clock): KeyDirectory {
  return createKeyDirectory({ fetcher, clock, readBrand: (bytes) => readBrand(bytes).declaration });
}
