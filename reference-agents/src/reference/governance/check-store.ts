import {
  type AgentState,
  canonicalHash,
  type JsonObject,
  type Money,
} from '@agent-registry/surface/agent-kit';
import type { AuditHead, PlanKey } from './audit-log.ts';

/** What makes two checks one: asked again, it is not paid for twice. */
export interface CheckedQuestion extends PlanKey {
  readonly caller: string;
  readonly tool: string;
  readonly audience?: string;
  readonly payloadHash: string;
  readonly expectedCost?: Money;
}

/** A check that was escalated or approved. A denial is only in the log. */
export interface StoredCheck extends CheckedQuestion {
  readonly checkId: string;
  readonly planVersion: number;
  readonly askedBy: string;
  /** Epoch milliseconds. */
  readonly askedAt: number;
  readonly reason: string;
  readonly currency: string;
  /** Hundredths; undefined when nobody has said it. */
  readonly cost?: number;
  readonly purpose?: string;
  /** Whether the same payload makes one effect only, however often it is sent. */
  readonly hasKey: boolean;
  readonly escalation?: Escalation;
  readonly approval?: IssuedApproval;
}

export interface Escalation {
  /** For whoever decides. */
  readonly payload: JsonObject;
  readonly approvers: readonly string[];
  /** Epoch milliseconds; until then it has to be answered and the approval fetched. */
  readonly expiresAt: number;
  readonly answer?: HumanAnswer;
}

export interface HumanAnswer {
  readonly approved: boolean;
  readonly by: string;
  readonly at: number;
  readonly reason?: string;
  readonly conditions: readonly string[];
  /** Hundredths: what it may cost, where nothing else said so. */
  readonly upTo?: number;
}

export interface IssuedApproval {
  readonly jti: string;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly conditions: readonly string[];
  readonly audit: AuditHead;
  /** Since when its cost counts against the plan; absent for opinions, which commit nothing. */
  readonly committedAt?: number;
  /** Hundredths that count against the plan since then. */
  readonly held?: number;
  /** A human has said that it was not used. */
  readonly released?: true;
  /** The check to which what it holds has passed. */
  readonly passedTo?: string;
}

const CHECKS = 'checks';
/** The last check of a question, by its hash. */
const SAME = 'same_checks';
/** The check that holds money for a question, by its hash. */
const HOLDING = 'holding_checks';
/** Checks that wait for a human. */
const OPEN = 'open_checks';

const KEPT_AFTER_MS = 7 * 86_400_000;
const FORGOTTEN_AT_ONCE = 100;

export function checkOf(state: AgentState, checkId: string): StoredCheck | undefined {
  return state.collection<StoredCheck>(CHECKS).get(checkId);
}

/** The last check with the same question. */
export function sameCheck(state: AgentState, question: CheckedQuestion): StoredCheck | undefined {
  const checkId = state.collection<string>(SAME).get(questionHash(question));
  return checkId === undefined ? undefined : checkOf(state, checkId);
}

/** The last check that committed money for the same question, whatever became of the money. */
export function holdingCheck(state: AgentState, question: CheckedQuestion): StoredCheck | undefined {
  const checkId = state.collection<string>(HOLDING).get(questionHash(question));
  return checkId === undefined ? undefined : checkOf(state, checkId);
}

/** Whether what an approval committed counts against the plan. */
export function holdsMoney(approval: IssuedApproval | undefined): boolean {
  if (approval?.committedAt === undefined) return false;
  return approval.released === undefined && approval.passedTo === undefined;
}

/** Hundredths of the plan that a check holds; 0 for none. */
export function centsHeldBy(check: StoredCheck | undefined): number {
  return holdsMoney(check?.approval) ? (check?.approval?.held ?? check?.cost ?? 0) : 0;
}

export function isSameQuestion(one: CheckedQuestion, other: CheckedQuestion): boolean {
  return questionHash(one) === questionHash(other);
}

/** Keeps a check; one that commits money for as long as there is a plan, others for a week after their time. */
export function saveCheck(state: AgentState, check: StoredCheck): void {
  const { approval, escalation, checkId } = check;
  const counts = holdsMoney(approval);
  const over = approval?.expiresAt ?? escalation?.expiresAt ?? check.askedAt;
  state.collection<StoredCheck>(CHECKS).put(checkId, check, counts ? undefined : over + KEPT_AFTER_MS);
  state.collection<string>(SAME).put(questionHash(check), checkId);
  if (counts) state.collection<string>(HOLDING).put(questionHash(check), checkId);
  const open = state.collection<true>(OPEN);
  if (escalation !== undefined && escalation.answer === undefined) open.put(checkId, true);
  else open.delete(checkId);
}

/** Checks that wait for a human, those too whose time is over. */
export function openChecks(state: AgentState): readonly StoredCheck[] {
  const keys = state.collection<true>(OPEN).list();
  return keys.flatMap(({ key }) => checkOf(state, key) ?? []);
}

export function forgetOldChecks(state: AgentState, now: number): void {
  for (const { key, document } of state.due<StoredCheck>(CHECKS, now, FORGOTTEN_AT_ONCE)) {
    state.collection(CHECKS).delete(key);
    state.collection(OPEN).delete(key);
    for (const name of [SAME, HOLDING]) {
      const index = state.collection<string>(name);
      if (index.get(questionHash(document)) === key) index.delete(questionHash(document));
    }
  }
}

function questionHash(question: CheckedQuestion): string {
  const { owner, planId, caller, tool, audience = null, payloadHash, expectedCost = null } = question;
  return canonicalHash([owner, planId, caller, tool, audience, payloadHash, expectedCost], 'base64url');
}
