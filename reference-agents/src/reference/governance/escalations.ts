import { type AgentState, CLOCK_SKEW, RegistryError } from '@agent-registry/surface/agent-kit';
import { appendAudit, type NewEntry } from './audit-log.ts';
import {
  centsHeldBy,
  checkOf,
  type HumanAnswer,
  openChecks,
  type StoredCheck,
  saveCheck,
} from './check-store.ts';
import { centsOfAmount } from './payload-money.ts';
import { type FoundPlan, planOf, savePlan } from './plan-store.ts';

/*
 * What a human does with checks, beside the running agent: answering those that were escalated, and giving back what
 * an approval committed and nobody used. Each in one transaction with its entry in the log.
 */

/** What a human's conditions may be, as they have to fit in an approval beside those of the plan. */
const MAX_CONDITIONS = { count: 10, bytes: 500 } as const;
/** Characters of a reason or a name in the log. */
const MAX_TEXT = 2_000;

export interface NewAnswer {
  readonly approved: boolean;
  /** Who decides; one of the plan's approvers where it names them. */
  readonly by: string;
  readonly reason?: string;
  readonly conditions: readonly string[];
  /** In the plan's currency: what it may cost, needed where nothing else says so. */
  readonly upTo?: number;
}

/** The checks that wait for a human at `now` (epoch milliseconds), the oldest first. */
export function waitingChecks(state: AgentState, now: number): readonly StoredCheck[] {
  return openChecks(state)
    .filter(({ escalation }) => escalation !== undefined && now < escalation.expiresAt)
    .toSorted((one, other) => one.askedAt - other.askedAt);
}

/**
 * Keeps the answer of a human. The agent that asked gets it when it asks again.
 *
 * @throws RegistryError `not_found`, or `input_invalid` with what stands in the way
 */
export function answerCheck(state: AgentState, checkId: string, answer: NewAnswer, now: number): StoredCheck {
  return state.transaction(() => {
    const { check, plan } = foundCheck(state, checkId);
    const escalation = openEscalation(check, plan, now);
    const kept: HumanAnswer = { ...checkedAnswer(check, answer), at: now };
    const answered = { ...check, escalation: { ...escalation, answer: kept } };
    saveCheck(state, answered);
    const details = {
      caller: check.caller,
      tool: check.tool,
      payload_hash: check.payloadHash,
      escalated_for: check.reason.slice(0, MAX_TEXT),
      ...(answer.upTo !== undefined && { up_to: { amount: answer.upTo, currency: check.currency } }),
    };
    const action = answer.approved ? 'human_approve' : 'human_deny';
    appendAudit(state, plan, { ...entryOf(check, answer), action, details }, now);
    return answered;
  });
}

/**
 * Gives back what an approval committed, when a human knows that it was not used; not while it may still be.
 *
 * @throws RegistryError `not_found`, or `input_invalid` with what stands in the way
 */
export function releaseCheck(
  state: AgentState,
  checkId: string,
  answer: Pick<NewAnswer, 'by' | 'reason'>,
  now: number,
): StoredCheck {
  return state.transaction(() => {
    const { check, plan } = foundCheck(state, checkId);
    const { approval } = check;
    checkApprover(plan.plan.authority?.approvers ?? [], answer);
    if (approval?.committedAt === undefined)
      throw invalid('the check has committed no money', 'use another check');
    if (approval.passedTo !== undefined)
      throw invalid('a newer approval of the same request holds the money', `release ${approval.passedTo}`);
    if (approval.released) throw invalid('already released', 'nothing to do');
    if (now < approval.expiresAt + CLOCK_SKEW * 1_000)
      throw invalid(
        'the approval is still valid',
        `wait until ${new Date(approval.expiresAt).toISOString()}`,
      );
    const held = centsHeldBy(check);
    const released: StoredCheck = { ...check, approval: { ...approval, released: true } };
    savePlan(state, { ...plan, committed: plan.committed - held });
    saveCheck(state, released);
    const details = { jti: approval.jti, amount: held / 100, currency: check.currency };
    const entry = entryOf(check, { ...answer, conditions: [] });
    appendAudit(state, plan, { ...entry, action: 'release', details }, now);
    return released;
  });
}

function foundCheck(
  state: AgentState,
  checkId: string,
): { readonly check: StoredCheck; readonly plan: FoundPlan } {
  const check = checkOf(state, checkId);
  const plan = check === undefined ? undefined : planOf(state, check);
  if (check !== undefined && plan !== undefined) return { check, plan };
  throw new RegistryError('not_found', 'unknown check', {
    hint: 'list the checks with `agent-registry approvals list`',
  });
}

function openEscalation(
  { escalation, planVersion }: StoredCheck,
  plan: FoundPlan,
  now: number,
): NonNullable<StoredCheck['escalation']> {
  if (escalation === undefined) throw invalid('the check was not escalated', 'no decision is required');
  const { answer, expiresAt } = escalation;
  if (answer !== undefined)
    throw invalid(
      `already ${answer.approved ? 'approved' : 'denied'} by ${answer.by}`,
      'the first decision counts',
    );
  if (now >= expiresAt) throw invalid('the check has expired', 'the agent must repeat the check');
  if (planVersion !== plan.version)
    throw invalid('the plan has changed since the check', 'the agent must repeat the check');
  return escalation;
}

function checkedAnswer(check: StoredCheck, answer: NewAnswer): Omit<HumanAnswer, 'at'> {
  checkApprover(check.escalation?.approvers ?? [], answer);
  const { upTo, ...rest } = answer;
  const hundredths = upTo === undefined ? undefined : centsOfAmount(upTo);
  if (upTo !== undefined && hundredths === undefined)
    throw invalid('invalid amount', 'write it with at most two decimals');
  if (upTo !== undefined && check.cost !== undefined)
    throw invalid('the cost is already known', 'omit --up-to');
  if (answer.approved && check.cost === undefined && upTo === undefined)
    throw invalid('the cost is unknown', 'set the maximum cost with --up-to AMOUNT');
  checkConditions(answer.conditions);
  return { ...rest, ...(hundredths !== undefined && { upTo: hundredths }) };
}

function checkConditions(conditions: readonly string[]): void {
  if (conditions.includes('')) throw invalid('empty condition', 'leave it out');
  const bytes = Buffer.byteLength(JSON.stringify(conditions));
  if (conditions.length > MAX_CONDITIONS.count || bytes > MAX_CONDITIONS.bytes)
    throw invalid(
      `there are more than ${MAX_CONDITIONS.count} conditions, or ${MAX_CONDITIONS.bytes} bytes of them`,
      'shorten them',
    );
}

function checkApprover(
  approvers: readonly string[],
  { by, reason = '' }: Pick<NewAnswer, 'by' | 'reason'>,
): void {
  if (by === '' || Math.max(by.length, reason.length) > MAX_TEXT)
    throw invalid('the name or the reason is too long for the log', `write up to ${MAX_TEXT} characters`);
  if (approvers.length > 0 && !approvers.includes(by))
    throw invalid('the plan names other approvers', `use --as with one of ${approvers.join(', ')}`);
}

/** Nobody is said to have given a reason who gave none. */
function entryOf(
  { checkId }: StoredCheck,
  answer: Pick<NewAnswer, 'by' | 'reason' | 'conditions'>,
): Pick<NewEntry, 'actor' | 'reason' | 'conditions' | 'check_id'> {
  return {
    actor: answer.by,
    ...(answer.reason !== undefined && { reason: answer.reason }),
    conditions: answer.conditions,
    check_id: checkId,
  };
}

function invalid(reason: string, hint: string): RegistryError {
  return new RegistryError('input_invalid', reason, { hint });
}
