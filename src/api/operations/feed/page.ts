import type { Change } from '../../../domain/change.ts';
import type { EdgeChange, FileChange } from '../../../ports/edge-log.ts';
import type { KnownPublisher } from '../../../ports/graph.ts';
import type { Records } from '../../../ports/records.ts';
import { letOthersIn } from '../../list-cache.ts';
import { agentEvents, type EventType, edgeEvents, type FeedEvent, fileEvents } from './events.ts';
import type { FeedPosition } from './position.ts';

const READ_AT_ONCE = 500;
/** Rows that are read for one page; those that are overtaken are read and not told. */
const MAX_READ = 10_000;
/** Entries of one pair that are told again after one of them has ended. */
const MAX_STANDING = 20;
/** How far the clocks of two machines of one registry may be apart. */
const CLOCK_MARGIN_MS = 600_000;

export interface FeedRecords {
  readonly graph: Pick<Records['graph'], 'entriesOf' | 'publishersAmong'>;
  readonly edgeLog: Pick<Records['edgeLog'], 'edgeChanges' | 'lastEdgeChange'>;
  readonly agents: Pick<Records['agents'], 'changes' | 'lastChanges' | 'lastSeq' | 'saved'>;
}

/** What a page may hold. */
export interface PageRoom {
  /** Changes; one may be told by several events. */
  readonly limit: number;
  readonly maxBytes: number;
  readonly isWanted: (type: EventType) => boolean;
}

/** An event with its JSON. */
export interface TextedEvent extends Pick<FeedEvent, 'type' | 'at'> {
  readonly text: string;
}

export interface FeedPage {
  readonly events: readonly TextedEvent[];
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
  const events: TextedEvent[] = [];
  let { agents, edges } = from;
  let [bytes, told, isFull] = [0, 0, false];
  const take = (found: readonly FeedEvent[]): boolean => {
    const wanted = found
      .filter(({ type }) => isWanted(type))
      .map(({ type, at, text }) => ({ type, at, text: text() }));
    const size = wanted.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
    isFull = wanted.length > 0 && told > 0 && (told === limit || bytes + size > maxBytes);
    if (isFull) return false;
    [bytes, told] = [bytes + size, told + (wanted.length > 0 ? 1 : 0)];
    events.push(...wanted);
    return true;
  };
  let hasMore = true;
  for (let read = 0; read < MAX_READ && !isFull; read += READ_AT_ONCE) {
    await letOthersIn();
    const toldBefore = await records.edgeLog.lastEdgeChange();
    const changes = await records.agents.changes(agents, READ_AT_ONCE);
    for (const { change, found } of await eventsOfAgents(records, changes, from))
      if (take(found)) agents = change.seq;
      else break;
    if (isFull || changes.length === READ_AT_ONCE) continue;
    const rows = await records.edgeLog.edgeChanges(edges, READ_AT_ONCE);
    const ready = rows.filter(({ seq }) => seq <= toldBefore);
    const files = await filesOf(records, ready);
    for (const row of ready) {
      const found = row.kind === 'file' ? eventsOfFile(row, files, from) : eventsOfEdge(records, row, from);
      if (!take('then' in found ? await found : found)) break;
      edges = row.seq;
    }
    hasMore = isFull || ready.length < rows.length || rows.length === READ_AT_ONCE;
    if (!hasMore) break;
  }
  return { events, position: { ...from, agents, edges }, hasMore };
}

async function eventsOfAgents({ agents }: FeedRecords, changes: readonly Change[], from: FeedPosition) {
  const names = [...new Set(changes.map(({ agent }) => agent))];
  const saved = new Map((names.length > 0 ? await agents.saved(names) : []).map((one) => [one.agent, one]));
  return changes.map((change) => {
    const now = saved.get(change.agent);
    const isOvertaken =
      isOld(change.at, from) && (change.kind === 'delisted' || now?.version !== change.version);
    return { change, found: isOvertaken ? [] : agentEvents(change, now?.document, from.isFirst) };
  });
}

type Files = ReadonlyMap<string, KnownPublisher>;

/** The files that these rows are about, as they are now. */
async function filesOf({ graph }: FeedRecords, rows: readonly (EdgeChange | FileChange)[]): Promise<Files> {
  const named = new Set(rows.flatMap((row) => (row.kind === 'file' ? [row.publisher] : [])));
  const found = named.size === 0 ? [] : await graph.publishersAmong([...named]);
  return new Map(found.map((publisher) => [publisher.domain, publisher]));
}

function eventsOfFile(row: FileChange, files: Files, from: FeedPosition): readonly FeedEvent[] {
  if (isOld(row.at, from) && !row.stands) return [];
  return fileEvents(from.isFirst ? { ...row, isFirst: true } : row, files.get(row.publisher));
}

/** At once for most: only what was told before and stands again in part is asked for. */
function eventsOfEdge(
  records: FeedRecords,
  row: EdgeChange,
  from: FeedPosition,
): readonly FeedEvent[] | Promise<readonly FeedEvent[]> {
  if (row.kind === 'ended' && isOld(row.at, from)) return [];
  return row.kind === 'began' || !row.stands ? edgeEvents(row, []) : eventsOfEnd(records, row);
}

async function eventsOfEnd({ graph }: FeedRecords, row: EdgeChange): Promise<readonly FeedEvent[]> {
  const { agent, publisher, scope } = row;
  const entries = await graph.entriesOf(publisher, { agent, after: 0, limit: MAX_STANDING });
  return edgeEvents(
    row,
    entries.filter((entry) => entry.sells && entry.scope === scope),
  );
}

/** Who begins with nothing needs no word of what ended before. */
function isOld(at: number, { isFirst, at: begun }: FeedPosition): boolean {
  return isFirst && at < begun - CLOCK_MARGIN_MS;
}
