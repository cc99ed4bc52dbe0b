import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import type { TaggedAnswer } from '../answers.ts';
import { createBodyCache, dataVersion } from '../list-cache.ts';

const CACHE_BYTES = 32 * 1_024 * 1_024;
/** What the clock alone changes of a page, such as what is stale, may be so much late, milliseconds. */
const KEPT_MS = 10_000;

export interface KeptPageSources {
  readonly records: Pick<Records, 'version'>;
  readonly index: Pick<AgentIndex, 'version'>;
  readonly clock: Clock;
}

/**
 * A page by its name, as it was made or as `make` makes it now; undefined is kept by nobody. The name is equal for all
 * addresses that show the same.
 */
export type KeepPage = <Page extends TaggedAnswer | undefined>(
  name: string,
  make: (now: number) => Promise<Page>,
) => Promise<TaggedAnswer | Page>;

/** Pages that are the same for everybody, kept as lists are: from the second time on, while the data are what they were. */
export function keepPages({ records, index, clock }: KeptPageSources): KeepPage {
  const cache = createBodyCache(CACHE_BYTES);
  return async (name, make) => {
    const now = clock.now();
    // asked for before the data are read: what changes in between is made again the next time
    const version = await dataVersion({ records, index });
    const kept = cache.get(name, version, now);
    if (kept !== undefined) return kept;
    const made = await make(now);
    if (made !== undefined) cache.set(name, version, { ...made, validUntil: now + KEPT_MS });
    return made;
  };
}
