import type { AgentFilter } from './agent-query.ts';
import type { Accreditation, Metric } from './capabilities.ts';

/** One accreditation of a metric, as filters compare it. */
export interface AccreditationClaim {
  readonly metricId: string;
  /** The accrediting body. */
  readonly body: string;
  /** The last day, YYYY-MM-DD; absent: it does not expire. */
  readonly validUntil?: string;
}

/** Conditions that one claim must meet together. */
export interface ClaimCondition {
  /** Any of these, exactly. */
  readonly metricIds?: readonly string[];
  /** A part of the metric_id, in lower case. */
  readonly part?: string;
  /** Any of these, exactly. */
  readonly bodies?: readonly string[];
  /** It has not expired before this day, YYYY-MM-DD. */
  readonly on?: string;
}

/** The claims of one metric. */
export function claimsOf({ metric_id: metricId, accreditations }: Metric): readonly AccreditationClaim[] {
  return accreditations.map(({ accrediting_body: body, valid_until: validUntil }) => ({
    metricId,
    body,
    ...(validUntil !== undefined && { validUntil }),
  }));
}

function isClaimMet(
  { metricId, body, validUntil }: AccreditationClaim,
  { metricIds, part, bodies, on }: ClaimCondition,
): boolean {
  return (
    (metricIds?.includes(metricId) ?? true) &&
    (part === undefined || metricId.toLowerCase().includes(part)) &&
    (bodies?.includes(body) ?? true) &&
    (on === undefined || validUntil === undefined || validUntil >= on)
  );
}

/** Whether an accreditation is valid on this day, YYYY-MM-DD in UTC. It is valid to the end of its last day. */
export function isClaimValid({ valid_until: until }: Accreditation, day: string): boolean {
  return until === undefined || until >= day;
}

/** The conditions of a filter that one claim must meet. */
export function claimCondition(filter: AgentFilter): ClaimCondition {
  const { metricIds, accreditations, q, sameMetric, accreditedOn } = filter;
  return {
    ...(sameMetric && metricIds && { metricIds }),
    ...(sameMetric && q !== undefined && { part: q }),
    ...(accreditations && { bodies: accreditations }),
    ...(accreditedOn !== undefined && { on: accreditedOn }),
  };
}

/** The metric ids that meet `metric_id` and `q` together, for a filter without accreditations; undefined: any. */
export function sameMetricIds({ metricIds, q }: AgentFilter): readonly string[] | undefined {
  return q === undefined ? undefined : metricIds?.filter((id) => id.toLowerCase().includes(q));
}

interface Claiming {
  readonly metricIds: readonly string[];
  readonly claims?: readonly AccreditationClaim[];
}

/** Whether one metric, or one claim, meets the conditions of a filter together. */
export function hasOneMetric({ metricIds, claims = [] }: Claiming, filter: AgentFilter): boolean {
  if (filter.accreditations !== undefined || filter.accreditedOn !== undefined)
    return claims.some((claim) => isClaimMet(claim, claimCondition(filter)));
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
