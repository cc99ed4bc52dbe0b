import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../ports/clock.ts';
import { entityTag, sendPublic } from '../answers.ts';
import { type AgentRequest, agentOf, queryText, refuseParameters } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { agentInFull, type InFullSources } from '../render/agent-in-full.ts';
import {
  answer,
  CACHE_CONTROL,
  describedBy,
  ENCODED_URL,
  ETAG,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  problems,
} from './description.ts';

const OPERATION = {
  operationId: 'getAgent',
  summary: 'Get one agent in full',
  description:
    'Every group of its record, its badges, and its provenance. The provenance names the file and line, the probe or the run that a fact comes from, and how fresh each is. Everybody is told the same.',
  parameters: [ENCODED_URL, IF_NONE_MATCH],
  responses: {
    200: answer('The agent.', 'AgentInFull', { ETag: ETAG, 'Cache-Control': CACHE_CONTROL }),
    304: NOT_MODIFIED,
    ...problems(400, 401, 404, 429, 500, 503),
  },
};

/** GET /api/registry/agents/{encodedUrl}. */
export function showAgentOperation(
  server: FastifyInstance,
  { clock, ...sources }: InFullSources & { readonly clock: Clock },
): void {
  server.get(
    '/api/registry/agents/:encodedUrl',
    describedBy(OPERATION),
    async (request: AgentRequest, reply) => {
      const agent = agentOf(request.params.encodedUrl);
      refuseParameters(queryText(request), 'the operation for one agent');
      const shown = await agentInFull(sources, agent, clock.now());
      if (shown === undefined)
        throw new HttpProblem('unknown_agent', 'the registry has never heard of this agent', {
          parameter: 'encodedUrl',
        });
      reply.header('cache-control', 'public, no-cache');
      const body = Buffer.from(JSON.stringify(shown));
      return sendPublic(request, reply, { body, etag: entityTag(body) });
    },
  );
}
