import type { FastifyInstance } from 'fastify';
import { agentsNear, type Searched } from '../../index/query/named-agents.ts';
import type { Clock } from '../../ports/clock.ts';
import { type AgentRequest, agentOf, queryText, refuseParameters } from '../parameters.ts';
import { HttpProblem, unknownAgent } from '../problem.ts';
import { agentInFull, type InFullSources } from '../render/agent-in-full.ts';
import { describedBy, ENCODED_URL } from './description.ts';
import { publicReading, sendBody } from './graph/reading.ts';

const OPERATION = publicReading({
  operationId: 'getAgent',
  summary: 'Get one agent in full',
  description:
    'Returns every group of the record, the badges, and the provenance: the file and line, the probe or the test run of each fact, with its time. The answer is the same for every caller.',
  parameters: [ENCODED_URL],
  answers: 'The agent.',
  schema: 'AgentInFull',
  isOfAgent: true,
});

/** GET /api/registry/agents/{encodedUrl}. */
export function showAgentOperation(
  server: FastifyInstance,
  { clock, index, ...sources }: InFullSources & { readonly clock: Clock; readonly index: Searched },
): void {
  server.get(
    '/api/registry/agents/:encodedUrl',
    describedBy(OPERATION),
    async (request: AgentRequest, reply) => {
      const agent = agentOf(request.params.encodedUrl);
      refuseParameters(queryText(request), 'the operation for one agent');
      const shown = await agentInFull(sources, agent, clock.now());
      if (shown === undefined) throw await unknownHere(index, agent);
      return sendBody(request, reply, shown);
    },
  );
}

const MOST_NEAR = 5;

/** The problem for an unknown agent, with agents on the same host or with a similar name. */
async function unknownHere(index: Searched, agent: string): Promise<HttpProblem> {
  // the records answer while the index is unavailable, too
  const near = (await agentsNear(index, agent).catch(() => [])).slice(0, MOST_NEAR);
  const { code, message, details } = unknownAgent('encodedUrl');
  if (near.length === 0) return new HttpProblem(code, message, details);
  const validValues = near.map(({ url }) => url);
  return new HttpProblem(code, `${message}; similar: ${validValues.join(', ')}`, {
    ...details,
    validValues,
  });
}
