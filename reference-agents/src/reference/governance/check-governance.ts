import {
  type CheckGovernanceRequest,
  type CheckGovernanceResponse,
  coveredPart,
  payloadHash,
} from '@agent-registry/surface/agent-kit';
import { handler, refuse, type TaskCall } from '../handler.ts';
import { shownApproval } from './approvals.ts';
import {
  type CheckedQuestion,
  centsHeldBy,
  checkOf,
  forgetOldChecks,
  type StoredCheck,
} from './check-store.ts';
import { isApproval } from './decision.ts';
import { earlierCheck, renewableHolding } from './earlier-check.ts';
import { type JudgedQuestion, judgePlan } from './judge.ts';
import { sellersIn } from './payload-places.ts';
import { addressOf, type FoundPlan, findPlan } from './plan-store.ts';
import { recordDecision } from './record-decision.ts';
import { sellerOfOperator } from './sellers.ts';

/** Bytes that come from the caller into a token, so that it stays within its length. */
const MAX_IN_TOKEN = 1_500;

/** Decides by the plan; what it approves is signed after the decision is on the disk. */
export const checkGovernance = handler('check_governance', {
  description:
    'Decides whether a task is allowed under a plan; an approval is a signed token for exactly this payload',
  callers: 'known',
  prepare: shownApproval,
  run: (request, call) => {
    forgetOldChecks(call.agent.state, call.now);
    const plan = findPlan(call, request.plan_id, request.plan_owner, '/plan_id');
    const question = questionOf(request, plan, call);
    const earlier = earlierCheck(call, plan, question, request.check_id);
    const waiting = earlier === undefined ? undefined : standingAnswer(earlier);
    if (waiting !== undefined) return waiting;
    const holding = renewableHolding(call.agent.state, question, call.now);
    const judged = judgeNow(plan, request, question, { earlier, holding }, call.now);
    return recordDecision({
      plan,
      question,
      judged,
      request,
      call,
      ...(earlier !== undefined && { earlier }),
      ...(holding !== undefined && { holding }),
    });
  },
  finish: async (response, { agent }) => {
    if (!isApproval(response.decision)) return response;
    const check = checkOf(agent.state, response.check_id ?? '');
    if (check?.approval === undefined) throw new Error('an approval was issued, but not stored');
    return {
      ...response,
      governance_approval: await agent.approvalSigner.sign(tokenOf(check, check.approval)),
    };
  },
});

function questionOf(
  request: CheckGovernanceRequest,
  { owner, planId }: FoundPlan,
  call: TaskCall,
): CheckedQuestion {
  const { tool, expected_cost: expectedCost } = request;
  const caller = addressOf(request.caller);
  const named = request.audience ?? sellerOf(request, call);
  const audience = named === undefined ? undefined : addressOf(named);
  if (Buffer.byteLength(JSON.stringify([caller, tool, audience, planId])) > MAX_IN_TOKEN)
    refuse(
      'VALIDATION_ERROR',
      'the URLs and names are too long for an approval',
      '',
      'use shorter URLs and names',
    );
  return {
    owner,
    planId,
    caller,
    tool,
    payloadHash: payloadHash(request.payload),
    ...(audience !== undefined && { audience }),
    ...(expectedCost !== undefined && {
      expectedCost: { amount: expectedCost.amount, currency: expectedCost.currency },
    }),
  };
}

/** The one that the payload names, or else the only one of its operator; undefined where it names several. */
function sellerOf({ tool, payload }: CheckGovernanceRequest, call: TaskCall): string | undefined {
  const [named, other] = sellersIn(payload);
  if (named === undefined) return sellerOfOperator(tool, payload, call);
  return other === undefined ? named : undefined;
}

function judgeNow(
  plan: FoundPlan,
  { payload }: CheckGovernanceRequest,
  question: CheckedQuestion,
  { earlier, holding }: Record<'earlier' | 'holding', StoredCheck | undefined>,
  now: number,
): JudgedQuestion {
  const answer = earlier?.escalation?.answer;
  const standing = {
    plan: plan.plan,
    owner: plan.owner,
    committed: plan.committed - centsHeldBy(holding),
    ...(answer !== undefined && { answered: answer.upTo === undefined ? {} : { upTo: answer.upTo } }),
  };
  const judged = judgePlan(standing, { ...question, payload: coveredPart(payload) }, now);
  if (!isApproval(judged.decision) || answer === undefined || answer.conditions.length === 0) return judged;
  const conditions = [...new Set([...judged.conditions, ...answer.conditions])].slice(0, 100);
  return { ...judged, decision: 'approved_with_conditions', conditions };
}

/** The answer to a check that a human has not answered yet, or has denied. */
function standingAnswer(check: StoredCheck): CheckGovernanceResponse | undefined {
  const { checkId, planId, escalation, reason, approval } = check;
  if (escalation === undefined || approval !== undefined) return undefined;
  const { answer, approvers } = escalation;
  const place = { check_id: checkId, plan_id: planId };
  if (answer === undefined) return { ...place, decision: 'escalated', reason, escalation: { approvers } };
  if (answer.approved) return undefined;
  return { ...place, decision: 'denied', reason: answer.reason ?? 'denied by a human' };
}

function tokenOf(check: StoredCheck, approval: NonNullable<StoredCheck['approval']>) {
  const { checkId, planId, tool, caller, audience, cost, currency } = check;
  return {
    checkId,
    planId,
    tool,
    caller,
    payloadHash: check.payloadHash,
    jti: approval.jti,
    conditions: approval.conditions,
    issuedAt: approval.issuedAt,
    expiresAt: approval.expiresAt,
    audit: approval.audit,
    ...(audience !== undefined && { audience }),
    ...(cost !== undefined && { budget: { amount: cost / 100, currency } }),
  };
}
