import { seenRuns } from '../verdict/seen-runs.ts';
import type { Standing } from '../verdict/standing.ts';
import { type BadgeSettings, LIVE_WINDOW_MS, type ProbeHistory } from './badge.ts';

const DAY = 86_400_000;

/** In hundredths, of the probes in the window. */
const HEALTHY_PERCENT = 95;
/** The longest interval between runs, and a day for the run to come: an older one says nothing of now. */
const LATEST_RUN_MS = 8 * DAY;

export interface LiveFacts {
  readonly standing: Standing;
  readonly settings: BadgeSettings;
  readonly probes: ProbeHistory;
  readonly now: number;
}

/**
 * Why the `live` axis is not covered, as the end of a sentence; undefined when it is. It says what is so now, so grace
 * does not keep it: production, healthy in at least 95 % of the probes of 7 days, and passing for those 7 days. Runs that
 * were recorded elsewhere may make the streak longer, and nothing here: the 7 days are ones that this registry tested.
 */
export function whyNotLive({ standing, settings, probes, now }: LiveFacts): string | undefined {
  if (settings.lifecycleStage !== 'production') return `its lifecycle stage is ${settings.lifecycleStage}`;
  if (standing.status !== 'passing' || standing.streakSince === null)
    return `its status is ${standing.status}`;
  if (now - standing.streakSince < LIVE_WINDOW_MS) return 'it has not been passing for 7 days';
  const seen = seenRuns(standing);
  if (seen === null || now - seen.first < LIVE_WINDOW_MS)
    return 'it has not been passing for 7 days in tests of this registry';
  if (now - seen.latest > LATEST_RUN_MS) return 'it was not tested for 8 days';
  if (probes.total === 0) return 'it was not probed in the last 7 days';
  if (probes.healthy * 100 < probes.total * HEALTHY_PERCENT)
    return `${probes.healthy} of the ${probes.total} probes of the last 7 days found it healthy, fewer than ${HEALTHY_PERCENT} %`;
  return undefined;
}
