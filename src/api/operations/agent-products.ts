import type { FastifyInstance } from 'fastify';
import type { Budgets, Job } from '../../budgets/budgets.ts';
import { registrableDomainOf } from '../../domain/domain-name.ts';
import type { AgentExams, AgentProducts } from '../../domain/lab-report.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { partyOf } from '../callers.ts';
import { agentOf, needed, queryText, readParameters } from '../parameters.ts';
import { HttpProblem, unknownAgent } from '../problem.ts';
import { answer, describedBy, ENCODED_URL, problemAnswer, problems } from './description.ts';
import { timeText } from './graph/reading.ts';
import { createSharedAnswers, LOOK_MS } from './shared-answers.ts';

const OPERATION = {
  operationId: 'getAgentProducts',
  summary: 'Get products from an agent',
  description:
    'Calls `get_products` of the agent now, anonymously; the task only reads. The answer is cached for one minute for all callers. At most 256 KiB; `product_count` is exact. Only agents in the registry can be called.',
  security: [{}, { apiKey: [] }],
  parameters: [{ ...ENCODED_URL, ...{ name: 'url', in: 'query', description: "The agent's URL." } }],
  responses: {
    200: answer('The answer of the agent; its texts are not checked.', 'AgentProducts', {}),
    ...problems(400, 401, 404, 429, 500),
    501: problemAnswer('This registry does not call agents on demand.'),
    502: problemAnswer('The agent did not return products. `detail` has the reason.'),
    503: problemAnswer(
      'A call to this agent is in progress, or too many calls are. Retry-After has the number of seconds to wait.',
    ),
  },
};

interface ProductsParts {
  readonly records: Pick<Records, 'agents'>;
  readonly clock: Clock;
  readonly budgets: Budgets;
  /** Absent: this process calls no agents. */
  readonly ask?: AgentExams['products'];
}

/** An agent has 10 s to answer. */
const QUESTION: Job = { running: 'runningProductQuestions', counted: ['productQuestions'], seconds: 15 };

/** GET /api/public/agent-products: the products of an agent, asked for a caller within its budgets. */
export function agentProductsOperation(
  server: FastifyInstance,
  { records, clock, budgets, ask }: ProductsParts,
): void {
  const answerOf = createSharedAnswers<AgentProducts>(clock, 'too many calls to agents are in progress');
  const options = { ...describedBy(OPERATION), handlerTimeout: LOOK_MS };
  server.get('/api/public/agent-products', options, async (request, reply) => {
    const parameters = readParameters(queryText(request), ['url'], 'the products');
    const agent = agentOf(needed(parameters, 'url'), 'url');
    const [facts] = await records.agents.facts([agent]);
    if (facts === undefined) throw unknownAgent('url');
    if (ask === undefined)
      throw new HttpProblem(
        'not_offered',
        'this registry does not call agents on demand; use `agent-registry call URL get_products`',
      );
    const use = { party: partyOf(request), site: registrableDomainOf(agent) };
    const { at, value } = await answerOf({
      key: agent,
      answer: () => budgets.run(QUESTION, use, async () => ask(await records.agents.dialled(agent))),
    });
    if (value.failure !== undefined)
      throw new HttpProblem('agent_failed', `the agent returned no products: ${value.failure}`, {
        parameter: 'url',
      });
    const { products, count } = value;
    return reply.header('cache-control', 'no-store').send({
      ...{ success: true, agent_url: agent, products, product_count: count },
      ...(products.length < count && { products_truncated: true }),
      asked_at: timeText(at),
    });
  });
}
