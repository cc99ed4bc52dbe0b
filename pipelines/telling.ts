import { registrableDomain } from '../src/domain/domain-name.ts';
import type { DomainTurns } from '../src/pipeline/domain-turns.ts';
import type { Fetcher } from '../src/ports/fetcher.ts';

/** The same way to the network, which tells the turns for how long a site wants to be left alone. */
export function telling(fetcher: Fetcher, turns: DomainTurns): Fetcher {
  return {
    ...fetcher,
    visit: (options, visit) => {
      const onLeave = (gapMs: number) => turns.pause(registrableDomain(options.host), gapMs);
      return fetcher.visit({ ...options, onLeave }, visit);
    },
  };
}
