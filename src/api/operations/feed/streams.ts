import { onOneLine } from '../../../base/json.ts';
import { yieldToEventLoop } from '../../list-cache.ts';
import { MAX_BYTES } from '../graph/reading.ts';
import type { EventType } from './events.ts';
import { cursorOf, type FeedParts, freshnessOf, nextOf, pageText } from './feed.ts';
import { type FeedPage, readFeed } from './page.ts';
import type { FeedPosition } from './position.ts';

/** A look goes on with those who are behind for so long; then it begins anew with the nearest. */
const LOOK_MS = 250;
/** At most so long between two signs of life, milliseconds. */
export const HEARTBEAT_MS = 10_000;
const CHANGES_AT_ONCE = 1_000;

/** Somebody who listens to the feed. */
export interface Listener {
  /** Its API key; absent: it has none. */
  readonly keyId?: string;
  readonly types: string;
  readonly isWanted: (type: EventType) => boolean;
  /** Whether all that was written has been taken: nobody is told more before. */
  isFree(): boolean;
  write(message: string): void;
  end(): void;
  /** Whether the caller may go on listening; it is asked before each message. */
  mayListen(): Promise<boolean>;
}

export interface FeedStreams {
  /** Tells a listener what is behind the position, until the returned function is called. */
  open(listener: Listener, from: FeedPosition): () => void;
  /** One look at the logs: tells everybody who is behind and has room, and gives signs of life. */
  look(): Promise<void>;
  /** Whether nobody listens. */
  isIdle(): boolean;
  /** Whether no stream may be opened any more. */
  isClosed(): boolean;
  /** Ends all streams. */
  close(): void;
}

interface Open {
  readonly listener: Listener;
  position: FeedPosition;
  /** When something was written last; epoch milliseconds. */
  saidAt: number;
}

/** The streams of one process. The logs are read once for all who stand at the same place, whatever their number is. */
export function createFeedStreams(parts: FeedParts): FeedStreams {
  const { records, clock } = parts;
  const streams = new Set<Open>();
  let isClosed = false;

  function say(stream: Open, event: string, data: string): void {
    const { listener, position } = stream;
    listener.write(`id: ${cursorOf(parts, position)}\nevent: ${event}\ndata: ${data}\n\n`);
    stream.saidAt = clock.now();
  }

  /** One page for all of them, who stand at the same place. */
  async function tell(group: readonly Open[], place: Open): Promise<void> {
    const isAlone = group.length === 1;
    const isWanted = isAlone ? place.listener.isWanted : () => true;
    const room = { limit: CHANGES_AT_ONCE, maxBytes: MAX_BYTES, isWanted };
    const page = await readFeed(records, place.position, room);
    const now = clock.now();
    const freshness = await freshnessOf(parts, now);
    const position = nextOf(page, now);
    const answer = { cursor: cursorOf(parts, position), hasMore: page.hasMore, freshness };
    await endRevoked(group); // after the page was read, which may take long
    const bodies = new Map<string, string | undefined>();
    for (const stream of group) {
      if (!streams.delete(stream)) continue;
      streams.add(stream); // behind those who wait longer
      stream.position = position;
      const { types, isWanted: wants } = stream.listener;
      if (!bodies.has(types)) {
        const texts = textsOf(page, wants);
        bodies.set(types, texts.length === 0 ? undefined : onOneLine(pageText(texts.join(), answer)));
      }
      const body = bodies.get(types);
      if (body !== undefined) say(stream, 'feed', body);
    }
  }

  async function tellAll(): Promise<void> {
    const agents = await records.agents.lastSeq();
    const edges = await records.edgeLog.lastEdgeChange();
    const isBehind = ({ position: at }: Open) => at.isFirst || at.agents < agents || at.edges < edges;
    const isReady = (stream: Open) => isBehind(stream) && stream.listener.isFree();
    // what the system takes at once has been taken when others were let in
    for (const began = performance.now(); performance.now() - began < LOOK_MS; await yieldToEventLoop()) {
      const groups = [...Map.groupBy([...streams].filter(isReady), placeOf).values()];
      if (groups.length === 0) return;
      for (const group of nearestFirst(groups)) {
        const [first] = group;
        if (first === undefined || isClosed || performance.now() - began > LOOK_MS) return;
        await tell(group, first);
      }
    }
  }

  /** Ends the streams of keys that may not listen any more; each key is looked for once. */
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
    await tellAll();
    const now = clock.now();
    await endRevoked([...streams].filter((stream) => now - stream.saidAt >= HEARTBEAT_MS));
    for (const stream of streams)
      if (now - stream.saidAt >= HEARTBEAT_MS && stream.listener.isFree())
        say(stream, 'heartbeat', JSON.stringify({ cursor: cursorOf(parts, stream.position) }));
  }

  return {
    look,
    isIdle: () => streams.size === 0,
    isClosed: () => isClosed,
    open(listener, from) {
      const stream = { listener, position: from, saidAt: clock.now() };
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

/** Those at one place hear the same; whoever reads what stands has a place of its own. */
function placeOf({ position: { agents, edges, isFirst, at } }: Open): string {
  return `${agents} ${edges} ${isFirst ? at : ''}`;
}

/** First those who are nearest to the end, to whom a change is new; then whoever waits longest. */
function nearestFirst(groups: readonly (readonly Open[])[]): readonly (readonly Open[])[] {
  const place = ([one]: readonly Open[]) => (one ? one.position.agents + one.position.edges : 0);
  const nearest = groups.reduce(
    (best, group) => (place(group) > place(best) ? group : best),
    groups[0] ?? [],
  );
  return [nearest, ...groups.filter((group) => group !== nearest)];
}
