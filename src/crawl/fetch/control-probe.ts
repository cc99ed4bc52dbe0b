import { registrableDomainOf } from '../../domain/domain-name.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ControlProbe, Fetcher } from '../../ports/fetcher.ts';
import { judgeHost } from './address.ts';
import { bareHost } from './url-rule.ts';

export interface ControlProbeOptions {
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /** Sites of others that are hardly ever away; the first that answers anything is enough. */
  readonly urls: readonly string[];
  /** Ends the asking; an answer after that tells nothing. */
  readonly signal?: AbortSignal;
}

/** For one site, the wait for its turn included, milliseconds. */
const SITE_MS = 10_000;
/** Visits that fail together ask once, milliseconds. */
const KEPT_MS = 10_000;

/**
 * The control probe of a process: true as soon as one of the sites answers over HTTP, whatever it answers. Asked are sites
 * of other registrable domains that are reached the same way: a host that the operator mapped is no matter of the public
 * network. With no site left to ask it is true: whoever is silent is believed to be away. One site is asked at most once in
 * 10 s, however many visits fail.
 */
export function createControlProbe({ fetcher, clock, urls, signal }: ControlProbeOptions): ControlProbe {
  const known = new Map<string, { readonly at: number; readonly answer: Promise<boolean> }>();
  const ask = (url: string): Promise<boolean> => {
    const now = clock.now();
    const last = known.get(url);
    if (last !== undefined && Math.abs(now - last.at) < KEPT_MS) return last.answer;
    const answer = answers(fetcher, url, signal);
    known.set(url, { at: now, answer });
    return answer;
  };
  return async (silent) => {
    const own = registrableDomainOf(silent);
    if (judgeHost(bareHost(new URL(silent)))?.ok === false) return true; // an address that no public network leads to
    const isMapped = fetcher.isMapped(silent);
    const others = urls.filter(
      (url) => registrableDomainOf(url) !== own && fetcher.isMapped(url) === isMapped,
    );
    if (others.length === 0) return true;
    const answered = others.map(
      async (url) => (await ask(url)) || Promise.reject(new Error(`${url} did not answer`)),
    );
    return Promise.any(answered).catch(() => false);
  };
}

async function answers(fetcher: Fetcher, url: string, stop: AbortSignal | undefined): Promise<boolean> {
  try {
    const late = AbortSignal.timeout(SITE_MS);
    const signal = stop === undefined ? late : AbortSignal.any([late, stop]);
    const bounds = { host: new URL(url).hostname, deadlineMs: SITE_MS, signal };
    return await fetcher.visit(bounds, async (visit) => {
      const response = await visit.fetch(url);
      await response.body?.cancel();
      return true;
    });
  } catch {
    return false;
  }
}
