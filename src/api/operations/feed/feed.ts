import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../ports/clock.ts';
import { queryText } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { describedBy, problems } from '../description.ts';
import { publicReading, sendText } from '../graph/reading.ts';
import { FEED_CURSOR, LIMIT, readAsked, TYPES } from './asked.ts';
import type { FeedPage, FeedRecords } from './page.ts';
import { readFeed } from './page.ts';
import { type FeedPosition, feedCursor, positionOf } from './position.ts';

const READING = publicReading({
  operationId: 'getFeed',
  summary: 'Follow the directory',
  description:
    'Starts with one event for every listed agent, every publisher with a file and every entry that authorises an agent, then continues with changes in order. The first pages can include events for entries that ended a few minutes earlier. A page has at most 250 KiB, or 2 MiB with a limit above 1,000. Request the next page with `cursor`: immediately if `has_more` is true, otherwise later.',
  parameters: [FEED_CURSOR, TYPES, LIMIT],
  answers: 'A page of events.',
  schema: 'FeedPage',
});
const OPERATION = { ...READING, responses: { ...READING.responses, ...problems(410) } };
const NAMES = ['cursor', 'types', 'limit'];

/** GET /api/registry/feed. */
export function feedOperation(server: FastifyInstance, parts: FeedParts): void {
  server.get('/api/registry/feed', describedBy(OPERATION), async (request, reply) => {
    const asked = readAsked(queryText(request), NAMES);
    const now = parts.clock.now();
    const page = await readFeed(parts.records, await feedBegin(parts, asked.cursor, now), asked);
    const events = page.events.map(({ json }) => json).join(',');
    const cursor = cursorOf(parts, nextOf(page, now));
    const { hasMore } = page;
    return sendText(
      request,
      reply,
      pageText(events, { cursor, hasMore, freshness: await freshnessOf(parts, now) }),
    );
  });
}

/** Nothing is deleted; the field's answer requires a number. */
const RETENTION_DAYS = 36_500;

export interface FeedParts {
  readonly records: FeedRecords;
  readonly clock: Clock;
  readonly cursorSecret: Uint8Array;
}

/**
 * The start position of a read. A cursor of other records, or of a later state than a restored one, requires a new
 * start: throws an HttpProblem.
 */
export async function feedBegin(
  { records, cursorSecret }: FeedParts,
  cursor: string | undefined,
  now: number,
): Promise<FeedPosition> {
  if (cursor === undefined) return { agents: 0, edges: 0, isFirst: true, at: now };
  const position = positionOf(cursor, cursorSecret);
  const isKnown =
    position !== undefined &&
    position.agents <= (await records.agents.lastSeq()) &&
    position.edges <= (await records.edgeLog.lastEdgeChange());
  if (isKnown) return position;
  throw new HttpProblem(
    'feed_cursor_gone',
    'the cursor belongs to another registry or to a state that was lost; start again without a cursor',
    {
      parameter: 'cursor',
    },
  );
}

/** The position after a page. */
export function nextOf({ position, hasMore }: FeedPage, now: number): FeedPosition {
  return position.isFirst && !hasMore ? { ...position, isFirst: false, at: now } : position;
}

/** How fresh the feed is now, as JSON. */
export async function freshnessOf({ records }: FeedParts, now: number): Promise<string> {
  const [newest] = await records.agents.lastChanges({ limit: 1 });
  return JSON.stringify({
    generated_at: new Date(now).toISOString(),
    latest_event_created_at: newest === undefined ? null : new Date(newest.at).toISOString(),
    lag_seconds: newest === undefined ? null : Math.max(0, Math.round((now - newest.at) / 1_000)),
    retention_days: RETENTION_DAYS,
  });
}

/** The fields of a page after its events. */
interface PageEnd {
  readonly cursor: string;
  readonly hasMore: boolean;
  readonly freshness: string;
}

/** A page as JSON on one line; `events` are their JSON texts, separated by commas. */
export function pageText(events: string, { cursor, hasMore, freshness }: PageEnd): string {
  return `{"events":[${events}],"cursor":"${cursor}","has_more":${hasMore},"freshness":${freshness}}`;
}

/**
 * The cursor from which the feed has all changes from now on. It stays the same while nothing changes, so that an answer with
 * it keeps its entity tag.
 */
export async function cursorOfState(parts: FeedParts): Promise<string> {
  const { agents, edgeLog } = parts.records;
  const place = { edges: await edgeLog.lastEdgeChange(), agents: await agents.lastSeq() };
  const [newest] = await agents.lastChanges({ limit: 1 });
  return cursorOf(parts, { ...place, isFirst: false, at: newest?.at ?? 0 });
}

/** The cursor of a position. */
export function cursorOf({ cursorSecret }: FeedParts, position: FeedPosition): string {
  return feedCursor(position, cursorSecret);
}
