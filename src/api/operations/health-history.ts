import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { type AgentRequest, agentOf, limitOf, queryText, readParameters } from '../parameters.ts';
import { unknownAgent } from '../problem.ts';
import { healthAnswer, MAX_HEALTH_DAYS, USUAL_HEALTH_DAYS } from '../render/health-history.ts';
import { describedBy, ENCODED_URL } from './description.ts';
import { publicReading, sendBody } from './graph/reading.ts';

const OPERATION = publicReading({
  operationId: 'getAgentHealthHistory',
  summary: 'Get the health of one agent over the last days',
  description:
    'From our planned probes: uptime, latency and incidents, by day, and by hour for one or two days. What a probe found holds until the next one, at most 25 hours; `uptime` is a share of that time. Probes that our own network spoiled, or that somebody asked for, do not count. Everybody is told the same, of an agent that opted out of tests too.',
  parameters: [
    ENCODED_URL,
    {
      name: 'days',
      in: 'query',
      description: `So many days in UTC, today included; without it, ${USUAL_HEALTH_DAYS}.`,
      schema: { type: 'integer', minimum: 1, maximum: MAX_HEALTH_DAYS, default: USUAL_HEALTH_DAYS },
    },
  ],
  answers: 'The history.',
  schema: 'AgentHealthHistory',
  isOfAgent: true,
});

/** GET /api/registry/agents/{encodedUrl}/health/history. */
export function healthHistoryOperation(
  server: FastifyInstance,
  { records, clock }: { readonly records: Pick<Records, 'agents'>; readonly clock: Clock },
): void {
  server.get(
    '/api/registry/agents/:encodedUrl/health/history',
    describedBy(OPERATION),
    async (request: AgentRequest, reply) => {
      const agent = agentOf(request.params.encodedUrl);
      const parameters = readParameters(queryText(request), ['days'], 'the history');
      const days = limitOf(parameters.get('days'), USUAL_HEALTH_DAYS, MAX_HEALTH_DAYS, 'days');
      const history = await healthAnswer(records.agents, agent, days, clock.now());
      if (history === undefined) throw unknownAgent('encodedUrl');
      return sendBody(request, reply, history);
    },
  );
}
