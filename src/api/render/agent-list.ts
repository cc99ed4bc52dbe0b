import { yieldToEventLoop } from '../../base/event-loop.ts';
import { present } from '../../base/json.ts';
import { DEFAULT_TIERS, type TierTable } from '../../compliance/badges/conditions.ts';
import { nextUtcDay, utcDay } from '../../domain/accreditation-claim.ts';
import type { BaseRecord } from '../../domain/agent-document.ts';
import type { LiveState } from '../../domain/agent-facts.ts';
import type { AgentFilter, RecordGroups, ShownGroups } from '../../domain/agent-query.ts';
import type { NearestValues } from '../../domain/agent-search.ts';
import type { ComplianceSummary } from '../../domain/compliance.ts';
import { MAX_LIMIT } from '../../index/query/list-parameters.ts';
import { filtersMetrics, type ListQuery } from '../../index/query/list-query.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';
import { type MatchedFields, matchedFields } from './matched-metrics.ts';

/** Records that are read together. */
export const AT_ONCE = 100;
/** Bytes that are rendered before yielding to other requests, about a millisecond of work. One record may be as long as an answer. */
const RENDERED_AT_ONCE = 262_144;
/** Clients stop reading an answer that is longer. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Bytes of an answer beside its records. */
const FRAME_BYTES = 4_096;

export interface ListSources {
  readonly records: Pick<Records, 'agents'>;
  readonly index: Pick<AgentIndex, 'search' | 'find'>;
  /** The labels of membership tiers; absent: the defaults. */
  readonly tiers?: TierTable;
}

interface RenderedRecords {
  /** The JSON of each record, in UTF-8. */
  readonly rendered: readonly Buffer[];
  /** The URL of the last of them, when others follow. */
  readonly last: string | undefined;
  readonly total: number | undefined;
  /** The last moment, epoch milliseconds, at which the same data yield the same bytes. */
  readonly validUntil: number;
}

/**
 * Reads and renders agents after `after`, up to the limit of the query or 2 MiB, and yields to other requests in between. All
 * agents are of one generation of the index; their state is read from the records.
 */
export async function renderRecords(
  sources: ListSources,
  query: ListQuery & { readonly after: string | undefined },
  now: number,
): Promise<RenderedRecords> {
  const { index, records, tiers = DEFAULT_TIERS } = sources;
  const { filter, limit = MAX_LIMIT, switches: shown } = query;
  const asksMatches = filtersMetrics(filter);
  const rendered: Buffer[] = [];
  let last = query.after;
  let total: number | undefined;
  let generation: string | undefined;
  // an accreditation that is valid today may expire tomorrow
  let validUntil = asksMatches ? nextUtcDay(now) - 1 : Number.POSITIVE_INFINITY;
  let bytes = FRAME_BYTES;
  let work = 0;
  for (let more = true; more && rendered.length < limit; ) {
    if (rendered.length > 0) await yieldToEventLoop();
    const page = await index.search({
      filter,
      limit: Math.min(AT_ONCE, limit - rendered.length),
      shown,
      ...(last !== undefined && { after: last }),
      ...(query.total && total === undefined && { total: true as const }),
    });
    // switched since the last read: the generations' agents are never mixed
    if (rendered.length > 0 && page.generation !== generation) return renderRecords(sources, query, now);
    ({ generation, more } = page);
    total ??= page.total;
    const states = await records.agents.live(page.hits.map(({ url }) => url));
    for (const { url, groups } of page.hits) {
      if (groups === undefined) continue;
      if (work > RENDERED_AT_ONCE) {
        await yieldToEventLoop();
        work = 0;
      }
      const state = states.get(url);
      const matched = asksMatches ? matchedIn(groups, filter, now) : undefined;
      const record = Buffer.from(recordJson(groups, { shown, state, tiers, now, matched }));
      bytes += record.length + 1;
      if (bytes > MAX_BYTES && rendered.length > 0) return { rendered, last, total, validUntil };
      rendered.push(record);
      last = url;
      work += record.length + (asksMatches ? (groups.capabilities?.length ?? 0) : 0);
      // the first moment at which some agent of the page becomes stale; never when all are already
      const staleAfter = freshUntil(state, now);
      if (staleAfter >= now && staleAfter < validUntil) validUntil = staleAfter;
    }
    if (!more) last = undefined;
  }
  return { rendered, last, total, validUntil };
}

/** The metrics and accrediting bodies of a record that met the filter. */
function matchedIn({ capabilities = '{}' }: RecordGroups, filter: AgentFilter, now: number): MatchedFields {
  return matchedFields(JSON.parse(capabilities), filter, utcDay(now));
}

/**
 * For an empty list: the requested metrics and accrediting bodies that no agent has, each with the most similar known ones. `q`, a
 * part of a metric_id, is compared as a complete one.
 */
export async function nearestInList(
  { index }: Pick<ListSources, 'index'>,
  { q, ...listed }: AgentFilter,
): Promise<readonly NearestValues[]> {
  const nearestOf = async (filter: Omit<AgentFilter, 'q'>) => {
    const asked = {
      words: [],
      filter: { listed: filter, labels: {} },
      sort: 'name',
      totalOnly: true,
    } as const;
    return (await index.find(asked)).nearest ?? [];
  };
  const isUnknown = q !== undefined && (await index.search({ filter: { q }, limit: 1 })).hits.length === 0;
  const ofQ = isUnknown ? await nearestOf({ metricIds: [q] }) : [];
  const isAsked = listed.metricIds !== undefined || listed.accreditations !== undefined;
  return [...ofQ.map((one) => ({ ...one, parameter: 'q' })), ...(isAsked ? await nearestOf(listed) : [])];
}

interface RecordContext {
  /** The groups to include. */
  readonly shown: ShownGroups;
  /** Undefined for an agent that the records do not know. */
  readonly state: LiveState | undefined;
  readonly tiers: TierTable;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The metrics and bodies that met the filters. */
  readonly matched?: MatchedFields | undefined;
}

/** The JSON text of one agent record (specification, 2.1): the stored groups, joined, with the state of the agent. */
function recordJson(groups: RecordGroups, context: RecordContext): string {
  const { shown, state, tiers, now, matched } = context;
  const { base, properties, capabilities, compliance } = groups;
  const objects = [
    withTierLabel(base, tiers),
    JSON.stringify({ freshness: freshnessOf(state, now), ...matched }),
  ];
  if (shown.health && state?.health !== undefined) objects.push(`{"health":${state.health}}`);
  if (shown.properties && properties !== undefined) objects.push(properties);
  if (shown.capabilities && capabilities !== undefined) objects.push(`{"capabilities":${capabilities}}`);
  if (shown.compliance && compliance !== undefined && !isOptedOut(compliance))
    objects.push(`{"compliance":${compliance}}`);
  return `{${objects.map((text) => text.slice(1, -1)).join(',')}}`;
}

const EVERY_GROUP = { health: true, capabilities: true, properties: true, compliance: true };

/** The same with all groups. */
export function fullRecordJson(groups: RecordGroups, context: Omit<RecordContext, 'shown'>): string {
  return recordJson(groups, { ...context, shown: EVERY_GROUP });
}

/** Adds the current label of the membership tier: the table of tiers may change, stored records do not. */
function withTierLabel(base: string, { tiers }: TierTable): string {
  if (!base.includes('"membership_tier"')) return base;
  const record = JSON.parse(base) as BaseRecord;
  const { member } = record;
  const tier = member?.membership_tier;
  if (member === undefined || tier === undefined || member.membership_tier_label !== undefined) return base;
  const label = Object.hasOwn(tiers, tier) ? tiers[tier]?.label : undefined;
  return JSON.stringify({ ...record, member: { ...member, membership_tier_label: label } });
}

/** Clients reject a compliance group without all its fields, so the list leaves out that of an agent that opted out. */
function isOptedOut(compliance: string): boolean {
  return (
    compliance.includes('"opted_out"') && (JSON.parse(compliance) as ComplianceSummary).status === 'opted_out'
  );
}

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
  const { firstSeenAt, lastSeenAt, lastCheckedAt, nextCheckAt } = state ?? {};
  const seen = instant(lastSeenAt);
  const times = {
    first_seen_at: instant(firstSeenAt),
    last_seen_at: seen,
    last_checked_at: lastCheckedAt === lastSeenAt ? seen : instant(lastCheckedAt),
    next_check_at: instant(nextCheckAt),
  };
  return { ...present(times), stale: isStale(state, now) };
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
function freshUntil(seen: Seen | undefined, now: number): number {
  const seenAt = seen?.lastSeenAt ?? seen?.firstSeenAt;
  if (seenAt === undefined || seenAt > now + AHEAD_MS) return Number.NEGATIVE_INFINITY;
  return seenAt + STALE_AFTER_MS;
}

function instant(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
