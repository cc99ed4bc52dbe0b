import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isObject } from '../../../base/json.ts';
import type { Clock } from '../../../ports/clock.ts';
import { partyOf } from '../../callers.ts';
import { queryText, refuseParameters } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { LAB_PATH, labReportJson } from '../../render/lab-report.ts';
import { answer, describedBy, header, linkTo, problemAnswer, problems } from '../description.ts';
import type { Lab } from './exams.ts';

/** More than any request can have, bytes. */
const MAX_BODY = 16_384;
/** When to read a report again, seconds. */
const POLL_S = 3;

const ASK = {
  operationId: 'examineAgent',
  summary: 'Have an agent examined, without proof of who owns it',
  description:
    'The handshake over both protocols, capabilities and their schema, its card, its keys and how it refuses. Nothing that could change anything is called, and nothing but the agent’s own origin is asked: keys that are published elsewhere are not judged. An agent is examined once in 5 minutes, whoever asks.',
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
      ...answer('The exam that is under way.', 'LabReport', {
        Location: header('The report, to be looked at until it is completed.'),
        'Retry-After': header('Seconds until that is worth while.'),
      }),
      ...linkTo('getLabReport', { id: '$response.body#/id' }),
    },
    ...problems(400, 401, 500, 503),
    429: problemAnswer(
      'It was examined less than 5 minutes ago: Location is that report. Or too much was asked for.',
    ),
    501: problemAnswer('This registry examines no agents.'),
  },
};
const READ = {
  operationId: 'getLabReport',
  summary: 'Read the report of an exam',
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 100 } }],
  responses: {
    200: answer('The report; without a grade while it is under way.', 'LabReport', {}),
    ...problems(400, 401, 429, 500, 503),
    404: problemAnswer('There is no such report, or it is too old.'),
  },
};

/** POST /api/registry/lab, and GET …/{id}. */
export function labOperations(
  server: FastifyInstance,
  { lab, clock }: { readonly lab: Lab; readonly clock: Clock },
): void {
  server.post(LAB_PATH, { ...describedBy(ASK), bodyLimit: MAX_BODY }, async (request, reply) => {
    refuseParameters(queryText(request), 'an exam');
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
  throw new HttpProblem('bad_request', 'send a JSON object with the member agent_url and no other');
}
