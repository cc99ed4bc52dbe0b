import type { CheckGovernanceRequest, Money, TaskName } from '@agent-registry/surface/agent-kit';
import { asItCame } from '../as-it-came.ts';
import { type Approval, refuse, type TaskCall, TaskRefused } from '../handler.ts';
import { spendApproval } from './spend-approval.ts';

/** A request that may carry an approval. */
interface Approvable {
  readonly plan_id?: string;
  readonly governance_approval?: string;
}

/**
 * The approval that a request brings, read and judged; undefined when it brings none. Refuses APPROVAL_INVALID. For
 * `prepare`: nothing is changed. `planId` is the plan that it has to be for, when that is known.
 */
export async function approvalIn(
  tool: 'create_media_buy' | 'update_media_buy' | 'activate_signal' | 'acquire_rights',
  request: Approvable,
  call: TaskCall,
  planId = request.plan_id,
): Promise<Approval | undefined> {
  if (request.governance_approval === undefined) return undefined;
  const read = await call.agent.approvals.read(request.governance_approval, {
    tool,
    payload: asItCame(request),
    caller: call.caller.id,
    now: call.now,
    ...(planId !== undefined && { planId }),
  });
  if ('code' in read) throw new TaskRefused(read);
  return read;
}

/**
 * An approval that travels with check_governance has to be one: of a governance agent that is trusted here, given to
 * this caller under this plan, and valid still. Refuses APPROVAL_INVALID for a broken one. It changes no decision.
 */
export async function shownApproval(
  { governance_approval: token, plan_id: planId, caller, tool, payload }: CheckGovernanceRequest,
  { agent, now }: TaskCall,
): Promise<void> {
  if (token === undefined) return;
  const read = await agent.approvals.read(token, {
    tool: tool as TaskName,
    payload,
    caller,
    planId,
    now,
    shown: true,
  });
  if ('code' in read) throw new TaskRefused(read);
}

/** Uses up the approval for what is spent more than before; refuses APPROVAL_REQUIRED when one is needed and none is there, APPROVAL_INVALID when it was used before. */
export function useApproval(
  call: TaskCall,
  approval: Approval | undefined,
  needed: boolean,
  cost?: Money,
): void {
  if (approval !== undefined) spendApproval(call, approval, cost);
  else if (needed) approvalMissing();
}

/** Refuses a task that spends under a plan without an approval. */
export function approvalMissing(): never {
  return refuse(
    'APPROVAL_REQUIRED',
    'spending under a governance plan requires an approval',
    '/governance_approval',
    'send the approval that check_governance returns for exactly this payload',
  );
}
