import type { HealthIncident, HealthPart } from '../../domain/health-history.ts';
import { ERROR_TEXTS } from '../../domain/observation.ts';
import type { Records } from '../../ports/records.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Probes are kept for so many days. */
export const MAX_HEALTH_DAYS = 90;
export const USUAL_HEALTH_DAYS = 30;
/** Hourly figures are returned for at most this many days. */
const DAYS_WITH_HOURS = 2;
const MAX_INCIDENTS = 100;

/** The answer; rates are shares of 1 with four decimals, null without data. */
export interface HealthAnswer extends HealthFigures {
  readonly agent_url: string;
  /** Midnight UTC of the first day, and now. */
  readonly from: string;
  readonly until: string;
  /** Oldest first; the last one is today. */
  readonly days: readonly (HealthFigures & { readonly date: string })[];
  readonly hours?: readonly (HealthFigures & { readonly from: string })[];
  /** Newest first. */
  readonly incidents: readonly ReturnType<typeof incidentOf>[];
  readonly incidents_truncated?: true;
  readonly probes_truncated?: true;
}

interface HealthFigures {
  readonly uptime: number | null;
  readonly latency_ms: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
  readonly probes: number;
  readonly answered: number;
}

/** The health of an agent in the last days, including today; undefined for an unknown agent. */
export async function healthAnswer(
  agents: Pick<Records['agents'], 'health' | 'live'>,
  agent: string,
  days: number,
  now: number,
): Promise<HealthAnswer | undefined> {
  const from = firstHealthDay(days, now);
  const read = (stepMs: number) => agents.health(agent, { from, now, stepMs });
  const [live, daily, hourly] = await Promise.all([
    agents.live([agent]),
    read(DAY),
    days <= DAYS_WITH_HOURS ? read(HOUR) : undefined,
  ]);
  if (!live.has(agent)) return undefined;
  const { whole, parts, incidents, isCut } = daily;
  return {
    agent_url: agent,
    from: timeText(from),
    until: timeText(now),
    ...figuresOf(whole),
    days: parts.map((part) => ({ date: timeText(part.from).slice(0, 10), ...figuresOf(part) })),
    ...(hourly && { hours: hourly.parts.map((part) => ({ from: timeText(part.from), ...figuresOf(part) })) }),
    incidents: incidents.slice(0, MAX_INCIDENTS).map(incidentOf),
    ...(incidents.length > MAX_INCIDENTS && { incidents_truncated: true }),
    ...(isCut && { probes_truncated: true }),
  };
}

/** Midnight UTC of the first of so many days, the last of which is today. */
export function firstHealthDay(days: number, now: number): number {
  return (Math.floor(now / DAY) - days + 1) * DAY;
}

function figuresOf({ uptime, latency, probes, answered }: HealthPart): HealthFigures {
  const share = uptime === undefined ? null : Math.round(uptime * 10_000) / 10_000;
  // an uptime below 100% is not rounded up to 100%
  const told = share === 1 && uptime !== 1 ? 0.9999 : share;
  return { uptime: told, latency_ms: latency ?? null, probes, answered };
}

function incidentOf({ from, until, lastGoodAt, errorClass, probes }: HealthIncident) {
  return {
    from: timeText(from),
    until: until === undefined ? null : timeText(until),
    last_good_at: lastGoodAt === undefined ? null : timeText(lastGoodAt),
    // the class and its text alone: the sentence of a probe may describe our own network
    why: errorClass ?? null,
    message: errorClass === undefined ? null : ERROR_TEXTS[errorClass],
    failed_probes: probes,
  };
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}
