import type { Change } from '../../../domain/change.ts';
import type { EdgeChange, FileChange } from '../../../ports/edge-log.ts';
import type { KnownPublisher } from '../../../ports/graph.ts';
import type { Records } from '../../../ports/records.ts';
import { yieldToEventLoop } from '../../list-cache.ts';
import {
  agentEvents,
  EVENT_TYPES,
  type EventType,
  edgeEvents,
  type FeedEvent,
  fileEvents,
  typesOfChange,
  typesOfEdge,
} from './events.ts';
import { type FirstPage, firstPage } from './first-page.ts';
import type { FeedPosition } from './position.ts';

/** Rows that are read together, and bytes of an event as it is in most: what is read for a page should be told in it. */
const AT_ONCE = { least: 100, most: 500, bytesOfOne: 1_600 };
/** Rows of each log that are read for one page; those that are overtaken, or not wanted, are read and not told. */
const MAX_READ = 10_000;
const isOfAgent = (type: EventType): boolean => type.startsWith('agent.');
/** Entries of one pair that are told again after one of them has ended. */
const MAX_STANDING = 20;

export interface FeedRecords {
  readonly graph: Pick<Records['graph'], 'entriesOf' | 'publishersAmong'>;
  readonly edgeLog: Pick<Records['edgeLog'], 'edgeChanges' | 'lastEdgeChange'>;
  readonly agents: Pick<
    Records['agents'],
    'changes' | 'lastChanges' | 'lastSeq' | 'numberChanges' | 'optOuts' | 'saved'
  >;
}

/** What a page may hold. */
export interface PageRoom {
  /** Changes; one may be told by several events. */
  readonly limit: number;
  readonly maxBytes: number;
  readonly isWanted: (type: EventType) => boolean;
}

/** An event of a page. */
export interface PageEvent extends Pick<FeedEvent, 'type' | 'at'> {
  readonly json: string;
}

export interface FeedPage {
  readonly events: readonly PageEvent[];
  readonly position: FeedPosition;
  readonly hasMore: boolean;
}

/**
 * The events of so many rows at most behind a position: those of the agents first, as an edge needs its agent. An edge
 * that is told meanwhile waits: before it may come that its agent left, with which a client forgets all its edges.
 */
export async function readFeed(
  records: FeedRecords,
  from: FeedPosition,
  { limit, maxBytes, isWanted }: PageRoom,
): Promise<FeedPage> {
  const events: PageEvent[] = [];
  let { agents, edges } = from;
  let [told, bytes, isFull] = [0, 0, false];
  /** Adds the events of one row; false if the page has no room for them. */
  const take = (found: readonly FeedEvent[]): boolean => {
    const wanted = found
      .filter(({ type }) => isWanted(type))
      .map(({ type, at, text }) => ({ type, at, json: text() }));
    if (wanted.length === 0) return true;
    const size = wanted.reduce((sum, { json }) => sum + Buffer.byteLength(json) + 1, 0);
    isFull = told > 0 && (told === limit || bytes + size > maxBytes);
    if (isFull) return false;
    events.push(...wanted);
    bytes += size;
    told += 1;
    return true;
  };
  const wantsAny = (types: readonly EventType[]) => types.some(isWanted);
  const wantsAgents = wantsAny(EVENT_TYPES.filter(isOfAgent));
  const wantsEdges = wantsAny(EVENT_TYPES.filter((type) => !isOfAgent(type)));
  const wantsRows = {
    file: wantsAny(typesOfEdge('file')),
    began: wantsAny(typesOfEdge('began')),
    ended: wantsAny(typesOfEdge('ended')),
  };
  const likely = Math.ceil(Math.min(limit + 1, maxBytes / AT_ONCE.bytesOfOne)); // one more: it tells whether more follow
  const atOnce = Math.min(AT_ONCE.most, Math.max(AT_ONCE.least, likely));
  const first = firstPage(from);
  // what has no number and cannot get one now, as in a store that takes no writing, is told when it has
  const number = () =>
    records.agents.numberChanges().then(
      () => true,
      () => false,
    );
  if (from.isFirst && wantsAgents) await number(); // for what an earlier page skipped a row
  let hasMore = true;
  for (let read = 0; read < MAX_READ && !isFull; read += atOnce) {
    await yieldToEventLoop();
    const toldBefore = await records.edgeLog.lastEdgeChange();
    // a log of which nothing is wanted is passed over
    if (!wantsAgents) agents = await records.agents.lastSeq();
    if (!wantsEdges) edges = toldBefore;
    const changes = wantsAgents ? await records.agents.changes(agents, atOnce) : [];
    for (const { change, found } of await eventsOfAgents(records, changes, { from, first, wantsAny }))
      if (take(found)) agents = change.seq;
      else break;
    if (isFull || changes.length === atOnce) continue;
    if (first.isWaiting() && (await number())) continue;
    const rows = wantsEdges ? await records.edgeLog.edgeChanges(edges, atOnce) : [];
    const ready = rows.filter(({ seq }) => seq <= toldBefore);
    const files = wantsRows.file ? await filesOf(records, ready) : NO_FILES;
    for (const row of ready) {
      const found = wantsRows[row.kind] ? eventsOfRow(records, row, files, first) : [];
      if (!take('then' in found ? await found : found)) break;
      edges = row.seq;
    }
    hasMore = isFull || ready.length < rows.length || rows.length === atOnce;
    if (!hasMore) break;
  }
  return { events, position: { ...from, agents, edges }, hasMore };
}

interface Telling {
  readonly from: FeedPosition;
  readonly first: FirstPage;
  readonly wantsAny: (types: readonly EventType[]) => boolean;
}

/** Only of rows of which something is wanted the agents are read: their documents are long. */
async function eventsOfAgents(
  { agents }: FeedRecords,
  changes: readonly Change[],
  { from, first, wantsAny }: Telling,
) {
  const wanted = new Set(changes.filter((change) => wantsAny(typesOfChange(change, from.isFirst))));
  const names = [...new Set([...wanted].map(({ agent }) => agent))];
  const saved = new Map((names.length > 0 ? await agents.saved(names) : []).map((one) => [one.agent, one]));
  return changes.map((change) => {
    const now = saved.get(change.agent);
    const isTold = wanted.has(change) && !first.skipsAgent(change, now);
    return { change, found: isTold ? agentEvents(change, now?.document, from.isFirst) : [] };
  });
}

type Files = ReadonlyMap<string, KnownPublisher>;
const NO_FILES: Files = new Map();

/** The files that these rows are about, as they are now. */
async function filesOf({ graph }: FeedRecords, rows: readonly (EdgeChange | FileChange)[]): Promise<Files> {
  const named = new Set(rows.flatMap((row) => (row.kind === 'file' ? [row.publisher] : [])));
  const found = named.size === 0 ? [] : await graph.publishersAmong([...named]);
  return new Map(found.map((publisher) => [publisher.domain, publisher]));
}

function eventsOfRow(
  records: FeedRecords,
  row: EdgeChange | FileChange,
  files: Files,
  first: FirstPage,
): readonly FeedEvent[] | Promise<readonly FeedEvent[]> {
  if (row.kind !== 'file') return eventsOfEdge(records, row, first);
  if (first.skipsFile(row)) return [];
  return fileEvents(first.isFirst ? { ...row, isFirst: true } : row, files.get(row.publisher));
}

/** At once for most: only what was told before and stands again in part is asked for. */
function eventsOfEdge(
  records: FeedRecords,
  row: EdgeChange,
  first: FirstPage,
): readonly FeedEvent[] | Promise<readonly FeedEvent[]> {
  if (first.skipsEdge(row)) return [];
  if (row.kind === 'ended' && row.stands) return eventsOfEnd(records, row, first);
  if (row.entry) first.grants(row.id);
  return edgeEvents(row, []);
}

async function eventsOfEnd({ graph }: FeedRecords, row: EdgeChange, first: FirstPage) {
  const { agent, publisher, scope } = row;
  const entries = await graph.entriesOf(publisher, { agent, after: 0, limit: MAX_STANDING });
  const standing = entries.filter((entry) => entry.sells && entry.scope === scope);
  for (const { id } of standing) first.grants(id);
  return edgeEvents(row, standing);
}
