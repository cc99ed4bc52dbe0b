import { yieldToEventLoop } from '../../../base/event-loop.ts';
import { onOneLine } from '../../../base/json.ts';
import { MAX_BYTES } from '../graph/reading.ts';
import type { EventType } from './events.ts';
import { cursorOf, type FeedParts, freshnessOf, nextOf, pageText } from './feed.ts';
import { type FeedPage, readFeed } from './page.ts';
import type { FeedPosition } from './position.ts';

/** How long one poll serves streams that are behind; the next one starts with those nearest to the end again. */
const LOOK_MS = 250;
/** Maximum time without a message on a stream, milliseconds. */
export const HEARTBEAT_MS = 10_000;
const CHANGES_AT_ONCE = 1_000;

/** A client that listens to the feed. */
export interface Listener {
  /** The id of its API key; absent: no key. */
  readonly keyId?: string;
  readonly types: string;
  readonly isWanted: (type: EventType) => boolean;
  /** Whether everything written has been sent; nothing more is written before. */
  isFree(): boolean;
  write(message: string): void;
  end(): void;
  /** Whether the caller is still allowed to listen; checked before each message. */
  mayListen(): Promise<boolean>;
}

export interface FeedStreams {
  /** Sends a listener the events after the position, until the returned function is called. */
  open(listener: Listener, from: FeedPosition): () => void;
  /** Polls the logs once: sends pages to streams that are behind and not busy, and heartbeats. */
  look(): Promise<void>;
  /** Whether no stream is open. */
  isIdle(): boolean;
  /** Whether no more streams can be opened. */
  isClosed(): boolean;
  /** Ends all streams. */
  close(): void;
}

interface Open {
  readonly listener: Listener;
  position: FeedPosition;
  /** Epoch milliseconds. */
  lastWriteAt: number;
}

/** The streams of one process. Streams at the same position share one read of the logs. */
export function createFeedStreams(parts: FeedParts): FeedStreams {
  const { records, clock } = parts;
  const streams = new Set<Open>();
  let isClosed = false;

  function send(stream: Open, event: string, data: string): void {
    const { listener, position } = stream;
    listener.write(`id: ${cursorOf(parts, position)}\nevent: ${event}\ndata: ${data}\n\n`);
    stream.lastWriteAt = clock.now();
  }

  /** Sends one page to all streams of a group, which are at the position of `first`. */
  async function sendPage(group: readonly Open[], first: Open): Promise<void> {
    const isAlone = group.length === 1;
    const isWanted = isAlone ? first.listener.isWanted : () => true;
    const room = { limit: CHANGES_AT_ONCE, maxBytes: MAX_BYTES, isWanted };
    const page = await readFeed(records, first.position, room);
    const now = clock.now();
    const freshness = await freshnessOf(parts, now);
    const position = nextOf(page, now);
    const answer = { cursor: cursorOf(parts, position), hasMore: page.hasMore, freshness };
    await endRevoked(group); // after reading the page, which may take long
    const bodies = new Map<string, string | undefined>();
    for (const stream of group) {
      if (!streams.delete(stream)) continue;
      streams.add(stream); // after those that have waited longer
      stream.position = position;
      const { types, isWanted: wants } = stream.listener;
      if (!bodies.has(types)) {
        const texts = textsOf(page, wants);
        bodies.set(types, texts.length === 0 ? undefined : onOneLine(pageText(texts.join(), answer)));
      }
      const body = bodies.get(types);
      if (body !== undefined) send(stream, 'feed', body);
    }
  }

  async function sendToAll(): Promise<void> {
    const agents = await records.agents.lastSeq();
    const edges = await records.edgeLog.lastEdgeChange();
    const isBehind = ({ position: at }: Open) => at.isFirst || at.agents < agents || at.edges < edges;
    const isReady = (stream: Open) => isBehind(stream) && stream.listener.isFree();
    // after yielding, the system has taken what it takes at once
    for (const began = performance.now(); performance.now() - began < LOOK_MS; await yieldToEventLoop()) {
      const groups = [...Map.groupBy([...streams].filter(isReady), positionKey).values()];
      if (groups.length === 0) return;
      for (const group of nearestFirst(groups)) {
        const [first] = group;
        if (first === undefined || isClosed || performance.now() - began > LOOK_MS) return;
        await sendPage(group, first);
      }
    }
  }

  /** Ends the streams of keys that were revoked or have expired; each key is checked once. */
  async function endRevoked(among: readonly Open[]): Promise<void> {
    const withKey = among.filter(({ listener }) => listener.keyId !== undefined);
    const ofKeys = [...Map.groupBy(withKey, ({ listener }) => listener.keyId).values()];
    const may = await Promise.all(ofKeys.map(([one]) => one?.listener.mayListen()));
    for (const stream of ofKeys.filter((_, n) => !may[n]).flat()) end(stream);
  }

  function end(stream: Open): void {
    streams.delete(stream);
    stream.listener.end();
  }

  async function look(): Promise<void> {
    await sendToAll();
    const now = clock.now();
    await endRevoked([...streams].filter((stream) => now - stream.lastWriteAt >= HEARTBEAT_MS));
    for (const stream of streams)
      if (now - stream.lastWriteAt >= HEARTBEAT_MS && stream.listener.isFree())
        send(stream, 'heartbeat', JSON.stringify({ cursor: cursorOf(parts, stream.position) }));
  }

  return {
    look,
    isIdle: () => streams.size === 0,
    isClosed: () => isClosed,
    open(listener, from) {
      const stream = { listener, position: from, lastWriteAt: clock.now() };
      streams.add(stream);
      return () => void streams.delete(stream);
    },
    close() {
      isClosed = true;
      for (const stream of streams) end(stream);
    },
  };
}

function textsOf({ events }: FeedPage, isWanted: Listener['isWanted']): readonly string[] {
  return events.filter(({ type }) => isWanted(type)).map(({ json }) => json);
}

/** Streams at the same position get the same pages; a first read also depends on when it started. */
function positionKey({ position: { agents, edges, isFirst, at } }: Open): string {
  return `${agents} ${edges} ${isFirst ? at : ''}`;
}

/** The group nearest to the end first, because it gets new changes; then those that have waited longest. */
function nearestFirst(groups: readonly (readonly Open[])[]): readonly (readonly Open[])[] {
  const place = ([one]: readonly Open[]) => (one ? one.position.agents + one.position.edges : 0);
  const nearest = groups.reduce(
    (best, group) => (place(group) > place(best) ? group : best),
    groups[0] ?? [],
  );
  return [nearest, ...groups.filter((group) => group !== nearest)];
}
