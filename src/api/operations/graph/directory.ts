import type { FastifyInstance } from 'fastify';
import { jsonBytes } from '../../../base/json.ts';
import type { AgentEdge, KnownPublisher } from '../../../ports/graph.ts';
import {
  type AgentRequest,
  agentOf,
  limitOf,
  queryText,
  readParameters,
  searchParams,
} from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { CURSOR, describedBy, ENCODED_URL, problemAnswer } from '../description.ts';
import { createSoldIds } from './product-selection.ts';
import {
  discoveryMethod,
  type GraphParts,
  MAX_BYTES,
  pagesOf,
  publicReading,
  sendBody,
  timeText,
} from './reading.ts';

const STATUSES = ['authorized', 'revoked'] as const;
type Status = (typeof STATUSES)[number];
const NAMES = ['since', 'include', 'limit', 'cursor'];

const READING = publicReading({
  operationId: 'listAgentPublishers',
  summary: 'List the publishers of an agent, page by page',
  description:
    'In ascending order of the domain, at a cost that does not grow with their number. A page may be shorter than its limit; follow `next_cursor` to the end.',
  parameters: [
    ENCODED_URL,
    {
      name: 'status',
      in: 'query',
      description: 'Publishers that authorise it now, or that did and do no more.',
      schema: { type: 'array', items: { type: 'string', enum: STATUSES }, default: ['authorized'] },
    },
    {
      name: 'since',
      in: 'query',
      description: 'Only what began or ended then or later.',
      schema: { type: 'string', format: 'date-time' },
    },
    {
      name: 'include',
      in: 'query',
      description: 'Which properties of the catalogue it may sell now, by id, as far as there is room.',
      schema: { type: 'string', enum: ['properties'] },
    },
    {
      name: 'limit',
      in: 'query',
      description: 'At most so many publishers.',
      schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 200 },
    },
    { ...CURSOR, schema: { type: 'string', minLength: 1, maxLength: 2_800 } },
  ],
  answers: 'Publishers of the agent.',
  schema: 'AgentPublishers',
});
const OPERATION = {
  ...READING,
  responses: { ...READING.responses, 404: problemAnswer('No publisher ever named the agent.') },
};
const LEGACY = { ...OPERATION, operationId: 'listAgentPublishersLegacy', deprecated: true };

/** GET /v1/agents/{encodedUrl}/publishers, and the same below /api. */
export function directoryOperation(server: FastifyInstance, parts: GraphParts): void {
  for (const [prefix, operation] of [
    ['/v1', OPERATION],
    ['/api/v1', LEGACY],
  ] as const)
    server.get(
      `${prefix}/agents/:encodedUrl/publishers`,
      describedBy(operation),
      async (request: AgentRequest, reply) => {
        const agent = agentOf(request.params.encodedUrl);
        const asked = readAsked(queryText(request));
        const standing = await parts.records.graph.standingOf(agent);
        if (!standing?.ever)
          throw new HttpProblem('unknown_agent', 'no publisher ever named this agent', {
            parameter: 'encodedUrl',
          });
        const places = pagesOf(parts, `publishers of ${agent} ${asked.statuses} ${asked.since}`);
        const { items, last, indexedAt } = await readPage(parts, agent, asked, places.after(asked.cursor));
        return sendBody(request, reply, {
          agent_url: agent,
          publishers: items,
          directory_indexed_at: indexedAt === 0 ? null : timeText(indexedAt),
          next_cursor: places.next(last) ?? null,
        });
      },
    );
}

interface Asked {
  readonly statuses: readonly Status[];
  readonly since: number;
  readonly withIds: boolean;
  readonly limit: number;
  readonly cursor: string | undefined;
}

function readAsked(text: string): Asked {
  const all = searchParams(text);
  const named = all.getAll('status');
  const wrong = named.find((status) => !STATUSES.includes(status as Status));
  if (wrong !== undefined)
    throw new HttpProblem('invalid_value', 'one status is expected; repeat the parameter for several', {
      parameter: 'status',
      validValues: STATUSES,
    });
  all.delete('status');
  const parameters = readParameters(String(all), NAMES, 'the directory');
  const statuses =
    named.length === 0 ? (['authorized'] as const) : STATUSES.filter((one) => named.includes(one));
  const since = parameters.get('since');
  const at = since === undefined ? 0 : Date.parse(since);
  if (Number.isNaN(at)) throw new HttpProblem('invalid_value', 'a time is expected', { parameter: 'since' });
  const include = parameters.get('include');
  if (include !== undefined && include !== 'properties')
    throw new HttpProblem('invalid_value', 'only properties are included', {
      parameter: 'include',
      validValues: ['properties'],
    });
  return {
    statuses,
    since: at,
    withIds: include !== undefined,
    limit: limitOf(parameters.get('limit'), 200, 1_000),
    cursor: parameters.get('cursor'),
  };
}

async function readPage(parts: GraphParts, agent: string, asked: Asked, after: string | undefined) {
  const { records } = parts;
  const { statuses, since, limit } = asked;
  const read = await Promise.all(
    statuses.map(async (status) => {
      const page = { limit, isLive: status === 'authorized', ...(after !== undefined && { after }) };
      return { status, ...(await records.graph.publishersOf(agent, page)) };
    }),
  );
  const ends = read.flatMap(({ last }) => last ?? []).sort();
  const rows = read
    .flatMap(({ status, edges }) => edges.map((edge) => ({ status, edge })))
    .filter(({ edge }) => ends[0] === undefined || edge.publisher <= ends[0])
    .sort((a, b) => (a.edge.publisher < b.edge.publisher ? -1 : 1));
  const domains = [...new Set(rows.map(({ edge }) => edge.publisher))];
  const [authorised, known] = await Promise.all([
    records.agents.authorisedAmong(agent, domains),
    records.graph.publishersAmong(domains),
  ]);
  const publishers = new Map(known.map((one) => [one.domain, one]));
  const idsOf = asked.withIds ? createSoldIds(parts, agent) : undefined;
  const items: object[] = [];
  let [last, bytes, indexedAt] = [undefined as string | undefined, 0, 0];
  for (const { status, edge } of rows) {
    const publisher = publishers.get(edge.publisher);
    const isShown =
      (status === 'authorized') === authorised.has(edge.publisher) &&
      (edge.seenUntil ?? edge.seenFrom) >= since;
    const ids = isShown && status === 'authorized' ? await idsOf?.(edge.publisher) : undefined;
    if (ids === 'later') return { items, last, indexedAt };
    const item = isShown ? { ...directoryItem(edge, status, publisher), ...ids } : undefined;
    bytes += item === undefined ? 0 : jsonBytes(item) + 1;
    if (items.length === limit || bytes > MAX_BYTES) return { items, last, indexedAt };
    last = edge.publisher;
    indexedAt = Math.max(indexedAt, publisher?.lastSuccessAt ?? 0);
    if (item !== undefined) items.push(item);
  }
  return { items, last: ends[0], indexedAt };
}

function directoryItem(edge: AgentEdge, status: Status, publisher: KnownPublisher | undefined): object {
  const { via, manager, lastSuccessAt, properties = 0 } = publisher ?? {};
  const covered = status === 'authorized' ? edge.properties : 0;
  return {
    publisher_domain: edge.publisher,
    discovery_method: via === undefined ? null : discoveryMethod(via),
    manager_domain: manager ?? null,
    properties_authorized: covered,
    properties_total: Math.max(properties, covered),
    signing_keys_pinned: edge.pinsKeys,
    status,
    last_verified_at: lastSuccessAt === undefined ? null : timeText(lastSuccessAt),
  };
}
