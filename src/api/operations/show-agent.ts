import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../ports/clock.ts';
import { agentsWith, nearestAgents, type Searched } from '../../query/named-agents.ts';
import { type AgentRequest, agentOf, queryText, refuseParameters } from '../parameters.ts';
import { HttpProblem, unknownAgent } from '../problem.ts';
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

/** Whoever mistypes the address of an agent is told those on the same host, or of the nearest name. */
async function unknownHere(index: Searched, agent: string): Promise<HttpProblem> {
  const { host } = new URL(agent);
  // the records know that there is none, also while the index is away
  const alike = await agentsWith(index, host).catch(() => []);
  const near = nearestAgents(host, alike).slice(0, MOST_NEAR);
  const { code, message, details } = unknownAgent('encodedUrl');
  if (near.length === 0) return new HttpProblem(code, message, details);
  const validValues = near.map(({ url }) => url);
  return new HttpProblem(code, `${message}; the nearest: ${validValues.join(', ')}`, {
    ...details,
    validValues,
  });
}
