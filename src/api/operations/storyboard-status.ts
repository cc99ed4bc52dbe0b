import type { FastifyInstance, FastifyRequest } from 'fastify';
import { elements, member } from '../../base/json.ts';
import { jsonBytes } from '../../base/json-bytes.ts';
import type { StepResult } from '../../compliance/step-result.ts';
import { parseAgentUrl } from '../../domain/agent-url.ts';
import {
  NOTHING_RECORDED,
  outcomeOf,
  type StoryboardOutcome,
  type StoryboardStatus,
} from '../../domain/judged-run.ts';
import type { ComplianceState } from '../../records/runs/compliance-state.ts';
import type { ComplianceStore } from '../../records/runs/compliance-store.ts';
import { hasScope } from '../callers.ts';
import { type AgentRequest, queryText, refuseParameters } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { untestedSpecialisms } from '../render/compliance-runs.ts';
import { failedStepsOf } from '../render/step-diagnostics.ts';
import { type AgentCompliance, beginCompliance, readCompliance, sendCompliance } from './compliance.ts';
import {
  agentReading,
  answer,
  describedBy,
  header,
  jsonBody,
  problemAnswer,
  problems,
} from './description.ts';

/** Agents that can be asked about at once, and what their addresses can take, bytes. */
const MOST = 100;
const MAX_BODY = 256 * 1_024;
/** Where the field's clients stop reading the answer, less its frame. */
const MAX_BYTES = 2 * 1_024 * 1_024 - 4_096;

const ONE = agentReading('getAgentStoryboardStatus', 'Get the result of each storyboard for one agent', {
  answers:
    'The counts. The results of single storyboards are returned only to the proven owner of the agent.',
  schema: 'AgentStoryboards',
});
const MANY = {
  operationId: 'bulkAgentStoryboardStatus',
  summary: 'Get the results of storyboards for many agents',
  description:
    'The results of the agents that you own; the list is empty for other agents. To see the failed step, request a single agent.',
  requestBody: jsonBody('AgentUrls'),
  responses: {
    200: answer('Keyed by the canonical URL of the agent.', 'AgentsStoryboards', {
      Vary: header('Always Authorization.'),
    }),
    ...problems(400, 401, 429, 500, 503),
    413: problemAnswer('The request body is too large.'),
  },
};

interface StoryboardParts {
  readonly records: { readonly compliance: Pick<ComplianceStore, 'state' | 'evidence'> };
}

/** GET …/storyboard-status, and POST /api/registry/agents/storyboard-status for up to 100 agents. */
export function storyboardOperations(
  server: FastifyInstance,
  { records: { compliance } }: StoryboardParts,
): void {
  server.get(
    '/api/registry/agents/:encodedUrl/storyboard-status',
    describedBy(ONE),
    async (request: AgentRequest, reply) => {
      beginCompliance(reply);
      refuseParameters(queryText(request), 'the storyboard status');
      const found = await readCompliance(compliance, request);
      const { settings, standing } = found.state;
      const verdict = settings.optedOut ? undefined : standing.latest?.verdict;
      const {
        storyboards_passing: passing,
        storyboards_incomplete: incomplete = 0,
        storyboards_total: total,
      } = verdict ?? NOTHING_RECORDED;
      return sendCompliance(request, reply, found, {
        agent_url: found.agent,
        storyboards: settings.optedOut ? [] : await reportsOf(found, compliance),
        passing_count: passing,
        incomplete_count: incomplete,
        total_count: total,
        specialisms_untested: verdict === undefined ? 0 : untestedSpecialisms(verdict),
        ...(settings.optedOut && { status: 'opted_out' }),
      });
    },
  );
  const options = { ...describedBy(MANY), bodyLimit: MAX_BODY };
  server.post('/api/registry/agents/storyboard-status', options, async (request, reply) => {
    reply.header('cache-control', 'no-store').header('vary', 'Authorization');
    refuseParameters(queryText(request), 'the storyboard status');
    const { agents, invalid } = readAgents(request.body);
    const states = await Promise.all(agents.map((agent) => compliance.state(agent)));
    const answered = new Map<string, unknown>();
    const left: string[] = [];
    let bytes = 0;
    for (const [index, agent] of agents.entries()) {
      const shown = shownTo(request, states[index]);
      bytes += jsonBytes(shown) + jsonBytes(agent) + 2;
      if (bytes > MAX_BYTES) left.push(agent);
      else answered.set(agent, shown);
    }
    return reply.type('application/json; charset=utf-8').send({
      agents: Object.fromEntries(answered),
      ...(invalid > 0 && { invalid_urls: invalid }),
      ...(left.length > 0 && { not_answered: left }),
    });
  });
}

function readAgents(body: unknown) {
  const urls = member(body, 'agent_urls');
  if (!Array.isArray(urls) || urls.length === 0)
    throw new HttpProblem('bad_request', 'send a JSON object with the field agent_urls, a list of URLs', {
      parameter: 'agent_urls',
    });
  if (urls.length > MOST)
    throw new HttpProblem('too_many_values', `at most ${MOST} agents per request`, {
      parameter: 'agent_urls',
    });
  const parsed = elements(urls).map((url) =>
    typeof url === 'string' ? parseAgentUrl(url) : { ok: false as const },
  );
  const agents = new Set(parsed.flatMap((one) => (one.ok ? [one.url] : [])));
  return { agents: [...agents], invalid: parsed.filter(({ ok }) => !ok).length };
}

function shownTo({ viewer }: FastifyRequest, state: ComplianceState | undefined): unknown {
  if (state?.settings.optedOut) return { status: 'opted_out' };
  const isOwner =
    viewer?.kind === 'member' && viewer.member === state?.owner?.member && hasScope(viewer, 'read');
  return isOwner ? state?.standing.storyboards.map((one) => report(one, undefined)) : [];
}

/** With the first step that failed, as far as the run's steps are still kept. */
async function reportsOf(
  { agent, state: { standing }, isOwner }: AgentCompliance,
  compliance: Pick<ComplianceStore, 'evidence'>,
): Promise<readonly object[]> {
  if (!isOwner) return [];
  const hasFailed = standing.storyboards.some((one) => outcomeOf(one) === 'fail');
  const run =
    hasFailed && standing.latest ? await compliance.evidence(agent, standing.latest.runId) : undefined;
  const failed = failedStepsOf(run);
  return standing.storyboards.map((one) =>
    report(
      one,
      failed.find((step) => step.storyboard_id === one.storyboard_id),
    ),
  );
}

/** The words of the field's clients. */
const STATUSES: Readonly<Record<StoryboardOutcome, string>> = {
  pass: 'passing',
  fail: 'failing',
  incomplete: 'partial',
  skipped: 'untested',
};

function report(one: StoryboardStatus, step: StepResult | undefined): object {
  const { result: _result, steps_skipped, duration_ms: _ms, proto_version, ...known } = one;
  return {
    ...known,
    adcp_version: proto_version,
    status: STATUSES[outcomeOf(one)],
    failure_count: one.steps_total - one.steps_passed,
    skipped_count: steps_skipped ?? 0,
    first_failed_step_id: step?.step_id ?? null,
    first_failed_step_title: step?.title ?? null,
    first_failed_step_task: step?.task ?? null,
    first_failure_message: step?.checks.find(({ result }) => result === 'fail')?.message ?? null,
  };
}
