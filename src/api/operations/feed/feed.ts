import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../ports/clock.ts';
import { limitOf, queryText, readParameters } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { CURSOR, describedBy, problems } from '../description.ts';
import { publicReading, sendBody } from '../graph/reading.ts';
import { EVENT_TYPES, type EventType } from './events.ts';
import { type FeedRecords, readFeed } from './page.ts';
import { type FeedPosition, feedCursor, positionOf } from './position.ts';

const [USUAL, MOST] = [100, 10_000];
const MAX_PATTERNS = 20;
/** Nothing is forgotten; the field's answer needs a number. */
const RETENTION_DAYS = 36_500;

const PARAMETERS = [
  {
    ...CURSOR,
    description:
      '`cursor` of the page before. It works for ever. Empty or absent: all that stands, then what changes.',
    schema: { type: 'string', maxLength: 100 },
  },
  {
    name: 'types',
    in: 'query',
    description: `Types of events with commas between; \`*\` stands for any text, once in each. ${EVENT_TYPES.join(', ')}.`,
    schema: { type: 'string', minLength: 1, maxLength: 500 },
    example: 'agent.*,authorization.*',
  },
  {
    name: 'limit',
    in: 'query',
    description: 'At most so many changes; one change may be told by several events.',
    schema: { type: 'integer', minimum: 1, maximum: MOST, default: USUAL },
  },
];
const READING = publicReading({
  operationId: 'getFeed',
  summary: 'Follow the directory',
  description:
    'First every agent of the list and every entry that authorises one, each once; then what changes, in order. An answer ends at 250 KiB. Ask again with `cursor`: at once while `has_more`, later otherwise.',
  parameters: PARAMETERS,
  answers: 'A page of events.',
  schema: 'FeedPage',
});
const OPERATION = { ...READING, responses: { ...READING.responses, ...problems(410) } };

export interface FeedParts {
  readonly records: FeedRecords;
  readonly clock: Clock;
  readonly cursorSecret: Uint8Array;
}

/** GET /api/registry/feed. */
export function feedOperation(server: FastifyInstance, parts: FeedParts): void {
  server.get('/api/registry/feed', describedBy(OPERATION), async (request, reply) => {
    const { cursor, limit, isWanted } = readAsked(queryText(request));
    const { records, clock, cursorSecret } = parts;
    const now = clock.now();
    const from = await beginOf(parts, cursor, now);
    const { events, position, hasMore } = await readFeed(records, from, { limit, isWanted });
    const [newest] = await records.agents.lastChanges({ limit: 1 });
    const next = position.isFirst && !hasMore ? { ...position, isFirst: false, at: now } : position;
    return sendBody(request, reply, {
      ...{ events, cursor: feedCursor(next, cursorSecret), has_more: hasMore },
      freshness: {
        generated_at: new Date(now).toISOString(),
        latest_event_created_at: newest === undefined ? null : new Date(newest.at).toISOString(),
        lag_seconds: newest === undefined ? null : Math.max(0, Math.round((now - newest.at) / 1_000)),
        retention_days: RETENTION_DAYS,
      },
    });
  });
}

/** Whoever comes with a cursor of other records, or of a later state than was restored, has to begin again. */
async function beginOf({ records, cursorSecret }: FeedParts, cursor: string | undefined, now: number) {
  if (cursor === undefined) return { agents: 0, edges: 0, isFirst: true, at: now } satisfies FeedPosition;
  const position = positionOf(cursor, cursorSecret);
  const isKnown =
    position !== undefined &&
    position.agents <= (await records.agents.lastSeq()) &&
    position.edges <= (await records.edgeLog.lastEdgeChange());
  if (isKnown) return position;
  throw new HttpProblem('feed_cursor_gone', 'the cursor is not of this registry; begin without one', {
    parameter: 'cursor',
  });
}

function readAsked(text: string) {
  const asked = text.replace(/(^|&)cursor=(?=&|$)/, '$1'); // a client of the field sends it empty after a reset
  const names = PARAMETERS.map(({ name }) => String(name));
  const parameters = readParameters(asked, names, 'the feed');
  const patterns = (parameters.get('types') ?? '*').split(',');
  if (patterns.length > MAX_PATTERNS || patterns.some((one) => one.split('*').length > 2))
    throw new HttpProblem('invalid_value', `${MAX_PATTERNS} types at most, with one * in each`, {
      parameter: 'types',
      validValues: EVENT_TYPES,
    });
  return {
    cursor: parameters.get('cursor'),
    limit: limitOf(parameters.get('limit'), USUAL, MOST),
    isWanted: (type: EventType) => patterns.some((pattern) => fits(type, pattern)),
  };
}

function fits(type: string, pattern: string): boolean {
  const [begin = '', end] = pattern.split('*');
  if (end === undefined) return type === begin;
  return type.length >= begin.length + end.length && type.startsWith(begin) && type.endsWith(end);
}
