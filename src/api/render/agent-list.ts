import { DEFAULT_TIERS, type TierTable } from '../../compliance/badges/conditions.ts';
import { asksMetrics, nextUtcDay, utcDay } from '../../domain/accreditation-claim.ts';
import type { LiveState } from '../../domain/agent-facts.ts';
import type { AgentHit } from '../../domain/agent-query.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';
import { type ListSwitches, MAX_LIMIT } from '../../query/list-parameters.ts';
import type { ListQuery } from '../../query/list-query.ts';
import { createListBody, type ListBody, letOthersIn } from '../list-cache.ts';
import { matchedMembers } from './matched-metrics.ts';

/** Records that are read and rendered without a break. */
export const AT_ONCE = 100;
/** What reading a character of JSON costs beside writing one. */
const PARSED = 4;

/** Agents are probed hourly; a success older than two intervals is stale. Milliseconds. */
const STALE_AFTER_MS = 2 * 3_600_000;
/** Clocks that are right differ by less, milliseconds. */
const AHEAD_MS = 60_000;

export interface ListSources {
  readonly records: Pick<Records, 'agents'>;
  readonly index: Pick<AgentIndex, 'search'>;
  /** What memberships are called; absent: the usual ones. */
  readonly tiers?: TierTable;
}

interface RenderedRecords {
  readonly list: ListBody;
  /** The URL of the last of them, when others follow. */
  readonly last: string | undefined;
  readonly total: number | undefined;
  /** The last moment, epoch milliseconds, at which the same data yield the same texts. */
  readonly validUntil: number;
}

/**
 * Reads and renders agents behind `after`, up to the limit of the query or 2 MiB. Others are answered in between. All
 * agents are of one generation of the index.
 */
export async function renderRecords(
  sources: ListSources,
  query: ListQuery & { readonly after: string | undefined },
  now: number,
): Promise<RenderedRecords> {
  const { index, tiers = DEFAULT_TIERS } = sources;
  const { filter, limit = MAX_LIMIT, switches } = query;
  const list = createListBody('agents');
  let [last, total] = [query.after, undefined as number | undefined];
  const tellsMetrics = asksMetrics(filter);
  const today = tellsMetrics ? utcDay(now) : '';
  // what is valid today may not be tomorrow
  let validUntil = tellsMetrics ? nextUtcDay(now) - 1 : Number.POSITIVE_INFINITY;
  let generation: string | undefined;
  for (let more = true; more && list.count < limit; ) {
    if (list.count > 0) await letOthersIn();
    const page = await index.search({
      filter,
      limit: Math.min(AT_ONCE, limit - list.count),
      ...(last !== undefined && { after: last }),
      ...(query.total && total === undefined && { total: true as const }),
    });
    // switched since the last read: the generations' agents are never mixed
    if (list.count > 0 && page.generation !== generation) return renderRecords(sources, query, now);
    ({ generation, more } = page);
    total ??= page.total;
    if (page.hits.length >= AT_ONCE) await letOthersIn();
    const live = await sources.records.agents.live(page.hits.map(({ url }) => url));
    for (const hit of page.hits) {
      const state = live.get(hit.url);
      const base = withTierLabel(hit.base, tiers);
      const matched = tellsMetrics ? matchedMembers(JSON.parse(hit.capabilities ?? '{}'), filter, today) : {};
      const record = renderAgentRecord({ ...hit, base }, state, switches, now, matched);
      if (list.count > 0 && !list.hasRoomFor(record)) return { list, last, total, validUntil };
      const read = tellsMetrics ? (hit.capabilities?.length ?? 0) * PARSED : 0;
      await list.add(record, record.length + read);
      last = hit.url;
      // the first moment at which some agent of the page becomes stale; never when all are already
      const flip = freshUntil(state, now);
      if (flip >= now && flip < validUntil) validUntil = flip;
    }
    if (!more) last = undefined;
  }
  return { list, last, total, validUntil };
}

/**
 * The JSON text of one agent record (specification, 2.1, in its order of fields). The stored texts are passed
 * through unparsed; only what changes by time is made here. A group that was never observed is absent, but for
 * compliance, which is always known unless the agent opted out.
 */
export function renderAgentRecord(
  hit: AgentHit,
  live: LiveState | undefined,
  switches: ListSwitches,
  now: number,
  matched: object,
): string {
  const hasCompliance = switches.compliance && !hit.compliance.startsWith(OPTED_OUT);
  const [stats, publishers] = switches.properties ? splitProperties(hit.properties) : ['', ''];
  return (
    hit.base.slice(0, -1) +
    member('freshness', JSON.stringify(freshness(live, now))) +
    Object.entries(matched)
      .map(([name, value]) => member(name, JSON.stringify(value)))
      .join('') +
    (switches.health ? member('health', JSON.stringify(health(live))) : '') +
    stats +
    (switches.capabilities ? member('capabilities', hit.capabilities) : '') +
    (hasCompliance ? member('compliance', hit.compliance) : '') +
    `${publishers}}`
  );
}

/** How the group of an agent that opted out begins. The list leaves it out, as clients of the field refuse a part of a group. */
const OPTED_OUT = '{"status":"opted_out"';

function member(name: string, json: string | undefined): string {
  return json === undefined ? '' : `,"${name}":${json}`;
}

// a text of JSON has no raw quote inside, so this can only be the member itself; with a label of its own it stays
const BARE_TIER = /"membership_tier":("[^"\\]*")(,"membership_tier_label":)?/;

/** The stored member of a record with the label that the tier has now: the table may change, the record does not. */
export function withTierLabel(base: string, { tiers }: TierTable): string {
  return base.replace(BARE_TIER, (stored, name: string, labelled?: string) => {
    if (labelled !== undefined) return stored;
    const tier: string = JSON.parse(name);
    const label = Object.hasOwn(tiers, tier) ? tiers[tier]?.label : undefined;
    return label === undefined ? stored : `${stored},"membership_tier_label":${JSON.stringify(label)}`;
  });
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

/** The wire's `freshness`: how old our knowledge of an agent is at `now`. Undefined is absent in JSON. */
export function freshness(live: LiveState | undefined, now: number) {
  return {
    first_seen_at: timestamp(live?.firstSeenAt),
    last_seen_at: timestamp(live?.lastSeenAt),
    last_checked_at: timestamp(live?.lastCheckedAt),
    next_check_at: timestamp(live?.nextCheckAt),
    stale: isSeenLongAgo(live, now),
  };
}

export function isSeenLongAgo(live: LiveState | undefined, now: number): boolean {
  return now > freshUntil(live, now);
}

/**
 * The last moment at which the agent is not stale. One that never answered counts from when it was first
 * seen, so that an agent found a minute ago is not called stale before its first probe. One that was seen in the future,
 * by a clock that was ahead, was seen nobody knows when.
 */
function freshUntil(live: LiveState | undefined, now: number): number {
  const known = live?.lastSeenAt ?? live?.firstSeenAt;
  const isKnown = known !== undefined && known <= now + AHEAD_MS;
  return isKnown ? known + STALE_AFTER_MS : Number.NEGATIVE_INFINITY;
}

/** RFC 3339, UTC, milliseconds. Each agent of a list has four, and toISOString costs eight times as much. */
function timestamp(at: number | undefined): string | undefined {
  if (at === undefined) return undefined;
  const days = Math.floor(at / DAY);
  if (days !== lastDay.days) lastDay = { days, text: new Date(at).toISOString().slice(0, -13) };
  const [seconds, ms] = [Math.floor(at / 1_000) - days * 86_400, at % 1_000];
  const [hours, minutes] = [PADDED[Math.floor(seconds / 3_600)], PADDED[Math.floor(seconds / 60) % 60]];
  return `${lastDay.text}${hours}:${minutes}:${PADDED[seconds % 60]}.${Math.floor(ms / 100)}${PADDED[ms % 100]}Z`;
}

const DAY = 86_400_000;
const PADDED = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
let lastDay = { days: Number.NaN, text: '' };

/** The wire's `health` (specification, 2.1): what the last probe saw; undefined when the agent was never probed. */
function health(live: LiveState | undefined) {
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
