import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../ops/metrics.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import type { ListQuery } from '../../query/list-filters.ts';
import type { BodyCache, RenderedBody } from '../body-cache.ts';
import { canonicalQuery } from '../canonical-query.ts';
import { entityTag, sendTagged } from '../conditional.ts';
import { type ListSources, listAgents } from '../list-agents.ts';
import { queryText } from '../query-text.ts';
import { createQueryReader, type ReadQuery } from '../read-query-text.ts';

export const LIST_PATH = '/api/registry/agents';

export interface ListRoute extends ListSources {
  readonly records: Pick<Records, 'agents' | 'version'>;
  readonly index: ListSources['index'] & Pick<AgentIndex, 'version'>;
  readonly cache: BodyCache;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'listCache'>;
  /** Put before the path in Link; '' makes the reference relative (RFC 8288, section 3.1). */
  readonly baseUrl: string;
}

/** GET /api/registry/agents (specification, 4.1). */
export function listRoute(server: FastifyInstance, route: ListRoute): void {
  const read = createQueryReader();
  server.get(LIST_PATH, async (request, reply) => {
    const rendered = await renderedBody(route, read(queryText(request)));
    // Anybody may keep it, but must ask whether it is still true: an agent found now is listed within a second.
    reply.header('cache-control', 'public, no-cache');
    if (rendered.link !== undefined) reply.header('link', rendered.link);
    return sendTagged(request, reply, rendered);
  });
}

async function renderedBody(route: ListRoute, { query, key }: ReadQuery): Promise<RenderedBody> {
  const now = route.clock.now();
  // Asked for before the data are read: what changes in between is rendered again the next time.
  const version = (await Promise.all([route.records.version(), route.index.version()])).join(' ');
  const kept = route.cache.get(key, version, now);
  route.metrics.listCache(kept === undefined ? 'miss' : 'hit');
  if (kept !== undefined) return kept;
  const rendered = await render(route, query, now);
  route.cache.set(key, version, rendered);
  return rendered;
}

async function render(route: ListRoute, query: ListQuery, now: number): Promise<RenderedBody> {
  const answer = await listAgents(route, query, now);
  const body = Buffer.from(answer.body);
  const tagged = { body, etag: entityTag(body), validUntil: answer.validUntil };
  if (answer.nextCursor === undefined) return tagged;
  const next = canonicalQuery({ ...query, cursor: answer.nextCursor });
  return { ...tagged, link: `<${route.baseUrl}${LIST_PATH}?${next}>; rel="next"` };
}
