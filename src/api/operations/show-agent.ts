import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../ports/clock.ts';
import { type AgentRequest, agentOf, queryText, refuseParameters } from '../parameters.ts';
import { unknownAgent } from '../problem.ts';
import { agentInFull, type InFullSources } from '../render/agent-in-full.ts';
import { describedBy, ENCODED_URL } from './description.ts';
import { publicReading, sendBody } from './graph/reading.ts';

const OPERATION = publicReading({
  operationId: 'getAgent',
  summary: 'Get one agent in full',
  description:
    'Every group of its record, its badges, and its provenance. The provenance names the file and line, the probe or the run that a fact comes from, and how fresh each is. Everybody is told the same.',
  parameters: [ENCODED_URL],
  answers: 'The agent.',
  schema: 'AgentInFull',
  isOfAgent: true,
});

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
      if (shown === undefined) throw unknownAgent('encodedUrl');
      return sendBody(request, reply, shown);
    },
  );
}
