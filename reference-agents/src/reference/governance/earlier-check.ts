import type { AgentState } from '@agent-registry/surface/agent-kit';
import { refuse, type TaskCall } from '../handler.ts';
import {
  type CheckedQuestion,
  checkOf,
  holdingCheck,
  holdsMoney,
  isSameQuestion,
  type StoredCheck,
  sameCheck,
} from './check-store.ts';
import type { FoundPlan } from './plan-store.ts';

/**
 * How long the same question is answered with a fresh approval without being paid for again. In this time every
 * seller still knows the idempotency key of the payload, so that two approvals of it make one effect.
 */
export const RENEWABLE_MS = 3_600_000;

/** A renewed approval lives at least so long. */
const WORTH_WHILE_MS = 60_000;

/**
 * The check that this one goes on with: the one that `checkId` names, or the last one with the same question. With
 * `checkId` whatever stands in the way is refused; without it the question is a new one.
 */
export function earlierCheck(
  call: TaskCall,
  plan: FoundPlan,
  question: CheckedQuestion,
  checkId: string | undefined,
): StoredCheck | undefined {
  if (checkId !== undefined) return namedCheck(call, plan, question, checkId);
  const same = sameCheck(call.agent.state, question);
  return same !== undefined && hindrance(same, plan, call.now) === undefined ? same : undefined;
}

function namedCheck(
  call: TaskCall,
  plan: FoundPlan,
  question: CheckedQuestion,
  checkId: string,
): StoredCheck {
  const check = checkOf(call.agent.state, checkId);
  if (check === undefined || check.owner !== plan.owner || check.planId !== plan.planId)
    return refuse('REFERENCE_NOT_FOUND', 'unknown check of this plan', '/check_id', ANEW);
  if (!isSameQuestion(check, question))
    return refuse(
      'VALIDATION_ERROR',
      'the request differs from the original check',
      '/payload',
      'send the caller, tool, audience, payload and expected_cost of the check',
    );
  const why = hindrance(check, plan, call.now);
  return why === undefined ? check : refuse('INVALID_STATE', why, '/check_id', ANEW);
}

/**
 * The check whose money counts for this question too, whatever was decided since, the plan having changed: approvals
 * of it have one effect, so that they are paid for once.
 */
export function renewableHolding(
  state: AgentState,
  question: CheckedQuestion,
  now: number,
): StoredCheck | undefined {
  const holding = holdingCheck(state, question);
  return holding !== undefined && isRenewable(holding, now) ? holding : undefined;
}

function isRenewable({ approval, hasKey }: Pick<StoredCheck, 'approval' | 'hasKey'>, now: number): boolean {
  const since = approval?.committedAt;
  return since !== undefined && hasKey && holdsMoney(approval) && now + WORTH_WHILE_MS < since + RENEWABLE_MS;
}

const ANEW = 'repeat the request without check_id';

/** Why nothing more can come of a check. */
function hindrance(
  { planVersion, escalation, approval, hasKey }: StoredCheck,
  plan: FoundPlan,
  now: number,
): string | undefined {
  const changed = planVersion !== plan.version;
  if (approval !== undefined) {
    const renewable = !(changed && escalation) && isRenewable({ approval, hasKey }, now);
    return renewable ? undefined : 'the check has already been approved and cannot be approved again';
  }
  if (escalation === undefined || now >= escalation.expiresAt) return 'the check has expired';
  return changed ? 'the plan has changed since the check' : undefined;
}
