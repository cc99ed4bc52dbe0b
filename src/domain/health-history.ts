import type { ErrorClass } from './observation.ts';

/** What one planned probe found of an agent's health. */
export interface HealthSeen {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly online: boolean;
  /** Whole milliseconds. */
  readonly responseTimeMs?: number;
  readonly errorClass?: ErrorClass;
}

/** A period of whole steps, both ends in epoch milliseconds. What lies behind `now` is not known yet. */
export interface HealthPeriod {
  readonly from: number;
  readonly now: number;
  readonly stepMs: number;
}

/** Which of the probes of a day an agent answered. */
export type DayHealth = 'always' | 'sometimes' | 'never' | 'unknown';

/** A part of the period. */
export interface HealthPart {
  /** When it begins, epoch milliseconds. */
  readonly from: number;
  readonly probes: number;
  readonly answered: number;
  /** Share of the time of which the state is known, 0 to 1; absent: nothing is known of it. */
  readonly uptime?: number;
  /** Of the probes that answered, milliseconds; absent: none did. */
  readonly latency?: { readonly p50: number; readonly p95: number; readonly p99: number };
}

/** Probes in a row that the agent did not answer. */
export interface HealthIncident {
  /** The first of them, and the first that it answered again; absent: it lasts. */
  readonly from: number;
  readonly until?: number;
  /** The last probe before that it answered, where one is known. */
  readonly lastGoodAt?: number;
  /** What the latest of them found. */
  readonly errorClass?: ErrorClass;
  readonly probes: number;
}

export interface HealthHistory {
  readonly whole: HealthPart;
  /** In order, one for each step of the period up to now. */
  readonly parts: readonly HealthPart[];
  /** Newest first. */
  readonly incidents: readonly HealthIncident[];
  /** Older probes of the period were not read. */
  readonly isCut: boolean;
}

/**
 * What a probe found holds until the next one, at most for so long: an agent that is away is asked once a day. A share of
 * the probes alone would flatter it, as it is asked less often the longer it is away.
 */
export const HEALTH_HOLDS_MS = 25 * 3_600_000;

interface Sum {
  from: number;
  probes: number;
  answered: number;
  upMs: number;
  knownMs: number;
  readonly latencies: number[];
}

/** Folds probes, oldest first, of the period and of HEALTH_HOLDS_MS before it. Pure, linear in probes and steps. */
export function healthHistory(
  probes: readonly HealthSeen[],
  { from, now, stepMs }: HealthPeriod,
): Omit<HealthHistory, 'isCut'> {
  const steps = Math.max(1, Math.ceil((now + 1 - from) / stepMs));
  const sums = Array.from({ length: steps }, (_, at) => emptySum(from + at * stepMs));
  const whole = emptySum(from);
  for (const [place, probe] of probes.entries()) {
    const until = Math.min(probes[place + 1]?.at ?? now, probe.at + HEALTH_HOLDS_MS, now);
    addProbe([whole, sums[Math.floor((probe.at - from) / stepMs)]], probe);
    for (let begin = Math.max(probe.at, from); begin < until; ) {
      const step = Math.floor((begin - from) / stepMs);
      const end = Math.min(until, from + (step + 1) * stepMs);
      addTime([whole, sums[step]], probe.online, end - begin);
      begin = end;
    }
  }
  return { whole: partOf(whole), parts: sums.map(partOf), incidents: incidentsOf(probes, from) };
}

function emptySum(from: number): Sum {
  return { from, probes: 0, answered: 0, upMs: 0, knownMs: 0, latencies: [] };
}

function addProbe([whole, part]: readonly (Sum | undefined)[], probe: HealthSeen): void {
  if (part === undefined) return; // of before the period: only its time counts
  for (const sum of [whole, part]) {
    if (sum === undefined) continue;
    sum.probes += 1;
    sum.answered += probe.online ? 1 : 0;
    if (probe.online && probe.responseTimeMs !== undefined) sum.latencies.push(probe.responseTimeMs);
  }
}

function addTime(sums: readonly (Sum | undefined)[], online: boolean, ms: number): void {
  for (const sum of sums) {
    if (sum === undefined) continue;
    sum.knownMs += ms;
    sum.upMs += online ? ms : 0;
  }
}

function partOf({ from, probes, answered, upMs, knownMs, latencies }: Sum): HealthPart {
  const sorted = latencies.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  // what was seen at this very moment has no time yet
  const uptime = knownMs > 0 ? upMs / knownMs : probes > 0 ? answered / probes : undefined;
  return {
    ...{ from, probes, answered },
    ...(uptime !== undefined && { uptime }),
    ...(sorted.length > 0 && { latency: { p50: at(0.5), p95: at(0.95), p99: at(0.99) } }),
  };
}

function incidentsOf(probes: readonly HealthSeen[], from: number): readonly HealthIncident[] {
  const incidents: HealthIncident[] = [];
  let lastGoodAt: number | undefined;
  let open: HealthIncident | undefined;
  const end = (until: { readonly until?: number }) => {
    const isOfPeriod = open !== undefined && (until.until ?? from) >= from;
    if (open !== undefined && isOfPeriod) incidents.unshift({ ...open, ...until });
    open = undefined;
  };
  for (const { at, online, errorClass } of probes) {
    if (online) {
      end({ until: at });
      lastGoodAt = at;
      continue;
    }
    const begun = open ?? { from: at, probes: 0, ...(lastGoodAt !== undefined && { lastGoodAt }) };
    open = { ...begun, probes: begun.probes + 1, ...(errorClass && { errorClass }) };
  }
  end({});
  return incidents;
}
