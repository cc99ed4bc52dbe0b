import { yieldToEventLoop } from '../../../base/event-loop.ts';
import type { SavedDocument } from '../../../domain/agent-document.ts';
import type { Change } from '../../../domain/change.ts';
import type { Records } from '../../../ports/records.ts';
import type { EdgeChange, FileChange } from '../../../records/agents/edge-log.ts';
import type { KnownPublisher } from '../../../records/agents/publishers.ts';
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
import type { FeedPosition } from './position.ts';

/** Rows of a log that are read together, and the usual bytes of an event, so that few rows are read that do not fit the page. */
const AT_ONCE = { least: 100, most: 500, bytesOfOne: 1_600 };
/** Rows of each log that are read for one page, with those that yield no event. */
const MAX_READ = 10_000;
const isOfAgent = (type: EventType): boolean => type.startsWith('agent.');
/** Entries of an agent and a publisher that are granted again after one of them has ended. */
const MAX_STANDING = 20;

export interface FeedRecords {
  readonly graph: Pick<Records['graph'], 'entriesOf' | 'publishersAmong'>;
  readonly edgeLog: Pick<Records['edgeLog'], 'edgeChanges' | 'lastEdgeChange'>;
  readonly agents: Pick<Records['agents'], 'changes' | 'lastChanges' | 'lastSeq' | 'saved'>;
}

/** The limits of a page. */
export interface PageRoom {
  /** Changes; one can produce several events. */
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
 * The events after a position: those of the agents first, because an edge needs its agent. Rows that are added to the edge log
 * meanwhile wait for the next round: their agent may have left before, and a client then forgets all its edges.
 */
export async function readFeed(
  records: FeedRecords,
  from: FeedPosition,
  { limit, maxBytes, isWanted }: PageRoom,
): Promise<FeedPage> {
  const events: PageEvent[] = [];
  let { agents, edges } = from;
  let [count, bytes, isFull] = [0, 0, false];
  /** Adds the events of one row; false if the page has no room for them. */
  const take = (found: readonly FeedEvent[]): boolean => {
    const wanted = found
      .filter(({ type }) => isWanted(type))
      .map(({ type, at, body }) => ({ type, at, json: JSON.stringify(body) }));
    if (wanted.length === 0) return true;
    const size = wanted.reduce((sum, { json }) => sum + Buffer.byteLength(json) + 1, 0);
    isFull = count > 0 && (count === limit || bytes + size > maxBytes);
    if (isFull) return false;
    events.push(...wanted);
    bytes += size;
    count += 1;
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
  const likely = Math.ceil(Math.min(limit + 1, maxBytes / AT_ONCE.bytesOfOne)); // one more shows whether more follow
  const atOnce = Math.min(AT_ONCE.most, Math.max(AT_ONCE.least, likely));
  const first = firstPage(from);
  let hasMore = true;
  for (let read = 0; read < MAX_READ && !isFull; read += atOnce) {
    await yieldToEventLoop();
    const lastEdge = await records.edgeLog.lastEdgeChange();
    // skip a log without wanted events
    if (!wantsAgents) agents = await records.agents.lastSeq();
    if (!wantsEdges) edges = lastEdge;
    const changes = wantsAgents ? await records.agents.changes(agents, atOnce) : [];
    for (const { change, found } of await eventsOfAgents(records, changes, { from, first, wantsAny }))
      if (take(found)) agents = change.seq;
      else break;
    if (isFull || changes.length === atOnce) continue;
    if (first.isWaiting()) continue;
    const rows = wantsEdges ? await records.edgeLog.edgeChanges(edges, atOnce) : [];
    const ready = rows.filter(({ seq }) => seq <= lastEdge);
    const files = wantsRows.file ? await filesOf(records, ready) : NO_FILES;
    for (const row of ready) {
      const found = wantsRows[row.kind] ? await eventsOfRow(records, row, files, first) : [];
      if (!take(found)) break;
      edges = row.seq;
    }
    hasMore = isFull || ready.length < rows.length || rows.length === atOnce;
    if (!hasMore) break;
  }
  return { events, position: { ...from, agents, edges }, hasMore };
}

interface PageState {
  readonly from: FeedPosition;
  readonly first: FirstPage;
  readonly wantsAny: (types: readonly EventType[]) => boolean;
}

/** Reads the documents of agents with wanted events only, because documents are long. */
async function eventsOfAgents(
  { agents }: FeedRecords,
  changes: readonly Change[],
  { from, first, wantsAny }: PageState,
) {
  const wanted = new Set(changes.filter((change) => wantsAny(typesOfChange(change, from.isFirst))));
  const names = [...new Set([...wanted].map(({ agent }) => agent))];
  const saved = new Map((names.length > 0 ? await agents.saved(names) : []).map((one) => [one.agent, one]));
  return changes.map((change) => {
    const now = saved.get(change.agent);
    const isShown = wanted.has(change) && !first.skipsAgent(change, now);
    return { change, found: isShown ? agentEvents(change, now?.document, from.isFirst) : [] };
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

async function eventsOfRow(
  records: FeedRecords,
  row: EdgeChange | FileChange,
  files: Files,
  first: FirstPage,
): Promise<readonly FeedEvent[]> {
  if (row.kind !== 'file') return eventsOfEdge(records, row, first);
  if (first.skipsFile(row)) return [];
  return fileEvents(first.isFirst ? { ...row, isFirst: true } : row, files.get(row.publisher));
}

/** An end is followed by the entries of the same pair that still authorise the agent. */
async function eventsOfEdge(
  records: FeedRecords,
  row: EdgeChange,
  first: FirstPage,
): Promise<readonly FeedEvent[]> {
  if (first.skipsEdge(row)) return [];
  if (row.kind === 'ended' && row.isLive) return eventsOfEnd(records, row, first);
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

/** How far the clocks of two machines of one registry may be apart. */
const CLOCK_MARGIN_MS = 600_000;

/** Which rows a first read skips; later reads skip none. */
interface FirstPage {
  readonly isFirst: boolean;
  skipsAgent(change: Change, now: SavedDocument | undefined): boolean;
  skipsFile(row: FileChange): boolean;
  skipsEdge(row: EdgeChange): boolean;
  /** Notes that an event grants this entry. */
  grants(id: number): void;
  /** Whether a row was skipped for a later one of its agent that has not been read yet. */
  isWaiting(): boolean;
}

/**
 * A first read has only the latest row of an agent, and the begin of each entry that still exists. It has an end only if an
 * earlier page, made before that end, may have had the begin: the time of the end decides, with the margin of clocks, except
 * for what this page has read itself.
 */
function firstPage(from: FeedPosition): FirstPage {
  const { isFirst } = from;
  const shown = new Set<string>();
  const waiting = new Set<string>();
  const [read, granted] = [new Set<number>(), new Set<number>()];
  const isOld = (at: number) => at < from.at - CLOCK_MARGIN_MS;
  return {
    isFirst,
    skipsAgent({ agent, kind, seq, at }, now) {
      if (!isFirst) return false;
      if (kind === 'delisted') return isOld(at) || (from.agents === 0 && !shown.has(agent));
      if (now?.version !== seq) {
        if (now?.document !== undefined) waiting.add(agent);
        return true;
      }
      waiting.delete(agent);
      shown.add(agent);
      return false;
    },
    skipsFile({ publisher, isLive, hasEnded, at }) {
      if (!isFirst) return false;
      if (hasEnded) return isOld(at) || (from.edges === 0 && !shown.has(publisher));
      shown.add(publisher);
      return !isLive; // a later row has the current version
    },
    skipsEdge({ id, kind, at }) {
      if (!isFirst) return false;
      if (kind === 'ended') return isOld(at) || ((from.edges === 0 || read.has(id)) && !granted.has(id));
      read.add(id);
      return granted.has(id);
    },
    grants: (id) => void (isFirst && granted.add(id)),
    isWaiting: () => waiting.size > 0,
  };
}
