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
    "Uptime, latency and incidents from scheduled probes by day, and by hour for one or two days. The result of a probe is assumed until the next one, for at most 25 hours; `uptime` is a share of that time. Probes during a failure of the registry's own network and requested probes do not count. The answer is the same for all callers, also for agents that opted out of tests.",
  parameters: [
    ENCODED_URL,
    {
      name: 'days',
      in: 'query',
      description: `Number of days in UTC, including today. Default: ${USUAL_HEALTH_DAYS}.`,
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
