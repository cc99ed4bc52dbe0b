import type { AgentFilter } from './agent-query.ts';
import type { Accreditation, Metric } from './capabilities.ts';

/**
 * One metric with one of its accreditations as one text, so that an index can hold them together: the metric_id, the same
 * in lower case, the accrediting body, and the last day of validity as YYYYMMDD.
 */
export type ClaimText = string;

/** Between the parts; texts that we read from agents have no control characters. */
export const CLAIM_SEPARATOR = '\u001f';
/** Sorts after every day. */
export const NO_END = '99999999';

/** What is asked of one claim; all that is given must hold. */
export interface AskedClaim {
  /** Any of these, exactly. */
  readonly metricIds?: readonly string[];
  /** A part of the metric_id, in lower case. */
  readonly part?: string;
  /** Any of these, exactly. */
  readonly bodies?: readonly string[];
  /** It has not ended before this day, YYYY-MM-DD. */
  readonly on?: string;
}

/** The claims of one metric. */
export function claimTexts({ metric_id: id, accreditations }: Metric): readonly ClaimText[] {
  return accreditations.flatMap(({ accrediting_body: body, valid_until: until }) => {
    const parts = [id, id.toLowerCase(), body, until === undefined ? NO_END : claimDay(until)];
    if (parts.some((part) => part.includes(CLAIM_SEPARATOR))) return [];
    return parts.join(CLAIM_SEPARATOR).toWellFormed();
  });
}

/** A day as it stands in a claim. */
export function claimDay(isoDate: string): string {
  return isoDate.replaceAll('-', '');
}

function isClaimMet(claim: ClaimText, { metricIds, part, bodies, on }: AskedClaim): boolean {
  const [id = '', lowered = '', body = '', until = ''] = claim.split(CLAIM_SEPARATOR);
  return (
    (metricIds?.includes(id) ?? true) &&
    (part === undefined || lowered.includes(part)) &&
    (bodies?.includes(body) ?? true) &&
    (on === undefined || until >= claimDay(on))
  );
}

/** Whether a claim holds on this day, YYYY-MM-DD in UTC: to the end of its last day, and where it names none. */
export function isClaimValid({ valid_until: until }: Accreditation, day: string): boolean {
  return until === undefined || until >= day;
}

/** What one claim must meet under a filter. */
export function askedClaim(filter: AgentFilter): AskedClaim {
  const { metricIds, accreditations, q, sameMetric, accreditedOn } = filter;
  return {
    ...(sameMetric && metricIds && { metricIds }),
    ...(sameMetric && q !== undefined && { part: q }),
    ...(accreditations && { bodies: accreditations }),
    ...(accreditedOn !== undefined && { on: accreditedOn }),
  };
}

/** Where one metric must meet all and no accreditation is asked for: the wanted ids that contain `q`. Undefined: any. */
export function sameMetricIds({ metricIds, q }: AgentFilter): readonly string[] | undefined {
  return q === undefined ? undefined : metricIds?.filter((id) => id.toLowerCase().includes(q));
}

interface Claiming {
  readonly metricIds: readonly string[];
  readonly claims?: readonly ClaimText[];
}

/** Whether one metric, or one accreditation, meets what a filter asks of one. */
export function hasOneMetric({ metricIds, claims = [] }: Claiming, filter: AgentFilter): boolean {
  if (filter.accreditations !== undefined || filter.accreditedOn !== undefined)
    return claims.some((claim) => isClaimMet(claim, askedClaim(filter)));
  return sameMetricIds(filter)?.some((id) => metricIds.includes(id)) ?? true;
}

/** The day in UTC, YYYY-MM-DD. */
export function utcDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/** The first moment of the next day in UTC, epoch milliseconds. */
export function nextUtcDay(epochMs: number): number {
  return (Math.floor(epochMs / 86_400_000) + 1) * 86_400_000;
}
