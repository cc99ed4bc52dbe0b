import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Budgets } from '../../../budgets/budgets.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import type { RequestedRun } from '../../../records/runs/run-leases.ts';
import type { AgentSignatures } from '../../../signing/agent-keys.ts';
import { notOwner } from '../../owner-only.ts';
import { type AgentRequest, agentOf, queryText, refuseParameters } from '../../parameters.ts';
import { askedRun } from '../../render/compliance-runs.ts';
import { takeJson } from '../../take-json.ts';
import { COMPLIANCE_PATH } from '../compliance.ts';
import {
  answer as answerOf,
  ENCODED_URL,
  header,
  problemAnswer,
  problems,
  scopedBy,
} from '../description.ts';
import { nearestStoryboards, noSuchStoryboard, type StoryboardCatalogue } from '../storyboards.ts';
import { askForRun, POLL_S, type RunField, runAsker } from './ask-for-run.ts';
import { createVerifyAgent } from './signed-agent.ts';

const RUNS_PATH = `${COMPLIANCE_PATH}/runs`;
const STORYBOARD_PATH = '/api/registry/agents/:encodedUrl/storyboard/:storyboardId/run';
/** More than any request can have, bytes. */
const MAX_BODY = 8_192;
/** The answer includes the search for the agent's keys, milliseconds. */
const ANSWER_WITHIN_MS = 12_000;

const ASKED_HEADERS = {
  Location: header('The run. Poll it until its state is finished.'),
  'Retry-After': header('Seconds until the next poll.'),
};

const OPERATION = {
  operationId: 'startComplianceRun',
  summary: 'Start a compliance run',
  description:
    "Requires the API key of the agent's verified owner, or a signature (RFC 9421, tag proto/request-signing/v1, content digest covered) by a key of the agent. If a run of the same target is already queued or running, that run is returned. Limit: one test per 10 minutes; the first test after a verification needs no wait.",
  security: [{ apiKey: [] }, {}],
  parameters: [ENCODED_URL],
  requestBody: {
    required: false,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/RunRequest' } } },
  },
  responses: {
    202: answerOf('The queued or running run.', 'AskedRun', ASKED_HEADERS),
    ...problems(400, 500, 503),
    401: problemAnswer(
      'The API key is malformed, unknown, revoked or expired, or the signature was refused (see `signature_error`).',
    ),
    404: problemAnswer('The caller may not start a run of this agent; the same for every agent.'),
    409: problemAnswer('The owner has opted out of tests.'),
    413: problemAnswer('The body is too large.'),
    429: problemAnswer(
      'The agent was tested less than 10 minutes ago, a run of other storyboards or of another target is open, or there were too many requests. Retry after `Retry-After`.',
    ),
  },
};

/** One run is open at a time: the example of a whole run is about another agent. */
const OTHER_AGENT = 'https://rights-1.agents.example/mcp';

const AGENT_ALONE = {
  type: 'object',
  additionalProperties: false,
  properties: { agent_url: { type: 'string', format: 'uri', maxLength: 2000 } },
};

const OF_STORYBOARD = {
  ...OPERATION,
  operationId: 'runStoryboard',
  summary: 'Start a run of one storyboard',
  description:
    'Requires the same as a run of all storyboards. Its steps are visible to the owner only. It changes neither the status nor badges. Poll the URL in `Location`.',
  parameters: [
    { ...ENCODED_URL, example: OTHER_AGENT },
    {
      ...{ name: 'storyboardId', in: 'path', required: true },
      description: 'The id of a storyboard.',
      schema: { type: 'string' },
      example: 'capability_discovery',
    },
  ],
  requestBody: {
    required: false,
    content: {
      'application/json': {
        schema: AGENT_ALONE,
        example: { agent_url: OTHER_AGENT },
      },
    },
  },
  responses: {
    ...OPERATION.responses,
    202: answerOf('The queued or running run.', 'AskedStoryboardRun', ASKED_HEADERS),
    404: problemAnswer(
      'The caller may not start a run of this agent (the same for every agent), or the storyboard is unknown.',
    ),
  },
};

export interface StartRunParts {
  readonly budgets: Budgets;
  readonly records: Pick<Records, 'owners' | 'agents' | 'runs' | 'compliance'>;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly storyboards: StoryboardCatalogue;
  /** Absent: signed requests are refused. */
  readonly signatures?: AgentSignatures;
}

type StoryboardRequest = FastifyRequest<{ Params: { encodedUrl: string; storyboardId: string } }>;

/**
 * POST …/compliance/runs and …/storyboard/{storyboardId}/run: starts a run, for the key of the agent's verified owner,
 * or for a request that the agent's own key signed (an owner's build system). 202 with the run to poll. Everyone else
 * gets the same 404.
 */
export async function startRunOperation(server: FastifyInstance, parts: StartRunParts): Promise<void> {
  const verify = parts.signatures && createVerifyAgent({ ...parts, signatures: parts.signatures });
  await server.register(async (scope) => {
    // a signature is over the very bytes
    takeJson(scope, (_request, body, done) => done(null, body));
    const bounds = { bodyLimit: MAX_BODY, handlerTimeout: ANSWER_WITHIN_MS };
    const askerOf = async (request: AgentRequest, reply: FastifyReply, fields: readonly RunField[]) => {
      reply.header('cache-control', 'no-store');
      refuseParameters(queryText(request), 'starting a run');
      const agent = agentOf(request.params.encodedUrl);
      return { agent, asker: await runAsker(request, agent, parts.records.owners, verify, fields) };
    };
    scope.post(
      RUNS_PATH,
      { ...scopedBy('runs', OPERATION), ...bounds },
      async (request: AgentRequest, reply) => {
        const { agent, asker } = await askerOf(request, reply, ['agent_url', 'compliance_target']);
        const { asked } = await askForRun(agent, asker, parts);
        return answer(reply, asked, parts.baseUrl);
      },
    );
    const options = { ...scopedBy('runs', OF_STORYBOARD), ...bounds };
    scope.post(STORYBOARD_PATH, options, async (request: StoryboardRequest, reply) => {
      const { agent, asker } = await askerOf(request, reply, ['agent_url']);
      const state = await parts.records.compliance.state(agent);
      if (state === undefined) throw notOwner();
      const of = await parts.storyboards.forAgent(agent, state);
      const { storyboardId } = request.params;
      const found = of.storyboards.find(({ storyboard }) => storyboard.id === storyboardId)?.storyboard;
      if (found === undefined) throw noSuchStoryboard(nearestStoryboards(of, storyboardId));
      const { id, title, category } = found;
      const { asked } = await askForRun(agent, { ...asker, storyboard: id }, parts);
      return answer(reply, asked, parts.baseUrl, {
        storyboard: { id, title, category },
        agent: { url: agent },
      });
    });
  });
}

function answer(reply: FastifyReply, asked: RequestedRun, baseUrl: string, more: object = {}): FastifyReply {
  const path = RUNS_PATH.replace(':encodedUrl', () => encodeURIComponent(asked.agent));
  return reply
    .code(202)
    .headers({ location: `${baseUrl}${path}/${asked.runId}`, 'retry-after': String(POLL_S) })
    .type('application/json; charset=utf-8')
    .send({ ...askedRun(asked), ...more });
}
