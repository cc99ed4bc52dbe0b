import { createAllowance } from '../base/allowance.ts';
import type { Unanswered } from '../domain/capture.ts';
import { registrableDomain } from '../domain/domain-name.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher, GetRequest, Visit } from '../ports/fetcher.ts';

export interface SiteLimits {
  readonly clock: Clock;
  /** Visits of one registrable domain, and files of it that the files of others lead to. */
  readonly perMinute: number;
  /** Of one file, whatever its kind may have. */
  readonly maxBytes: number;
  /** How long a visit waits for its turn with a site, milliseconds. Default 10,000: others may hold it for as long as they like. */
  readonly turnMs?: number;
}

const TURN_MS = 10_000;

/**
 * A way to the network for questions of strangers: however many ask, and wherever their files lead, a site is asked for no
 * more files in a minute than this, and nobody waits for it without end. What is beyond is a failed request, without a connection.
 * Sites that the operator mapped are free.
 */
export function limitSites(
  fetcher: Fetcher,
  { clock, perMinute, maxBytes, turnMs = TURN_MS }: SiteLimits,
): Fetcher {
  const waitMs = createAllowance({ clock, max: perMinute, windowMs: 60_000 });
  const isBusy = (host: string): boolean =>
    !fetcher.isMapped(`https://${host}/`) && waitMs(registrableDomain(host)) > 0;
  const within = (visit: Visit, isRefused: (host: string) => boolean): Visit => ({
    ...visit,
    get: async (request) => {
      if (isRefused(new URL(request.url).hostname)) return refused(request, clock.now());
      return visit.get({ ...request, maxBytes: Math.min(request.maxBytes, maxBytes) });
    },
  });
  return {
    ...fetcher,
    visit: (options, work) => {
      const site = registrableDomain(options.host);
      const isLate = isBusy(options.host);
      const given = AbortSignal.timeout(turnMs + options.deadlineMs);
      const signal = options.signal === undefined ? given : AbortSignal.any([options.signal, given]);
      return fetcher.visit({ ...options, signal }, (visit) =>
        work(within(visit, (host) => (registrableDomain(host) === site ? isLate : isBusy(host)))),
      );
    },
  };
}

function refused({ url }: GetRequest, at: number): Unanswered {
  const detail = 'this site was asked for too many files in the last minute, for anybody';
  const failure = { code: 'interrupted', detail } as const;
  return { ok: false, requestedUrl: url, finalUrl: url, trail: [], at, durationMs: 0, failure };
}
