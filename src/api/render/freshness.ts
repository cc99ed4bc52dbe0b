import type { LiveState } from '../../domain/agent-facts.ts';

/** Agents are probed hourly; a success older than two intervals is stale. Milliseconds. */
export const STALE_AFTER_MS = 2 * 3_600_000;

/** The wire's `freshness`: the probe's times, RFC 3339 in UTC with milliseconds. Undefined is absent in JSON. */
export interface Freshness {
  readonly first_seen_at: string | undefined;
  readonly last_seen_at: string | undefined;
  readonly last_checked_at: string | undefined;
  readonly next_check_at: string | undefined;
  readonly stale: boolean;
}

/** How old our knowledge of an agent is at `now`. */
export function freshness(live: LiveState | undefined, now: number): Freshness {
  return {
    first_seen_at: timestamp(live?.firstSeenAt),
    last_seen_at: timestamp(live?.lastSeenAt),
    last_checked_at: timestamp(live?.lastCheckedAt),
    next_check_at: timestamp(live?.nextCheckAt),
    stale: now > freshUntil(live),
  };
}

/**
 * The last moment at which the agent is not stale. One that never answered counts from when it was first
 * seen, so that an agent found a minute ago is not called stale before its first probe.
 */
export function freshUntil(live: LiveState | undefined): number {
  const known = live?.lastSeenAt ?? live?.firstSeenAt;
  return known === undefined ? Number.NEGATIVE_INFINITY : known + STALE_AFTER_MS;
}

/** RFC 3339, UTC, milliseconds. */
export function timestamp(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
