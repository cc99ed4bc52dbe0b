import type { LiveState } from '../../domain/agent-facts.ts';
import type { LiveText } from '../../domain/agent-query.ts';
import type { Health } from '../../domain/observation.ts';

/** Agents are probed hourly; a success older than two intervals is stale. Milliseconds. */
const STALE_AFTER_MS = 2 * 3_600_000;
/** Clocks that are right differ by less, milliseconds. */
const AHEAD_MS = 60_000;

/** A LiveState, or the columns of its row. */
type Seen = { readonly firstSeenAt: number } & {
  readonly [Name in Exclude<keyof LiveState, 'agent' | 'firstSeenAt'>]?: LiveState[Name] | null | undefined;
};

/** What was seen of an agent, in the words of the wire; undefined of one that the records do not know. */
export function liveText(live: Seen | undefined): LiveText {
  if (live === undefined) return UNKNOWN;
  const { firstSeenAt, lastSeenAt, lastCheckedAt, nextCheckAt, health } = live;
  const checkedAt = isTime(lastCheckedAt) ? timestamp(lastCheckedAt) : undefined;
  return {
    seen:
      time('first_seen_at', timestamp(firstSeenAt)) +
      (isTime(lastSeenAt) ? time('last_seen_at', timestamp(lastSeenAt)) : '') +
      (checkedAt === undefined ? '' : time('last_checked_at', checkedAt)),
    seenAt: lastSeenAt ?? firstSeenAt,
    nextCheckAt: nextCheckAt ?? null,
    health: !health ? '' : `,"health":${JSON.stringify(wireHealth(health, checkedAt))}`,
  };
}

const UNKNOWN: LiveText = { seen: '', seenAt: null, nextCheckAt: null, health: '' };

function isTime(at: number | null | undefined): at is number {
  return typeof at === 'number';
}

function time(name: string, text: string): string {
  return `"${name}":"${text}",`;
}

/** The wire's `health` (specification, 2.1): what the last probe saw. Undefined is absent in JSON. */
function wireHealth(
  { online, responseTimeMs, toolsCount, resourcesCount, error, capabilitiesReadAt }: Health,
  checkedAt?: string,
) {
  return {
    online,
    checked_at: checkedAt,
    response_time_ms: responseTimeMs,
    tools_count: toolsCount,
    resources_count: resourcesCount,
    error,
    capabilities_read_at: isTime(capabilitiesReadAt) ? timestamp(capabilitiesReadAt) : undefined,
  };
}

/** The wire's `freshness` (specification, 2.1). */
export interface Freshness {
  readonly first_seen_at?: string;
  readonly last_seen_at?: string;
  readonly last_checked_at?: string;
  readonly next_check_at?: string;
  readonly stale: boolean;
}

/** The member of a record with a Freshness, and the comma before it: how old our knowledge of an agent is while it is not stale. */
export function freshness({ seen, nextCheckAt }: LiveText): string {
  const next = nextCheckAt === null ? '' : time('next_check_at', timestamp(nextCheckAt));
  return `,"freshness":{${seen}${next}"stale":${FRESH}`;
}

/** The same as a value, at `now`. */
export function freshnessAt(live: LiveText, now: number): Freshness {
  const { freshness: fresh } = JSON.parse(`{${freshness(live).slice(1)}}`) as { freshness: Freshness };
  return { ...fresh, stale: now > freshUntil(live, now) };
}

/** How that member ends, and how it ends of an agent that is stale. */
export const FRESH = 'false}';
export const STALE = 'true}';

/**
 * The last moment at which the agent is not stale. One that never answered counts from when it was first
 * seen, so that an agent found a minute ago is not called stale before its first probe. A time in
 * the future, from a clock that was ahead, is ignored.
 */
export function freshUntil({ seenAt }: Pick<LiveText, 'seenAt'>, now: number): number {
  const isKnown = seenAt !== null && seenAt <= now + AHEAD_MS;
  return isKnown ? seenAt + STALE_AFTER_MS : Number.NEGATIVE_INFINITY;
}

export function isSeenLongAgo(
  seen: Pick<LiveState, 'firstSeenAt' | 'lastSeenAt'> | undefined,
  now: number,
): boolean {
  return now > freshUntil({ seenAt: seen?.lastSeenAt ?? seen?.firstSeenAt ?? null }, now);
}

/** RFC 3339, UTC, milliseconds. Each agent of a list has four, and toISOString costs eight times as much. */
function timestamp(at: number): string {
  const days = Math.floor(at / DAY);
  const [seconds, ms] = [Math.floor(at / 1_000) - days * 86_400, at % 1_000];
  const [hours, minutes] = [PADDED[Math.floor(seconds / 3_600)], PADDED[Math.floor(seconds / 60) % 60]];
  return `${knownDays.get(days) ?? dayText(days)}${hours}:${minutes}:${PADDED[seconds % 60]}.${Math.floor(ms / 100)}${PADDED[ms % 100]}Z`;
}

const DAY = 86_400_000;
const PADDED = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

/** Agents of one page were found on many days. */
const MOST_DAYS = 1_000;
const knownDays = new Map<number, string>();

function dayText(days: number): string {
  const text = new Date(days * DAY).toISOString().slice(0, -13);
  if (knownDays.size >= MOST_DAYS) knownDays.clear();
  knownDays.set(days, text);
  return text;
}
