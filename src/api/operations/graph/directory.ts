import type { FastifyInstance } from 'fastify';
import {
  type AgentRequest,
  agentOf,
  limitOf,
  queryText,
  readParameters,
  searchParams,
} from '../../parameters.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import { CURSOR, describedBy, ENCODED_URL, problemAnswer } from '../description.ts';
import {
  type PublisherStatus,
  type PublishersQuestion,
  publishersOfAgent,
  STATUSES,
} from './agent-publishers.ts';
import { readSearch } from './list-properties.ts';
import { type GraphParts, momentOf, publicReading, sendBody, textParameter } from './reading.ts';

const NAMES = ['status', 'search', 'since', 'include', 'limit', 'cursor'];

const READING = publicReading({
  operationId: 'listAgentPublishers',
  summary: 'List the publishers of an agent',
  description:
    'Sorted by domain; the cost of a page is constant. A page can be shorter than its limit; follow `next_cursor` to the end.',
  parameters: [
    ENCODED_URL,
    {
      name: 'status',
      in: 'query',
      description:
        '`authorized`: publishers that authorise the agent now. `revoked`: publishers that no longer do.',
      schema: { type: 'array', items: { type: 'string', enum: STATUSES }, default: ['authorized'] },
    },
    textParameter('search', 'Only publishers whose domain starts with this text.', undefined, {
      required: false,
    }),
    {
      name: 'since',
      in: 'query',
      description: 'Only authorisations that began or ended at this time or later.',
      schema: { type: 'string', format: 'date-time' },
    },
    {
      name: 'include',
      in: 'query',
      description:
        'Also return the ids of the properties that the agent may sell now, as far as the answer has room.',
      schema: { type: 'string', enum: ['properties'] },
    },
    {
      name: 'limit',
      in: 'query',
      description: 'Maximum number of publishers.',
      schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 200 },
    },
    { ...CURSOR, schema: { type: 'string', minLength: 1, maxLength: 2_800 } },
  ],
  answers: 'Publishers of the agent.',
  schema: 'AgentPublishers',
});
const OPERATION = {
  ...READING,
  responses: {
    ...READING.responses,
    404: problemAnswer('No publisher ever authorised this agent.'),
  },
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
        const found = await publishersOfAgent(parts, agent, readPublishersQuestion(queryText(request)));
        if (found === undefined)
          throw new HttpProblem('unknown_agent', 'no publisher ever authorised this agent', {
            parameter: 'encodedUrl',
          });
        return sendBody(request, reply, found);
      },
    );
}

/** The parameters of the operation. Throws HttpProblems. */
export function readPublishersQuestion(text: string): PublishersQuestion {
  const all = searchParams(text);
  const named = all.getAll('status');
  const wrong = named.find((status) => !STATUSES.includes(status as PublisherStatus));
  if (wrong !== undefined)
    throw invalidValue('status', 'use one status; repeat the parameter for several', STATUSES);
  all.delete('status');
  const parameters = readParameters(String(all), NAMES, 'the directory');
  const statuses =
    named.length === 0 ? (['authorized'] as const) : STATUSES.filter((one) => named.includes(one));
  const since = parameters.get('since');
  const include = parameters.get('include');
  if (include !== undefined && include !== 'properties')
    throw invalidValue('include', 'only properties can be included', ['properties']);
  return {
    statuses,
    search: readSearch(parameters.get('search')),
    since: since === undefined ? 0 : momentOf(since, 'since'),
    withIds: include !== undefined,
    limit: limitOf(parameters.get('limit'), 200, 1_000),
    cursor: parameters.get('cursor'),
  };
}
