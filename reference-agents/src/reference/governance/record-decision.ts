import {
  type CheckGovernanceRequest,
  type CheckGovernanceResponse,
  coveredPart,
  isObject,
} from '@agent-registry/surface/agent-kit';
import type { TaskCall } from '../handler.ts';
import { type AuditHead, appendAudit } from './audit-log.ts';
import {
  type CheckedQuestion,
  centsHeldBy,
  type IssuedApproval,
  type StoredCheck,
  saveCheck,
} from './check-store.ts';
import { type Decision, isApproval } from './decision.ts';
import { RENEWABLE_MS } from './earlier-check.ts';
import type { JudgedQuestion } from './judge.ts';
import { addressOf, type FoundPlan, savePlan } from './plan-store.ts';

/** How long an approval may be used. */
export const APPROVAL_MS = 15 * 60_000;
/** How long a human has, and the agent that asked after that. */
const ESCALATION_MS = 72 * 3_600_000;

const ACTIONS: Readonly<Record<Decision, string>> = {
  approved: 'approve',
  approved_with_conditions: 'approve_with_conditions',
  denied: 'deny',
  escalated: 'escalate',
};

export interface Decided {
  readonly plan: FoundPlan;
  readonly question: CheckedQuestion;
  readonly judged: JudgedQuestion;
  readonly request: CheckGovernanceRequest;
  readonly call: TaskCall;
  /** The check that this one goes on with. */
  readonly earlier?: StoredCheck;
  /** The check that holds money for the same question; what is approved now is not paid for again. */
  readonly holding?: StoredCheck;
}

/** Writes a decision into the log, keeps what comes of it, counts its cost, and answers. */
export function recordDecision(decided: Decided): CheckGovernanceResponse {
  const { judged, plan, call, earlier } = decided;
  const approved = isApproval(judged.decision);
  const checkId = approved && earlier !== undefined ? earlier.checkId : call.newId('chk');
  const dates = approved ? approvalDates(decided) : undefined;
  const audit = logDecision(decided, checkId, dates);
  const answer = {
    check_id: checkId,
    plan_id: plan.planId,
    decision: judged.decision,
    reason: judged.reason.slice(0, 10_000),
    ...(judged.conditions.length > 0 && { conditions: judged.conditions }),
    ...(judged.findings.length > 0 && { findings: judged.findings }),
  };
  if (dates !== undefined) {
    issue(decided, checkId, { ...dates, conditions: judged.conditions, audit });
    return { ...answer, expires_at: new Date(dates.expiresAt).toISOString() };
  }
  if (judged.decision === 'denied') return answer;
  const approvers = plan.plan.authority?.approvers ?? [];
  const payload = coveredPart(decided.request.payload);
  const expiresAt = call.now + ESCALATION_MS;
  saveCheck(call.agent.state, {
    ...checkFrom(decided, checkId),
    escalation: { payload, approvers, expiresAt },
  });
  return { ...answer, escalation: { approvers } };
}

type Dates = Pick<IssuedApproval, 'jti' | 'issuedAt' | 'expiresAt' | 'committedAt' | 'held'>;

/** An opinion commits nothing; what was committed before is not committed again, and is not renewed for ever. */
function approvalDates({ question, judged, call, holding }: Decided): Dates {
  const { now } = call;
  const jti = call.newId('apr');
  const { cost = 0 } = judged;
  if (question.audience === undefined || (cost === 0 && holding === undefined))
    return { jti, issuedAt: now, expiresAt: now + APPROVAL_MS };
  const committedAt = holding?.approval?.committedAt ?? now;
  const expiresAt = Math.min(now + APPROVAL_MS, committedAt + RENEWABLE_MS);
  // An approval that was given before may have been used up to its amount.
  return { jti, issuedAt: now, expiresAt, committedAt, held: Math.max(cost, centsHeldBy(holding)) };
}

function issue(decided: Decided, checkId: string, approval: IssuedApproval): void {
  const { plan, call, earlier, holding } = decided;
  const { state } = call.agent;
  const more = (approval.held ?? 0) - centsHeldBy(holding);
  if (approval.held !== undefined && more !== 0)
    savePlan(state, { ...plan, committed: plan.committed + more });
  // Before the new one is kept: the last that is kept is the one of its question.
  if (holding?.approval !== undefined && holding.checkId !== checkId)
    saveCheck(state, { ...holding, approval: { ...holding.approval, passedTo: checkId } });
  const escalation = earlier?.escalation;
  saveCheck(state, {
    ...checkFrom(decided, checkId),
    approval,
    ...(escalation !== undefined && { escalation }),
  });
}

function checkFrom({ plan, question, judged, request, call }: Decided, checkId: string): StoredCheck {
  const { payload, purpose } = request;
  return {
    ...question,
    checkId,
    planVersion: plan.version,
    askedBy: addressOf(call.caller.id),
    askedAt: call.now,
    reason: judged.reason,
    currency: plan.plan.budget.currency,
    hasKey: isObject(payload) && typeof payload.idempotency_key === 'string',
    ...(judged.cost !== undefined && { cost: judged.cost }),
    ...(purpose !== undefined && { purpose }),
  };
}

function logDecision(decided: Decided, checkId: string, dates: Dates | undefined): AuditHead {
  const { plan, question, judged, request, call, holding } = decided;
  const details = {
    asked_by: addressOf(call.caller.id),
    caller: question.caller,
    tool: question.tool,
    ...(question.audience !== undefined && { audience: question.audience }),
    payload_hash: question.payloadHash,
    plan_version: plan.version,
    ...(judged.cost !== undefined && {
      cost: { amount: judged.cost / 100, currency: plan.plan.budget.currency },
    }),
    ...(request.purpose !== undefined && { purpose: request.purpose }),
    policies: [...new Set(judged.findings.flatMap(({ policy_id: id }) => id ?? []))],
    ...(dates !== undefined && { jti: dates.jti, expires_at: new Date(dates.expiresAt).toISOString() }),
    ...(holding !== undefined && { renewed: true }),
  };
  const entry = {
    actor: call.agent.spec.url,
    action: ACTIONS[judged.decision],
    details,
    reason: judged.reason.slice(0, 10_000),
    conditions: judged.conditions,
    check_id: checkId,
  };
  return appendAudit(call.agent.state, plan, entry, call.now);
}
