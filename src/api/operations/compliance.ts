import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TierTable } from '../../compliance/badges/conditions.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import type { OwnerStore } from '../../records/owners/owner-store.ts';
import type { ComplianceState } from '../../records/runs/compliance-state.ts';
import type { ComplianceStore } from '../../records/runs/compliance-store.ts';
import type { RunSchedule } from '../../records/runs/run-schedule.ts';
import { createOwnerAccessLog } from '../access-log.ts';
import { entityTag, sendTagged } from '../answers.ts';
import { hasScope } from '../callers.ts';
import { readHistoryPage } from '../history-pages.ts';
import {
  type AgentRequest,
  agentOf,
  limitOf,
  queryText,
  readParameters,
  refuseParameters,
} from '../parameters.ts';
import { unknownAgent } from '../problem.ts';
import { complianceDetail } from '../render/compliance-detail.ts';
import { complianceLines } from '../render/compliance-lines.ts';
import { askedRun, complianceHistory, complianceRun } from '../render/compliance-runs.ts';
import { stepDiagnostics } from '../render/step-diagnostics.ts';
import { agentReading, CURSOR, describedBy, limitParameter, linkTo } from './description.ts';

export const COMPLIANCE_PATH = '/api/registry/agents/:encodedUrl/compliance';

/** An agent's compliance, and whether its proven owner reads it. A key without the scope `read` counts as the public. */
export interface AgentCompliance {
  readonly agent: string;
  readonly state: ComplianceState;
  readonly isOwner: boolean;
}

/** Reads the compliance of the request's agent; throws `unknown_agent` for one that the registry does not know. */
export async function readCompliance(
  compliance: Pick<ComplianceStore, 'state'>,
  { params, viewer }: AgentRequest,
): Promise<AgentCompliance> {
  const agent = agentOf(params.encodedUrl);
  const state = await compliance.state(agent);
  if (state === undefined) throw unknownAgent('encodedUrl');
  const isMember = viewer?.kind === 'member' && viewer.member === state.owner?.member;
  const isOwner = isMember && hasScope(viewer, 'read');
  return { agent, state, isOwner };
}

/** The same for everyone, so that the headers do not reveal who owns the agent. */
export function beginCompliance(reply: FastifyReply): void {
  reply.header('cache-control', 'private, no-cache').header('vary', 'Authorization');
}

const OWNERS_TAG = Buffer.from('\nowner');

/**
 * An owner's answer has a tag of its own, even if its content equals that of the public answer: a tag that was shared
 * must not give a stranger a 304.
 */
export function sendCompliance(
  request: FastifyRequest,
  reply: FastifyReply,
  { isOwner }: AgentCompliance,
  answer: object,
): FastifyReply {
  const body = Buffer.from(JSON.stringify(answer));
  const etag = entityTag(isOwner ? Buffer.concat([body, OWNERS_TAG]) : body);
  return sendTagged(request, reply, { body, etag });
}

// The answers have the same keys and headers for every viewer.
const DETAIL = agentReading('getAgentCompliance', 'Get the compliance of one agent', {
  answers: 'The compliance status of the agent.',
  schema: 'ComplianceDetail',
});
const HISTORY = agentReading('listComplianceRuns', 'List the compliance runs of one agent', {
  parameters: [limitParameter('runs'), CURSOR],
  answers: 'One page of the history, newest first.',
  schema: 'ComplianceHistory',
  links: linkTo('getComplianceRun', {
    encodedUrl: '$request.path.encodedUrl',
    id: '$response.body#/runs/0/run_id',
  }),
});
const LINES = agentReading('listComplianceLines', 'List the results of one agent by protocol line', {
  answers:
    'One entry for each bundle that the agent is tested with, newest line first. Bundles in preview are returned only to the proven owner of the agent.',
  schema: 'ComplianceLines',
});
const RUN = agentReading('getComplianceRun', 'Get one compliance run', {
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
  answers: 'The run. Steps, evidence and unfinished runs are returned only to the proven owner of the agent.',
  schema: 'ComplianceRun',
});

const DIAGNOSTICS = agentReading(
  'getAgentComplianceStepDiagnostics',
  'List the failed steps of a compliance run',
  {
    parameters: [
      {
        name: 'run_id',
        in: 'query',
        description: 'Id of the run. Default: the latest run that counts.',
        schema: { type: 'string', minLength: 1, maxLength: 100 },
      },
      limitParameter('steps'),
    ],
    answers: 'The failed steps, for the proven owner of the agent only; empty for other callers.',
    schema: 'StepDiagnostics',
  },
);

export interface ComplianceParts {
  readonly records: {
    readonly compliance: ComplianceStore;
    readonly runs: Pick<RunSchedule, 'requested'>;
    readonly owners: Pick<OwnerStore, 'noteAccess'>;
    readonly agents: Pick<Records['agents'], 'facts'>;
    readonly bundles: Pick<Records['bundles'], 'list'>;
  };
  readonly clock: Clock;
  /** Without a trailing slash; empty: links are relative. */
  readonly baseUrl: string;
  /** Which memberships grant badges; absent: the usual ones. */
  readonly tiers?: TierTable;
  /** REGISTRY_COMPLIANCE_TARGET; absent: the newest line. */
  readonly complianceTarget?: string;
}

type RunRequest = FastifyRequest<{ Params: { encodedUrl: string; id: string } }>;

/**
 * GET …/compliance (specification, 4.2), its history, and one run of it. Everybody is answered; the proven owner's key
 * sees more, under the same keys in the same order and the same headers.
 */
export function complianceOperations(
  server: FastifyInstance,
  { records, clock, ...view }: ComplianceParts,
): void {
  const { compliance, runs } = records;
  const accesses = createOwnerAccessLog(records.owners);
  server.addHook('onClose', () => accesses.settled());
  const noteAccess = (
    { viewer, log }: FastifyRequest,
    { agent, state, isOwner }: AgentCompliance,
    runId?: string,
  ) => {
    if (viewer?.kind !== 'member' || !isOwner || state.settings.optedOut) return;
    const { keyId, member } = viewer;
    const access = { agent, keyId, member, ...(runId !== undefined && { runId }) };
    accesses.note(access, clock.now(), log);
  };
  server.get(COMPLIANCE_PATH, describedBy(DETAIL), async (request: AgentRequest, reply) => {
    beginCompliance(reply);
    refuseParameters(queryText(request), 'the compliance operation');
    const found = await readCompliance(compliance, request);
    return sendCompliance(
      request,
      reply,
      found,
      complianceDetail(found.agent, found.state, { ...found, ...view }),
    );
  });
  server.get(`${COMPLIANCE_PATH}/lines`, describedBy(LINES), async (request: AgentRequest, reply) => {
    beginCompliance(reply);
    refuseParameters(queryText(request), 'the lines of an agent');
    const found = await readCompliance(compliance, request);
    return sendCompliance(request, reply, found, await complianceLines({ records, ...view }, found));
  });
  server.get(`${COMPLIANCE_PATH}/history`, describedBy(HISTORY), async (request: AgentRequest, reply) => {
    beginCompliance(reply);
    const page = readHistoryPage(queryText(request));
    const found = await readCompliance(compliance, request);
    const runs = found.state.settings.optedOut
      ? []
      : await compliance.lastRuns(found.agent, {
          ...page,
          limit: page.limit + 1,
          includeHidden: found.isOwner,
        });
    noteAccess(request, found);
    return sendCompliance(request, reply, found, complianceHistory(found, runs, page.limit));
  });
  server.get(`${COMPLIANCE_PATH}/runs/:id`, describedBy(RUN), async (request: RunRequest, reply) => {
    beginCompliance(reply);
    refuseParameters(queryText(request), 'a compliance run');
    const found = await readCompliance(compliance, request);
    const { id } = request.params;
    const asked =
      found.isOwner && !found.state.settings.optedOut ? await runs.requested(found.agent) : undefined;
    if (asked?.runId === id) return sendCompliance(request, reply, found, askedRun(asked));
    const run = found.state.settings.optedOut
      ? undefined
      : await (found.isOwner ? compliance.evidence(found.agent, id) : compliance.run(found.agent, id));
    const answer = complianceRun(found, run);
    noteAccess(request, found, id);
    return sendCompliance(request, reply, found, answer);
  });
  server.get(
    `${COMPLIANCE_PATH}/diagnostics`,
    describedBy(DIAGNOSTICS),
    async (request: AgentRequest, reply) => {
      beginCompliance(reply);
      const parameters = readParameters(queryText(request), ['run_id', 'limit'], 'the diagnostics');
      const limit = limitOf(parameters.get('limit'), 20, 100);
      const found = await readCompliance(compliance, request);
      const { agent, isOwner, state } = found;
      const id = parameters.get('run_id') ?? state.standing.latest?.runId;
      const isShown = isOwner && !state.settings.optedOut && id !== undefined;
      const run = isShown ? await compliance.evidence(agent, id) : undefined;
      if (run !== undefined) noteAccess(request, found, id);
      return sendCompliance(request, reply, found, stepDiagnostics(agent, run, limit));
    },
  );
}
