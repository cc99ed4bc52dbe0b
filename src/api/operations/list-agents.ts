import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../../base/json.ts';
import type { Metrics } from '../../ops/metrics.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import type { ListParameter } from '../../query/filters.ts';
import { LIST_PARAMETERS, MAX_VALUES } from '../../query/list-parameters.ts';
import { canonicalQuery, type ListQuery } from '../../query/list-query.ts';
import type { BodyCache, RenderedBody } from '../body-cache.ts';
import { entityTag, sendTagged } from '../conditional.ts';
import { type ListSources, listAgents } from '../list-agents.ts';
import { queryText } from '../parameters.ts';
import { createQueryReader, type ReadQuery } from '../read-query-text.ts';
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

const OPERATION = {
  operationId: 'listAgents',
  summary: 'List agents',
  description: 'Agents in ascending order of their URL. Different filters are combined with AND.',
  parameters: [...LIST_PARAMETERS.map(queryParameter), IF_NONE_MATCH],
  responses: {
    200: answer('Agents under the filters.', 'AgentList', {
      ETag: ETAG,
      'Cache-Control': CACHE_CONTROL,
      Link: header('The next page, as rel="next"; absent on the last.'),
    }),
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
  },
};

/** GET /api/registry/agents (specification, 4.1). */
export function listAgentsOperation(server: FastifyInstance, route: ListRoute): void {
  const read = createQueryReader();
  server.get(LIST_PATH, describedBy(OPERATION), async (request, reply) => {
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
  const page = await listAgents(route, query, now);
  const body = Buffer.from(page.body);
  const tagged = { body, etag: entityTag(body), validUntil: page.validUntil };
  if (page.nextCursor === undefined) return tagged;
  const next = canonicalQuery({ ...query, cursor: page.nextCursor });
  return { ...tagged, link: `<${route.baseUrl}${LIST_PATH}?${next}>; rel="next"` };
}

function queryParameter(parameter: ListParameter): JsonObject {
  const { name, description, repeatable } = parameter;
  const schema = valueSchema(parameter);
  if (!repeatable) return { name, in: 'query', description, schema };
  const list = { type: 'array', minItems: 1, maxItems: MAX_VALUES, items: schema };
  return { name, in: 'query', description, style: 'form', explode: true, schema: list };
}

function valueSchema({ kind, values, maxLength, minimum, maximum }: ListParameter): JsonObject {
  if (kind === 'boolean') return { type: 'boolean' };
  if (kind === 'integer') return { type: 'integer', minimum, maximum };
  if (kind === 'enum') return { type: 'string', enum: values };
  return { type: 'string', minLength: 1, maxLength };
}
