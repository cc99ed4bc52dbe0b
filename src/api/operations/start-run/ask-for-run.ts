import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { parseObject } from '../../../base/json.ts';
import type { Actor } from '../../../domain/actor.ts';
import { agentKey } from '../../../domain/agent-url.ts';
import type { RunTrigger } from '../../../domain/judged-run.ts';
import { runNowWait } from '../../../domain/standing.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import type { OwnerStore } from '../../../records/owners/owner-store.ts';
import type { RequestedRun } from '../../../records/runs/run-leases.ts';
import type { RunRequest, RunRequestOutcome, RunWait } from '../../../records/runs/run-schedule.ts';
import { refuseOthers } from '../../body.ts';
import { invalidKey } from '../../callers.ts';
import { keyActor, notOwner } from '../../owner-only.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import { complianceTarget } from '../settings.ts';
import { isSigned, type VerifyAgent } from './signed-agent.ts';

/** When to poll a requested run again, seconds. */
export const POLL_S = 10;

interface AskParts {
  readonly records: Pick<Records, 'runs'>;
  readonly clock: Clock;
}

/** Requests a run now; `isNew` if none was open. Throws HttpProblems. */
export async function askForRun(
  agent: string,
  asker: RunAsker & Pick<RunRequest, 'storyboard' | 'target'>,
  { records, clock }: AskParts,
): Promise<Extract<RunRequestOutcome, { ok: true }>> {
  const now = clock.now();
  const wanted = { agent, runId: randomUUID(), ...asker };
  const waitOf: RunWait = ({ standing, owner }) => runNowWait(standing, now, owner?.provenAt);
  const outcome = await records.runs.request(wanted, waitOf, now);
  if (outcome.ok) return outcome;
  throw refusal(outcome);
}

function refusal(outcome: Extract<RunRequestOutcome, { ok: false }>): HttpProblem {
  switch (outcome.reason) {
    case 'cooldown':
      return cooldown(Math.ceil(outcome.waitMs / 1_000));
    case 'other_open':
      return otherOpen(outcome.asked);
    case 'opted_out':
      return new HttpProblem('opted_out', 'the agent is opted out of tests; opt in first, in its settings');
    case 'key_revoked':
      return invalidKey();
    default:
      return notOwner();
  }
}

function cooldown(seconds: number): HttpProblem {
  return new HttpProblem(
    'run_cooldown',
    `one test per 10 minutes: try again in ${seconds} s`,
    {},
    { 'retry-after': String(seconds) },
  );
}

function otherOpen({ storyboard, target, runId }: RequestedRun): HttpProblem {
  const boards = storyboard === undefined ? 'all storyboards' : `the storyboard ${storyboard}`;
  const what = target === undefined ? boards : `${boards} with the target ${target}`;
  return new HttpProblem(
    'run_cooldown',
    `a test of ${what} is queued or running: ${runId}; try again when it is finished`,
    {},
    { 'retry-after': String(POLL_S) },
  );
}

/** Who requests a run, and how. */
interface RunAsker {
  readonly actor: Actor;
  readonly trigger: RunTrigger;
  /** From the body. */
  readonly target?: string;
}

/**
 * Who requests a run of the agent: its verified owner by an API key, or the agent itself by a signature. Throws HttpProblems;
 * everyone else gets the same 404.
 */
export async function runAsker(
  request: FastifyRequest,
  agent: string,
  owners: Pick<OwnerStore, 'owner'>,
  verify: VerifyAgent | undefined,
  fields: readonly RunField[],
): Promise<RunAsker> {
  const { viewer } = request;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (isSigned(request)) {
    if (viewer?.kind === 'member')
      throw new HttpProblem('bad_request', 'send either an API key or a signature, not both');
    if (verify === undefined) throw notOwner();
    const keyId = await verify(request, agent, body);
    const wanted = readRunRequest(body, agent, { required: true, fields });
    return { actor: { kind: 'signature', keyId }, trigger: 'webhook', ...wanted };
  }
  const owner = await owners.owner(agent); // read for the public too, so that the time of an answer says nothing
  if (owner === undefined || viewer?.kind !== 'member' || viewer.member !== owner.member) throw notOwner();
  const wanted = readRunRequest(body, agent, { required: false, fields });
  return { actor: keyActor(viewer), trigger: 'owner_test', ...wanted };
}

/** A field of the body of a request for a run. */
export type RunField = 'agent_url' | 'compliance_target';

/**
 * Reads the body of a request for a run: `agent_url`, which must be the agent in the path, and `compliance_target`. With an
 * API key both are optional; a signed request must name the agent. Throws HttpProblems.
 */
function readRunRequest(
  body: Buffer,
  agent: string,
  { required, fields }: { readonly required: boolean; readonly fields: readonly RunField[] },
): Pick<RunRequest, 'target'> {
  if (body.length === 0 && !required) return {};
  const value = parseObject(body.toString('utf8'));
  if (value === undefined) throw unreadable();
  refuseOthers(value, fields);
  if ((required || value.agent_url !== undefined) && !namesAgent(value.agent_url, agent))
    throw invalidValue('agent_url', 'agent_url must be the agent in the path');
  const { compliance_target: target } = value;
  return target === undefined ? {} : { target: complianceTarget('compliance_target', target) };
}

/** True when a text names this agent, in any spelling of its address. */
function namesAgent(text: unknown, agent: string): boolean {
  if (typeof text !== 'string') return false;
  try {
    return agentKey(text) === agent;
  } catch {
    return false;
  }
}

function unreadable(): HttpProblem {
  return new HttpProblem('bad_request', 'a JSON object such as {"agent_url": "https://…"} is expected');
}
