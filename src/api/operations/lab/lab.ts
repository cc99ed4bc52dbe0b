import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isObject } from '../../../base/json.ts';
import type { Clock } from '../../../ports/clock.ts';
import { partyOf } from '../../callers.ts';
import { queryText, refuseParameters } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { LAB_PATH, labReportJson } from '../../render/lab-report.ts';
import { answer, describedBy, header, linkTo, problemAnswer, problems } from '../description.ts';
import type { Lab } from './exams.ts';

/** Larger than any request, bytes. */
const MAX_BODY = 16_384;
/** When to poll a report again, seconds. */
const POLL_S = 3;

const ASK = {
  operationId: 'examineAgent',
  summary: 'Check an agent in the lab',
  description:
    'Checks the handshake over MCP and A2A, the capabilities and their schema, the agent card, the signing keys and the error handling of any public agent, and grades them. No proof of ownership is needed. The check calls no task that changes something, and contacts only the origin of the agent: keys that are published elsewhere are not checked. For an agent on your own machine (localhost), use `agent-registry probe`. Each agent can be checked once every 5 minutes.',
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['agent_url'],
          additionalProperties: false,
          properties: { agent_url: { type: 'string', maxLength: 2000 } },
        },
        example: { agent_url: 'https://sales-1.agents.example/mcp' },
      },
    },
  },
  responses: {
    202: {
      ...answer('The check has started, or was already running.', 'LabReport', {
        Location: header('The report; poll it until its status is `completed`.'),
        'Retry-After': header('Seconds to wait before you poll the report.'),
      }),
      ...linkTo('getLabReport', { id: '$response.body#/id' }),
    },
    ...problems(400, 401, 500, 503),
    429: problemAnswer(
      'The agent was checked less than 5 minutes ago (Location is that report), or you exceeded a rate limit.',
    ),
    501: problemAnswer('This registry does not check agents.'),
  },
};
const READ = {
  operationId: 'getLabReport',
  summary: 'Get the report of a lab check',
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 100 } }],
  responses: {
    200: answer('The report. It has no grade while the check is running.', 'LabReport', {}),
    ...problems(400, 401, 429, 500, 503),
    404: problemAnswer('The report does not exist or has expired.'),
  },
};

/** POST /api/registry/lab, and GET …/{id}. */
export function labOperations(
  server: FastifyInstance,
  { lab, clock }: { readonly lab: Lab; readonly clock: Clock },
): void {
  server.post(LAB_PATH, { ...describedBy(ASK), bodyLimit: MAX_BODY }, async (request, reply) => {
    refuseParameters(queryText(request), 'a lab check');
    const report = await lab.begin(partyOf(request), addressIn(request.body));
    return reply
      .code(202)
      .headers({
        ...{ location: `${LAB_PATH}/${report.id}`, 'retry-after': String(POLL_S) },
        'cache-control': 'no-store',
      })
      .send(labReportJson(report, clock.now()));
  });
  server.get(
    `${LAB_PATH}/:id`,
    describedBy(READ),
    async (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
      refuseParameters(queryText(request), 'a report');
      const report = await lab.find(request.params.id);
      return reply.header('cache-control', 'no-store').send(labReportJson(report, clock.now()));
    },
  );
}

function addressIn(body: unknown): string {
  const { agent_url: address, ...others } = isObject(body) ? body : {};
  if (typeof address === 'string' && Object.keys(others).length === 0) return address;
  throw new HttpProblem('bad_request', 'send a JSON object with the field agent_url and no other');
}
