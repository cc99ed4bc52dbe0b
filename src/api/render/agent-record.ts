import type { LiveState } from '../../domain/agent-facts.ts';
import type { AgentHit } from '../../domain/agent-query.ts';
import type { ListSwitches } from '../../query/list-parameters.ts';

/** Agents are probed hourly; a success older than two intervals is stale. Milliseconds. */
const STALE_AFTER_MS = 2 * 3_600_000;
/** Clocks that are right differ by less, milliseconds. */
const AHEAD_MS = 60_000;

/** The wire's `freshness`: the probe's times, RFC 3339 in UTC with milliseconds. Undefined is absent in JSON. */
interface Freshness {
  readonly first_seen_at: string | undefined;
  readonly last_seen_at: string | undefined;
  readonly last_checked_at: string | undefined;
  readonly next_check_at: string | undefined;
  readonly stale: boolean;
}

/** The wire's `health` (specification, 2.1). Undefined is absent in JSON. */
interface HealthGroup {
  readonly online: boolean;
  readonly checked_at: string | undefined;
  readonly response_time_ms: number | undefined;
  readonly tools_count: number | undefined;
  readonly resources_count: number | undefined;
  readonly error: string | undefined;
}

/**
 * The JSON text of one agent record (specification, 2.1, in its order of fields). The stored texts are passed
 * through unparsed; only what changes by time is made here. A group that was never observed is absent, but for
 * compliance, which is always known.
 */
export function renderAgentRecord(
  hit: AgentHit,
  live: LiveState | undefined,
  switches: ListSwitches,
  now: number,
): string {
  const [stats, publishers] = switches.properties ? splitProperties(hit.properties) : ['', ''];
  return (
    hit.base.slice(0, -1) +
    member('freshness', JSON.stringify(freshness(live, now))) +
    (switches.health ? member('health', JSON.stringify(health(live))) : '') +
    stats +
    (switches.capabilities ? member('capabilities', hit.capabilities) : '') +
    (switches.compliance ? member('compliance', hit.compliance) : '') +
    `${publishers}}`
  );
}

function member(name: string, json: string | undefined): string {
  return json === undefined ? '' : `,"${name}":${json}`;
}

// With both quotes unescaped this can only be the member itself: inside a JSON string they are escaped.
const SECOND_MEMBER = ',"publisher_domains":';

/** The group's text in two: `stats` stands before the capabilities, its other members after the compliance. */
function splitProperties(properties: string | undefined): readonly [string, string] {
  if (properties === undefined) return ['', ''];
  const at = properties.indexOf(SECOND_MEMBER);
  if (at === -1) return [`,${properties.slice(1, -1)}`, ''];
  return [`,${properties.slice(1, at)}`, properties.slice(at, -1)];
}

/** How old our knowledge of an agent is at `now`. */
export function freshness(live: LiveState | undefined, now: number): Freshness {
  return {
    first_seen_at: timestamp(live?.firstSeenAt),
    last_seen_at: timestamp(live?.lastSeenAt),
    last_checked_at: timestamp(live?.lastCheckedAt),
    next_check_at: timestamp(live?.nextCheckAt),
    stale: now > freshUntil(live, now),
  };
}

/**
 * The last moment at which the agent is not stale. One that never answered counts from when it was first
 * seen, so that an agent found a minute ago is not called stale before its first probe. One that was seen in the future,
 * by a clock that was ahead, was seen nobody knows when.
 */
export function freshUntil(live: LiveState | undefined, now: number): number {
  const known = live?.lastSeenAt ?? live?.firstSeenAt;
  const isKnown = known !== undefined && known <= now + AHEAD_MS;
  return isKnown ? known + STALE_AFTER_MS : Number.NEGATIVE_INFINITY;
}

/** RFC 3339, UTC, milliseconds. */
function timestamp(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

/** What the last probe saw; undefined when the agent was never probed. */
function health(live: LiveState | undefined): HealthGroup | undefined {
  if (live?.health === undefined) return undefined;
  const { online, responseTimeMs, toolsCount, resourcesCount, error } = live.health;
  return {
    online,
    checked_at: timestamp(live.lastCheckedAt),
    response_time_ms: responseTimeMs,
    tools_count: toolsCount,
    resources_count: resourcesCount,
    error,
  };
}
