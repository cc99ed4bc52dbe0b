import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TierTable } from '../../compliance/badges/conditions.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ComplianceState, ComplianceStore } from '../../ports/compliance.ts';
import type { OwnerStore } from '../../ports/owners.ts';
import type { RunSchedule } from '../../ports/run-schedule.ts';
import { createOwnerAccessLog } from '../access-log.ts';
import { entityTag, sendTagged } from '../answers.ts';
import { readHistoryPage } from '../history-pages.ts';
import { agentOf, queryText, refuseParameters } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { complianceDetail } from '../render/compliance-detail.ts';
import { askedRun, complianceHistory, complianceRun } from '../render/compliance-runs.ts';

import { agentReading, CURSOR, describedBy, limitParameter } from './description.ts';

export const COMPLIANCE_PATH = '/api/registry/agents/:encodedUrl/compliance';

// The answers have the same keys and headers for every viewer.
const DETAIL = agentReading('getAgentCompliance', 'Get the compliance of one agent', {
  answers: 'The compliance detail.',
  schema: 'ComplianceDetail',
});
const HISTORY = agentReading('listComplianceRuns', 'List the compliance runs of one agent', {
  parameters: [limitParameter('runs'), CURSOR],
  answers: 'A page of the history, newest first.',
  schema: 'ComplianceHistory',
});
const RUN = agentReading('getComplianceRun', 'Get one compliance run', {
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
  answers:
    "The run; its steps and evidence for the key of the agent's proven owner only, as one that is not over.",
  schema: 'ComplianceRun',
});

export interface ComplianceParts {
  readonly records: {
    readonly compliance: ComplianceStore;
    readonly runs: Pick<RunSchedule, 'asked'>;
    readonly owners: Pick<OwnerStore, 'noteAccess'>;
  };
  readonly clock: Clock;
  /** Without a trailing slash; empty: links are relative. */
  readonly baseUrl: string;
  /** Which memberships grant badges; absent: the usual ones. */
  readonly tiers?: TierTable;
}

type Asked = FastifyRequest<{ Params: { encodedUrl: string } }>;
type AskedForRun = FastifyRequest<{ Params: { encodedUrl: string; id: string } }>;

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
  const noted = ({ viewer, log }: FastifyRequest, { agent, state, isOwner }: Seen, runId?: string) => {
    if (viewer?.kind !== 'member' || !isOwner || state.settings.optedOut) return;
    const { keyId, member } = viewer;
    const access = { agent, keyId, member, ...(runId !== undefined && { runId }) };
    accesses.note(access, clock.now(), log);
  };
  server.get(COMPLIANCE_PATH, describedBy(DETAIL), async (request: Asked, reply) => {
    beginAnswer(reply);
    refuseParameters(queryText(request), 'the compliance operation');
    const seen = await lookAt(compliance, request);
    return send(request, reply, seen, complianceDetail(seen.agent, seen.state, { ...seen, ...view }));
  });
  server.get(`${COMPLIANCE_PATH}/history`, describedBy(HISTORY), async (request: Asked, reply) => {
    beginAnswer(reply);
    const page = readHistoryPage(queryText(request));
    const seen = await lookAt(compliance, request);
    const runs = seen.state.settings.optedOut
      ? []
      : await compliance.lastRuns(seen.agent, {
          ...page,
          limit: page.limit + 1,
          withAsides: seen.isOwner,
        });
    noted(request, seen);
    return send(request, reply, seen, complianceHistory(seen, runs, page.limit));
  });
  server.get(`${COMPLIANCE_PATH}/runs/:id`, describedBy(RUN), async (request: AskedForRun, reply) => {
    beginAnswer(reply);
    refuseParameters(queryText(request), 'a compliance run');
    const seen = await lookAt(compliance, request);
    const { id } = request.params;
    const asked = seen.isOwner && !seen.state.settings.optedOut ? await runs.asked(seen.agent) : undefined;
    if (asked?.runId === id) return send(request, reply, seen, askedRun(asked));
    const run = seen.state.settings.optedOut
      ? undefined
      : await (seen.isOwner ? compliance.evidence(seen.agent, id) : compliance.run(seen.agent, id));
    const answer = complianceRun(seen, run);
    noted(request, seen, id);
    return send(request, reply, seen, answer);
  });
}

/** An agent's compliance, and whether its proven owner looks at it. */
export interface Seen {
  readonly agent: string;
  readonly state: ComplianceState;
  readonly isOwner: boolean;
}

/** The agent of the request as far as it is known here; throws `unknown_agent` for one never heard of. */
export async function lookAt(
  compliance: Pick<ComplianceStore, 'state'>,
  { params, viewer }: FastifyRequest<{ Params: { encodedUrl: string } }>,
): Promise<Seen> {
  const agent = agentOf(params.encodedUrl);
  const state = await compliance.state(agent);
  if (state === undefined) {
    throw new HttpProblem('unknown_agent', 'the registry has never heard of this agent', {
      parameter: 'encodedUrl',
    });
  }
  const isOwner = viewer?.kind === 'member' && viewer.member === state.owner?.member;
  return { agent, state, isOwner };
}

/** The same for everyone, so that the headers do not tell who owns the agent. */
function beginAnswer(reply: FastifyReply): void {
  reply.header('cache-control', 'private, no-cache').header('vary', 'Authorization');
}

const OWNERS_TAG = Buffer.from('\nowner');

/**
 * An owner's answer has a tag of its own even where it says what everybody else's does, so that a tag that was given
 * away makes no 304 for a stranger.
 */
function send(request: FastifyRequest, reply: FastifyReply, { isOwner }: Seen, answer: object): FastifyReply {
  const body = Buffer.from(JSON.stringify(answer));
  const etag = entityTag(isOwner ? Buffer.concat([body, OWNERS_TAG]) : body);
  return sendTagged(request, reply, { body, etag });
}
