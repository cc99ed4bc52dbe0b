import { DEFAULT_TIERS, type TierTable } from '../../compliance/badges/conditions.ts';
import { nextUtcDay, utcDay } from '../../domain/accreditation-claim.ts';
import type { AgentFilter, AgentHit, LiveText, RecordText, ShownGroups } from '../../domain/agent-query.ts';
import type { NearestValues } from '../../domain/agent-search.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';
import { MAX_LIMIT } from '../../query/list-parameters.ts';
import { asksMetrics, type ListQuery } from '../../query/list-query.ts';
import { freshness, freshUntil, liveText } from '../../query/live-text.ts';
import { capabilitiesIn } from '../../query/record-text.ts';
import { createListBody, type ListBody, letOthersIn } from '../list-cache.ts';
import { matchedMembers } from './matched-metrics.ts';

/** Records that are read and rendered without a break. */
export const AT_ONCE = 100;
/** What reading a character of JSON costs beside writing one. */
const PARSED = 4;

export interface ListSources {
  readonly records: Pick<Records, 'agents'>;
  readonly index: Pick<AgentIndex, 'search' | 'find'>;
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
  const { index, records, tiers = DEFAULT_TIERS } = sources;
  const { filter, limit = MAX_LIMIT, switches } = query;
  const list = createListBody('agents', JSON.stringify(switches));
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
      shown: switches,
      ...(last !== undefined && { after: last }),
      ...(query.total && total === undefined && { total: true as const }),
    });
    // switched since the last read: the generations' agents are never mixed
    if (list.count > 0 && page.generation !== generation) return renderRecords(sources, query, now);
    ({ generation, more } = page);
    total ??= page.total;
    if (page.hits.length >= AT_ONCE) await letOthersIn();
    const hits = page.hits as readonly RecordHit[]; // as `shown` asks
    const states = await statesBeside(hits, records);
    for (const { url, record } of hits) {
      const live = record.live ?? liveText(states?.get(url));
      const matched = tellsMetrics ? membersOf(matchedMembers(capabilitiesIn(record), filter, today)) : '';
      const text = recordParts(record, live, { switches, tiers, now, matched });
      if (list.count > 0 && !list.hasRoomFor(text)) return { list, last, total, validUntil };
      await list.add(text, record.capabilities.length * PARSED);
      last = url;
      // the first moment at which some agent of the page becomes stale; never when all are already
      const flip = freshUntil(live, now);
      if (flip >= now && flip < validUntil) validUntil = flip;
    }
    if (!more) last = undefined;
  }
  return { list, last, total, validUntil };
}

type RecordHit = Required<AgentHit>;

/**
 * Where nothing is found: the metrics and bodies that were asked for and that no agent has, each with those that are most
 * alike. `q`, a part of a metric's id, is compared as a whole one.
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

function membersOf(members: object): string {
  return Object.entries(members)
    .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
    .join('');
}

/** How agents are that an index beside the records cannot tell. */
async function statesBeside(hits: readonly RecordHit[], { agents }: ListSources['records']) {
  const unknown = hits.filter(({ record }) => record.live === undefined);
  return unknown.length === 0 ? undefined : await agents.live(unknown.map(({ url }) => url));
}

/** A record put together: its text in three parts, and what tells it from any other. */
export interface RecordParts {
  readonly head: string;
  readonly between: string;
  readonly tail: string;
  /** Differs wherever `head` or, under the same switches, `tail` differs. */
  readonly digest: string;
}

export interface RenderedWith {
  readonly switches: ShownGroups;
  readonly tiers: TierTable;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Members that say what met the filters, each with the comma before it. */
  readonly matched: string;
}

/**
 * The JSON text of one agent record (specification, 2.1, in its order of fields). The stored texts are passed
 * through unparsed; only what changes by time is made here.
 */
export function recordParts(
  record: Pick<RecordText, 'head' | 'tail' | 'digest'>,
  live: LiveText,
  { switches, tiers, now, matched }: RenderedWith,
): RecordParts {
  const { tail, digest } = record;
  const head = withTierLabel(record.head, tiers);
  const between = freshness(live, now) + matched + (switches.health ? live.health : '');
  return { head, between, tail, digest: head === record.head ? digest : head + digest };
}

// a text of JSON has no raw quote inside, so this can only be the member itself; with a label of its own it stays
const BARE_TIER = /"membership_tier":("[^"\\]*")(,"membership_tier_label":)?/;

/** The stored member of a record with the label that the tier has now: the table may change, the record does not. */
function withTierLabel(head: string, { tiers }: TierTable): string {
  return head.replace(BARE_TIER, (stored, name: string, labelled?: string) => {
    if (labelled !== undefined) return stored;
    const tier: string = JSON.parse(name);
    const label = Object.hasOwn(tiers, tier) ? tiers[tier]?.label : undefined;
    return label === undefined ? stored : `${stored},"membership_tier_label":${JSON.stringify(label)}`;
  });
}
