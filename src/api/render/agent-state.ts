import type { LiveState } from '../../domain/agent-facts.ts';

/** Agents are probed hourly; a success older than two intervals is stale. Milliseconds. */
const STALE_AFTER_MS = 2 * 3_600_000;
/** How far the clocks of two machines of one registry may be apart, milliseconds. */
const AHEAD_MS = 60_000;

/** The wire's `freshness` (specification, 2.1). */
export interface Freshness {
  readonly first_seen_at?: string;
  readonly last_seen_at?: string;
  readonly last_checked_at?: string;
  readonly next_check_at?: string;
  readonly stale: boolean;
}

/** How recent our knowledge of an agent is; `state` is undefined for an agent that the records do not know. */
export function freshnessOf(state: LiveState | undefined, now: number): Freshness {
  return {
    ...timeField('first_seen_at', state?.firstSeenAt),
    ...timeField('last_seen_at', state?.lastSeenAt),
    ...timeField('last_checked_at', state?.lastCheckedAt),
    ...timeField('next_check_at', state?.nextCheckAt),
    stale: isStale(state, now),
  };
}

/** The wire's `health` (specification, 2.1): the result of the last probe; undefined before the first one. */
export function healthOf({ health, lastCheckedAt }: LiveState): object | undefined {
  if (health === undefined) return undefined;
  const { online, responseTimeMs, toolsCount, resourcesCount, error, capabilitiesReadAt } = health;
  return {
    online,
    ...timeField('checked_at', lastCheckedAt),
    response_time_ms: responseTimeMs,
    tools_count: toolsCount,
    resources_count: resourcesCount,
    error,
    ...timeField('capabilities_read_at', capabilitiesReadAt),
  };
}

type Seen = Pick<LiveState, 'firstSeenAt' | 'lastSeenAt'>;

/** Whether an agent was last seen more than two probe intervals ago, or is unknown to the records. */
export function isStale(seen: Seen | undefined, now: number): boolean {
  return now > freshUntil(seen, now);
}

/**
 * The last moment at which the agent is not stale. An agent that never answered counts from when it was first seen, so that it
 * is not stale before its first probe. A time in the future, written by a clock that was ahead, is ignored.
 */
export function freshUntil(seen: Seen | undefined, now: number): number {
  const seenAt = seen?.lastSeenAt ?? seen?.firstSeenAt;
  if (seenAt === undefined || seenAt > now + AHEAD_MS) return Number.NEGATIVE_INFINITY;
  return seenAt + STALE_AFTER_MS;
}

function timeField(name: string, at: number | undefined): Readonly<Record<string, string>> {
  return at === undefined ? {} : { [name]: new Date(at).toISOString() };
}
