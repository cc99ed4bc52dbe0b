import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { registrableDomain } from '../domain/domain-name.ts';
import type { Fetcher, Visit } from '../ports/fetcher.ts';

export interface SiteLimits {
  /** Files of one registrable domain that files of others refer to. */
  readonly perMinute: number;
  /** Of one file, whatever its kind may have. */
  readonly maxBytes: number;
  /** How long a visit waits for its turn with a site, milliseconds. Default 10,000: others may hold it for as long as they like. */
  readonly turnMs?: number;
}

const TURN_MS = 10_000;
/** When to ask again for a site that others held. */
const HELD_MS = 5_000;

/** Callers have used up what may be asked of a site, or hold its turn for too long. It says nothing about what was to be looked at. */
export class SiteBusy extends Error {
  /** Until the site may be asked again, milliseconds. */
  readonly waitMs: number;

  constructor(site: string, waitMs: number) {
    super(`rate limit for ${site} exceeded`);
    this.name = 'SiteBusy';
    this.waitMs = waitMs;
  }
}

/**
 * Makes ways to the network for questions about one site each: wherever its files refer to, other sites are asked for no
 * more files in a minute than this, redirects included, for all questions together, and nobody waits for a site without end. A request beyond that
 * rejects with SiteBusy, without a connection, and so does a visit that had to wait until no time was left. Sites that the
 * operator mapped have as many files as they like.
 */
export function limitSites(
  fetcher: Fetcher,
  { perMinute, maxBytes, turnMs = TURN_MS }: SiteLimits,
): (ownHost: string) => Fetcher {
  const files = new RateLimiterMemory({ points: perMinute, duration: 60 });
  async function count(host: string): Promise<void> {
    if (fetcher.isMapped(`https://${host}/`)) return;
    const site = registrableDomain(host);
    await files.consume(site).catch((refused: unknown) => {
      throw refused instanceof RateLimiterRes ? new SiteBusy(site, refused.msBeforeNext) : refused;
    });
  }
  const within = (visit: Visit, ownSite: string): Visit => ({
    ...visit,
    get: async (request) => {
      let refused: unknown;
      const countForeign = async ({ hostname }: URL) => {
        if (registrableDomain(hostname) !== ownSite) await count(hostname);
      };
      await countForeign(new URL(request.url));
      const capture = await visit.get({
        ...{ ...request, maxBytes: Math.min(request.maxBytes, maxBytes) },
        beforeRedirect: (to) =>
          countForeign(to).catch((error: unknown) => {
            refused = error;
            throw error;
          }),
      });
      if (refused !== undefined) throw refused;
      return capture;
    },
  });
  return (ownHost) => ({
    ...fetcher,
    visit: async (options, work) => {
      const given = AbortSignal.timeout(turnMs + options.deadlineMs);
      const signal = options.signal === undefined ? given : AbortSignal.any([options.signal, given]);
      const outcome = await fetcher.visit({ ...options, signal }, (visit) =>
        work(within(visit, registrableDomain(ownHost))),
      );
      if (given.aborted) throw new SiteBusy(registrableDomain(options.host), HELD_MS); // it was cut off
      return outcome;
    },
  });
}
