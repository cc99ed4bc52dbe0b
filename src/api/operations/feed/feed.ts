import type { FastifyInstance } from 'fastify';
import { entityTag, sendPublic } from '../../answers.ts';
import { queryText } from '../../parameters.ts';
import { describedBy, problems } from '../description.ts';
import { publicReading } from '../graph/reading.ts';
import { cursorOf, type FeedParts, feedBegin, freshnessOf, nextOf, pageText } from './answer.ts';
import { FEED_CURSOR, LIMIT, readAsked, TYPES } from './asked.ts';
import { readFeed } from './page.ts';

const READING = publicReading({
  operationId: 'getFeed',
  summary: 'Follow the directory',
  description:
    'First every agent of the list, every publisher with a file and every entry that authorises an agent, each once; then what changes, in order. An answer ends at 250 KiB, or at 2 MiB with a limit above 1,000. Ask again with `cursor`: at once while `has_more`, later otherwise.',
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
    const text = pageText({
      texts: page.events.map((one) => one.text),
      cursor: cursorOf(parts, nextOf(page, now)),
      hasMore: page.hasMore,
      freshness: await freshnessOf(parts, now),
    });
    reply.header('cache-control', 'public, no-cache');
    const body = Buffer.from(text);
    return sendPublic(request, reply, { body, etag: entityTag(body) });
  });
}
