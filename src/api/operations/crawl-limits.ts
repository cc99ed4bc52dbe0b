import type { AskLimits, AskVisitOutcome } from '../../ports/crawl-requests.ts';
import { HttpProblem } from '../problem.ts';

const COOLDOWN_MS = 10 * 60_000;
const ALIKE = { cooldownMs: COOLDOWN_MS, sitePerHour: 30 };
/** What is new costs most, and strangers have no name: so these have least of it. */
export const CRAWL_LIMITS = {
  member: {
    ...ALIKE,
    ...{ caller: { perHour: 120, newPerDay: 100 }, all: { perHour: 6_000, newPerDay: 5_000 } },
  },
  stranger: {
    ...ALIKE,
    ...{ caller: { perHour: 10, newPerDay: 3 }, all: { perHour: 600, newPerDay: 200 } },
  },
} as const satisfies Readonly<Record<string, AskLimits>>;

/** The answer to a visit that may not be asked for now. */
export function crawlRefusal(
  outcome: Extract<AskVisitOutcome, { ok: false }>,
  { caller, sitePerHour }: AskLimits,
  isMember: boolean,
): HttpProblem {
  if (outcome.reason === 'unknown_agent')
    return new HttpProblem('unknown_agent', 'nobody declares or registers this agent, so it is not visited', {
      parameter: 'encodedUrl',
    });
  const more = isMember ? '' : '; a member with an API key may ask for more';
  const why = {
    visited: 'it was visited less than 10 minutes ago',
    throttled: 'it asked us to come back later',
    caller: `you have asked for ${caller.perHour} visits in an hour${more}`,
    caller_new: `you have named ${caller.newPerDay} new domains in a day${more}`,
    site: `${sitePerHour} visits of this site were asked for in an hour`,
    all: `too many visits were asked for in an hour${more}`,
    all_new: `too many new domains were named in a day${more}`,
  }[outcome.reason];
  const seconds = Math.ceil(outcome.waitMs / 1_000);
  const code =
    outcome.reason === 'visited' || outcome.reason === 'throttled' ? 'crawl_cooldown' : 'rate_limited';
  return new HttpProblem(code, `${why}; ask again in ${seconds} s`, {}, { 'retry-after': String(seconds) });
}
