import { DEFAULT_TIERS, type TierTable } from '../../compliance/badges/conditions.ts';
import { nextUtcDay, utcDay } from '../../domain/accreditation-claim.ts';
import type { AgentFilter, AgentHit, RecordText, ShownGroups } from '../../domain/agent-query.ts';
import type { NearestValues } from '../../domain/agent-search.ts';
import { MAX_LIMIT } from '../../index/query/list-parameters.ts';
import { asksMetrics, type ListQuery } from '../../index/query/list-query.ts';
import { FRESH, freshUntil, liveText, STALE } from '../../index/query/live-text.ts';
import { FRESHNESS_AT, measuredIn, PIECES, recordText } from '../../index/query/record-text.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';
import { ListBody, yieldToEventLoop } from '../list-cache.ts';
import { TextRoom } from '../text-room.ts';
import { matchedMembers, mayMatch } from './matched-metrics.ts';

/** Records that are read and rendered before other requests get their turn. */
export const AT_ONCE = 100;
/** Cost of parsing a character of JSON, relative to writing one. */
const PARSED = 4;

export interface ListSources {
  readonly records: Pick<Records, 'agents'>;
  readonly index: Pick<AgentIndex, 'search' | 'find'>;
  /** The labels of membership tiers; absent: the defaults. */
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
 * Reads and renders agents after `after`, up to the limit of the query or 2 MiB, and yields to other requests in between. All
 * agents are of one generation of the index.
 */
export async function renderRecords(
  sources: ListSources,
  query: ListQuery & { readonly after: string | undefined },
  now: number,
): Promise<RenderedRecords> {
  const { index, records, tiers = DEFAULT_TIERS } = sources;
  const { filter, limit = MAX_LIMIT, switches } = query;
  const list = new ListBody('agents', JSON.stringify(switches));
  let [last, total] = [query.after, undefined as number | undefined];
  const hidden = hiddenPieces(switches);
  const matchedIn = asksMetrics(filter) ? matchedTexts(filter, utcDay(now)) : undefined;
  // an accreditation that is valid today may expire tomorrow
  let validUntil = matchedIn ? nextUtcDay(now) - 1 : Number.POSITIVE_INFINITY;
  let generation: string | undefined;
  for (let more = true; more && list.count < limit; ) {
    if (list.count > 0) await yieldToEventLoop();
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
    if (page.hits.length >= AT_ONCE) await yieldToEventLoop();
    for (const { url, record } of await withRecords(page.hits, records)) {
      const matched = matchedIn?.(record) ?? '';
      const write = (room: TextRoom) => writeRecord(room, record, { hidden, tiers, now, matched });
      if (!list.add(write, matchedIn ? sizeOf(record) * PARSED : 0)) return { list, last, total, validUntil };
      const pause = list.pause();
      if (pause !== undefined) await pause;
      last = url;
      // the first moment at which some agent of the page becomes stale; never when all are already
      const flip = freshUntil(record, now);
      if (flip >= now && flip < validUntil) validUntil = flip;
    }
    if (!more) last = undefined;
  }
  return { list, last, total, validUntil };
}

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

/** What of a record met the filter, as members of its text, each with the comma before it. */
function matchedTexts(filter: AgentFilter, today: string): (record: RecordText) => string {
  const isWanted = mayMatch(filter);
  return (record) =>
    Object.entries(matchedMembers(measuredIn(record, isWanted), filter, today))
      .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
      .join('');
}

/** Assembles the records of an external index, which does not have the live state of agents. */
async function withRecords(hits: readonly AgentHit[], { agents }: ListSources['records']) {
  if (hits.every(({ record }) => record !== undefined)) return hits as readonly RecordHit[];
  const states = await agents.live(hits.map(({ url }) => url));
  return hits.flatMap(({ url, stored }) =>
    stored === undefined ? [] : { url, record: recordText(stored, liveText(states.get(url))) },
  );
}

type RecordHit = Required<Pick<AgentHit, 'url' | 'record'>>;

export interface RenderedWith {
  /** Which of PIECES were not asked for. */
  readonly hidden: readonly number[];
  readonly tiers: TierTable;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Members that say what met the filters, each with the comma before it. */
  readonly matched: string;
}

/**
 * Writes the JSON text of one agent record (specification, 2.1, in its order of fields): what is stored of it, unparsed, without
 * the groups that were not asked for, and with what the clock and the caller decide. What it returns differs wherever the text does.
 */
function writeRecord(
  room: TextRoom,
  record: RecordText,
  { hidden, tiers, now, matched }: RenderedWith,
): string {
  const { bytes, ends, tier, version } = record;
  const label = tier === undefined ? '' : labelOf(tier.name, tiers);
  const isStale = now > freshUntil(record, now);
  let from = ends[0] ?? 0;
  const copyTo = (end: number) => {
    if (from < end) room.copy(bytes, from, end);
    from = end;
  };
  if (tier !== undefined && label !== '') {
    copyTo(tier.at);
    room.write(label);
  }
  const fresh = ends[FRESHNESS_AT + 1] ?? 0;
  if (isStale) {
    copyTo(fresh - FRESH.length);
    room.write(STALE);
    from = fresh;
  }
  if (matched !== '') {
    copyTo(fresh);
    room.write(matched);
  }
  for (const at of hidden) {
    copyTo(ends[at] ?? 0);
    from = ends[at + 1] ?? 0;
  }
  copyTo(ends.at(-1) ?? 0);
  return version + (isStale ? STALE : '') + label + matched;
}

/** The pieces of groups that were not requested. */
export function hiddenPieces(switches: ShownGroups): readonly number[] {
  return PIECES.flatMap(([, group], at) => (group === undefined || switches[group] ? [] : [at]));
}

/** The JSON text of one agent record alone. */
export function recordJson(record: RecordText, how: RenderedWith): string {
  const room = new TextRoom();
  writeRecord(room, record, how);
  const { body, giveBack } = room.end();
  const text = body.toString();
  giveBack();
  return text;
}

function sizeOf({ ends }: RecordText): number {
  return (ends.at(-1) ?? 0) - (ends[0] ?? 0);
}

/** The field with the current label of a tier, or '': the table may change, the record does not. */
function labelOf(tier: string, { tiers }: TierTable): string {
  const label = Object.hasOwn(tiers, tier) ? tiers[tier]?.label : undefined;
  return label === undefined ? '' : `,"membership_tier_label":${JSON.stringify(label)}`;
}
