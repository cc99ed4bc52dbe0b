import type { FastifyInstance } from 'fastify';
import { pause } from '../../../base/back-off.ts';
import type { Budgets } from '../../../budgets/budgets.ts';
import { holdOpen } from '../../../edge/held-open.ts';
import type { Records } from '../../../ports/records.ts';
import { identifyViewer, partyOf } from '../../callers.ts';
import { queryText } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { describedBy, problems } from '../description.ts';
import { FEED_CURSOR, readAsked, TYPES } from './asked.ts';
import { type FeedParts, feedBegin } from './feed.ts';
import { createFeedStreams, type FeedStreams, HEARTBEAT_MS } from './streams.ts';

/** Poll interval of the logs; new streams are served immediately. */
const LOOK_EVERY_MS = 500;
/** A connection on which nothing could be sent for so long is closed, milliseconds. */
const SILENT_MS = 3 * HEARTBEAT_MS;
/** Reconnection time that clients are asked to wait, milliseconds. */
const RETRY_MS = 5_000;

const OPERATION = {
  operationId: 'streamFeed',
  summary: 'Stream the directory',
  description:
    'The feed as server-sent events, in the same order. `event: feed` carries one page of `getFeed` on one line; `event: heartbeat` is sent after 10 seconds without a change. Each `id` is a cursor: reconnect with the last one as Last-Event-ID to miss nothing. A member can open 10 streams at a time; without an API key, an IP address can open 5. A stream ends when the registry stops or when its API key is revoked or expires.',
  parameters: [
    FEED_CURSOR,
    TYPES,
    {
      name: 'Last-Event-ID',
      in: 'header',
      description: '`id` of the last event received; it overrides `cursor`.',
      schema: { type: 'string', maxLength: 100 },
    },
  ],
  responses: {
    200: {
      description: 'Pages of events and heartbeats, until one side closes the stream.',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    ...problems(400, 401, 410, 429, 500, 503),
  },
};
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no', // otherwise nginx would delay events
};

interface StreamParts extends FeedParts {
  readonly records: FeedParts['records'] & { readonly keys: Pick<Records['keys'], 'find'> };
  readonly budgets: Budgets;
}

/** GET /api/registry/feed/stream. */
export function feedStreamOperation(server: FastifyInstance, parts: StreamParts): void {
  const { records, clock, budgets } = parts;
  const streams = createFeedStreams(parts);
  const wake = keepLooking(streams, (err) => server.log.warn({ err }, 'feed could not be read'));
  server.addHook('preClose', async () => streams.close());
  server.get('/api/registry/feed/stream', describedBy(OPERATION), async (request, reply) => {
    const { cursor, types, isWanted } = readAsked(queryText(request), ['cursor', 'types']);
    const last = String(request.headers['last-event-id'] ?? '') || cursor;
    const from = await feedBegin(parts, last, clock.now());
    if (request.method === 'HEAD') return reply.headers(HEADERS).send();
    if (reply.raw.destroyed) return reply.hijack(); // its `close` event has passed
    if (streams.isClosed())
      throw new HttpProblem('overloaded', 'the server is shutting down', {}, { 'retry-after': '30' });
    const { viewer } = request;
    const endUse = budgets.enter('streams', partyOf(request));
    reply.hijack();
    const { raw } = reply;
    holdOpen(raw, SILENT_MS);
    reply.isHeldOpen = true;
    raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...HEADERS });
    raw.write(`retry: ${RETRY_MS}\n\n`);
    const { authorization } = request.headers;
    const mayListen = async () => {
      const identified = await identifyViewer(authorization, records.keys, clock);
      return identified.viewer.kind !== 'refused';
    };
    const leave = streams.open(
      {
        ...{ types, isWanted, mayListen },
        ...(viewer?.kind === 'member' && { keyId: viewer.keyId }),
        isFree: () => raw.writableLength === 0,
        write: (message) => void raw.write(message),
        end: () => void raw.end(),
      },
      from,
    );
    raw.once('close', () => {
      leave();
      endUse();
    });
    wake();
  });
}

/** Polls the logs while any stream is open; the returned function polls immediately. */
function keepLooking(streams: FeedStreams, onFault: (error: unknown) => void): () => void {
  let waiting = new AbortController();
  let isRunning = false;
  async function run(): Promise<void> {
    isRunning = true;
    while (!streams.isIdle()) {
      waiting = new AbortController();
      await streams.look().catch((error) => {
        if (!streams.isIdle()) onFault(error);
      });
      await pause(LOOK_EVERY_MS, waiting.signal, { unref: true });
    }
    isRunning = false;
  }
  return () => {
    waiting.abort();
    if (!isRunning) void run();
  };
}
