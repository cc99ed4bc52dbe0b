import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { runNowWait } from '../../../domain/standing.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import type { AskedRun, AskOutcome } from '../../../ports/run-schedule.ts';
import type { AgentSignatures } from '../../../signing/agent-keys.ts';
import { invalidKey } from '../../callers.ts';
import { notOwner } from '../../owner-only.ts';
import { type AgentRequest, agentOf, queryText, refuseParameters } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { askedRun } from '../../render/compliance-runs.ts';
import { COMPLIANCE_PATH } from '../agent-compliance.ts';
import {
  answer as answerOf,
  ENCODED_URL,
  header,
  problemAnswer,
  problems,
  scopedBy,
} from '../description.ts';
import { type RunAsker, runAsker } from './run-asker.ts';
import { createVerifyAgent } from './signed-agent.ts';

const RUNS_PATH = `${COMPLIANCE_PATH}/runs`;
/** More than any request can have, bytes. */
const MAX_BODY = 8_192;
/** When to read a run that was asked for again, seconds. */
const POLL_S = 10;
/** The answer includes the search for the agent's keys, milliseconds. */
const ANSWER_WITHIN_MS = 12_000;

const OPERATION = {
  operationId: 'startComplianceRun',
  summary: 'Ask for a compliance run now',
  description:
    "For the API key of the agent's proven owner, or signed (RFC 9421, tag proto/request-signing/v1, content digest covered) by a key of the agent's own. While one is open, the same run is given.",
  security: [{ apiKey: [] }, {}],
  parameters: [ENCODED_URL],
  requestBody: {
    required: false,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/RunRequest' } } },
  },
  responses: {
    202: answerOf('The run that was asked for.', 'AskedRun', {
      Location: header('The run, to be looked at until its state is finished.'),
      'Retry-After': header('Seconds until that is worth while.'),
    }),
    ...problems(400, 500, 503),
    401: problemAnswer(
      'The API key is malformed, unknown, revoked or expired, or the signature was refused: signature_error says why.',
    ),
    404: problemAnswer('The caller may not ask for it; the same for every agent.'),
    409: problemAnswer('The owner has opted out of tests.'),
    413: problemAnswer('The body is larger than any request for a run can be.'),
    429: problemAnswer(
      'The agent was tested less than 10 minutes ago, or there were too many requests; Retry-After says when to come back.',
    ),
  },
};

export interface StartRunParts {
  readonly records: Pick<Records, 'owners' | 'agents' | 'runs'>;
  readonly clock: Clock;
  readonly baseUrl: string;
  /** Absent: no signed request is taken. */
  readonly signatures?: AgentSignatures;
}

/**
 * POST …/compliance/runs: asks for a run now, for the key of the agent's proven owner, or for a request that the agent's
 * own key signed (an owner's build system). 202 with the run to poll. Everybody else gets the one 404.
 */
export async function startRunOperation(server: FastifyInstance, parts: StartRunParts): Promise<void> {
  const verify = parts.signatures && createVerifyAgent({ ...parts, signatures: parts.signatures });
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // a signature is over the very bytes
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    const options = { ...scopedBy('runs', OPERATION), bodyLimit: MAX_BODY, handlerTimeout: ANSWER_WITHIN_MS };
    scope.post(RUNS_PATH, options, async (request: AgentRequest, reply) => {
      reply.header('cache-control', 'no-store');
      refuseParameters(queryText(request), 'asking for a run');
      const agent = agentOf(request.params.encodedUrl);
      const asker = await runAsker(request, agent, parts.records.owners, verify);
      const { asked } = await askForRun(agent, asker, parts);
      return answer(reply, asked, parts.baseUrl);
    });
  });
}

/** Asks for a run now; `isNew` where none was open. Throws HttpProblems. */
export async function askForRun(
  agent: string,
  asker: RunAsker,
  { records, clock }: Pick<StartRunParts, 'records' | 'clock'>,
): Promise<Extract<AskOutcome, { ok: true }>> {
  const now = clock.now();
  const wanted = { agent, runId: randomUUID(), ...asker };
  const outcome = await records.runs.ask(wanted, ({ standing }) => runNowWait(standing, now), now);
  if (outcome.ok) return outcome;
  throw refusal(outcome);
}

function refusal(outcome: Extract<AskOutcome, { ok: false }>): HttpProblem {
  switch (outcome.reason) {
    case 'cooldown':
      return cooldown(Math.ceil(outcome.waitMs / 1_000));
    case 'opted_out':
      return new HttpProblem(
        'opted_out',
        'the agent is opted out of tests; opt it in first, with its settings',
      );
    case 'key_revoked':
      return invalidKey();
    default:
      return notOwner();
  }
}

function cooldown(seconds: number): HttpProblem {
  return new HttpProblem(
    'run_cooldown',
    `the agent was tested less than 10 minutes ago; ask again in ${seconds} s`,
    {},
    { 'retry-after': String(seconds) },
  );
}

function answer(reply: FastifyReply, asked: AskedRun, baseUrl: string): FastifyReply {
  const path = RUNS_PATH.replace(':encodedUrl', () => encodeURIComponent(asked.agent));
  return reply
    .code(202)
    .headers({ location: `${baseUrl}${path}/${asked.runId}`, 'retry-after': String(POLL_S) })
    .type('application/json; charset=utf-8')
    .send(askedRun(asked));
}
