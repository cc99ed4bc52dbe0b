import type { FastifyInstance } from 'fastify';
import PQueue from 'p-queue';
import { yieldToEventLoop } from '../../base/event-loop.ts';
import { RegistryError } from '../../errors.ts';
import { openCursor, sealCursor } from '../../index/query/cursor.ts';
import { LIST_PARAMETERS, MAX_LIMIT, queryParameters } from '../../index/query/list-parameters.ts';
import { canonicalQuery, type ListQuery } from '../../index/query/list-query.ts';
import type { Metrics } from '../../ops/metrics.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { entityTag, sendPublic } from '../answers.ts';
import { type BodyCache, dataVersion, type RenderedBody } from '../list-cache.ts';
import { listQueryOf, queryText } from '../parameters.ts';
import { queryProblem } from '../problem.ts';
import { AT_ONCE, type ListSources, nearestInList, renderRecords } from '../render/agent-list.ts';
import {
  answer,
  CACHE_CONTROL,
  describedBy,
  ETAG,
  header,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  problems,
} from './description.ts';

const LIST_PATH = '/api/registry/agents';

export interface SignedSources extends ListSources {
  /** Signs the cursors. */
  readonly cursorSecret: Uint8Array;
}

export interface ListRoute extends SignedSources {
  readonly records: Pick<Records, 'agents' | 'version'>;
  readonly index: ListSources['index'] & Pick<AgentIndex, 'version'>;
  readonly cache: BodyCache;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'listCache'>;
  /** Prefix of the path in Link; '' makes the reference relative (RFC 8288, section 3.1). */
  readonly baseUrl: string;
}

/** Measurement vendors with a viewability metric, with their capabilities. */
const EXAMPLE = { type: 'measurement', q: 'view', health: true, capabilities: true, limit: 2 };

const OPERATION = {
  operationId: 'listAgents',
  summary: 'List agents',
  description: 'Returns agents in ascending order of their URL. Different filters are combined with AND.',
  parameters: [...queryParameters(LIST_PARAMETERS, EXAMPLE), IF_NONE_MATCH],
  responses: {
    200: answer('The agents that match the filters.', 'AgentList', {
      ETag: ETAG,
      'Cache-Control': CACHE_CONTROL,
      Link: header('The next page, as rel="next"; absent on the last page.'),
    }),
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
  },
};

/**
 * GET /api/registry/agents (specification, 4.1). Returns a function that requests a list as callers do: the last list that failed
 * because of a damaged store, or otherwise the first agent.
 */
export function listAgentsOperation(server: FastifyInstance, route: ListRoute): () => Promise<ListAnswer> {
  const first = listQueryOf('limit=1', 0);
  // one after the other, so that other requests wait for a part of one list at most
  const largeLists = new PQueue({ concurrency: 1 });
  let failed: ListQuery | undefined;
  server.get(LIST_PATH, describedBy(OPERATION), async (request, reply) => {
    const now = route.clock.now();
    const query = listQueryOf(queryText(request), now);
    const rendered = await cachedList(route, query, largeLists, now).catch((error: unknown) => {
      if (error instanceof RegistryError && error.code === 'store_corrupt') failed = query;
      throw error;
    });
    // It may be cached by anyone, but must be revalidated: a new agent is listed within a second.
    reply.header('cache-control', 'public, no-cache');
    if (rendered.link !== undefined) reply.header('link', rendered.link);
    return sendPublic(request, reply, rendered);
  });
  return async () => {
    const answered = await renderAgentList(route, failed ?? first, route.clock.now());
    failed = undefined;
    return answered;
  };
}

/** The list from the cache, or rendered and cached. */
async function cachedList(
  route: ListRoute,
  query: ListQuery,
  largeLists: PQueue,
  now: number,
): Promise<RenderedBody> {
  const { cache, metrics } = route;
  const key = canonicalQuery(query);
  // read before the data: a change in between is rendered at the next request
  const version = await dataVersion(route);
  const kept = cache.get(key, version, now);
  metrics.listCache(kept === undefined ? 'miss' : 'hit');
  if (kept !== undefined) return kept;
  const renderAndKeep = async () => {
    const rendered = await renderWithLink(route, query, now);
    cache.set(key, version, rendered);
    return rendered;
  };
  if ((query.limit ?? MAX_LIMIT) <= AT_ONCE) return renderAndKeep();
  return largeLists.add(async () => {
    const keptMeanwhile = cache.getAgain(key, version, now);
    if (keptMeanwhile !== undefined) return keptMeanwhile;
    const rendered = await renderAndKeep();
    await yieldToEventLoop();
    return rendered;
  });
}

async function renderWithLink(route: ListRoute, query: ListQuery, now: number): Promise<RenderedBody> {
  const { nextCursor, ...rendered } = await renderAgentList(route, query, now);
  if (nextCursor === undefined) return rendered;
  const next = canonicalQuery({ ...query, cursor: nextCursor });
  return { ...rendered, link: `<${route.baseUrl}${LIST_PATH}?${next}>; rel="next"` };
}

/** The response body (specification, 4.1). */
export interface ListAnswer extends Omit<RenderedBody, 'link'> {
  /** Present when more agents follow. */
  readonly nextCursor?: string;
}

/** The key that signs the cursors of a store, the same in every process. */
export function cursorSecretOf(records: Pick<Records, 'secret'>): Promise<Uint8Array> {
  return records.secret('cursor', 32);
}

/**
 * Answers the list operation. The answer ends at the limit or at 2 MiB, and then has a cursor. Throws an HttpProblem for a cursor
 * that is forged or belongs to other filters.
 */
export async function renderAgentList(
  sources: SignedSources,
  query: ListQuery,
  now: number,
): Promise<ListAnswer> {
  const after = positionOf(query, sources.cursorSecret);
  const { rendered, total, validUntil, last } = await renderRecords(sources, { ...query, after }, now);
  const nextCursor = last === undefined ? undefined : sealCursor(sources.cursorSecret, query.filter, last);
  const isEmpty = rendered.length === 0 && after === undefined;
  const nearest = isEmpty ? await nearestInList(sources, query.filter) : [];
  const more = nearest.length > 0 ? { nearest } : {};
  const rest = JSON.stringify({ count: rendered.length, total, next_cursor: nextCursor, ...more });
  const records = rendered.flatMap((record, at) => (at === 0 ? [record] : [COMMA, record]));
  const body = Buffer.concat([Buffer.from('{"agents":['), ...records, Buffer.from(`],${rest.slice(1)}`)]);
  return { body, etag: entityTag(body), validUntil, ...(nextCursor !== undefined && { nextCursor }) };
}

const COMMA = Buffer.from(',');

function positionOf(query: ListQuery, secret: Uint8Array): string | undefined {
  if (query.cursor === undefined) return undefined;
  const opened = openCursor(secret, query.filter, query.cursor);
  if (!opened.ok) throw queryProblem(opened.problem);
  return opened.after;
}
