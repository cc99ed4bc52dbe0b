import { isObject, type JsonObject } from '@agent-registry/surface/agent-kit';
import { type FoundPlan, findPlan } from '../reference/governance/plan-store.ts';
import { publicError } from './errors.ts';
import { objects, type Talk, type TaskDialect } from './wire.ts';

/** How an action of the log stands as a check. */
const CHECKED: Readonly<Record<string, string>> = {
  approve: 'approved',
  approve_with_conditions: 'conditions',
  deny: 'denied',
  escalate: 'denied',
};

export const governanceDialect: Readonly<Record<string, TaskDialect>> = {
  check_governance: { request: checkRequest, answer: checkAnswer },
  sync_plans: { request: plansRequest, answer: plansAnswer },
  get_plan_audit_logs: { answer: auditAnswer },
};

const TOOLS: Readonly<Record<string, string>> = {
  media_buy: 'create_media_buy',
  rights_license: 'acquire_rights',
  signal_activation: 'activate_signal',
  creative_services: 'build_creative',
};

/** A check may name the kind of purchase in place of the task. */
function checkRequest(request: JsonObject): JsonObject {
  const tool = TOOLS[String(request.purchase_type)];
  return tool === undefined ? request : { tool, payload: {}, ...request };
}

/** The items of these lists have no other members there than their own. */
function checkAnswer(answer: JsonObject): JsonObject {
  const { status, explanation, findings, conditions } = answer;
  const found = objects(findings).map(({ policy_id: policy, severity, explanation: why, pointer }) => ({
    category_id: 'plan',
    ...(policy !== undefined && { policy_id: policy }),
    severity: severity ?? 'info',
    explanation: why,
    ...(pointer !== undefined && { details: { pointer } }),
  }));
  const needed = status === 'denied' ? [{ category_id: 'plan', severity: 'critical', explanation }] : [];
  const shown = found.length > 0 ? found : needed;
  return {
    check_id: answer.plan_id,
    ...answer,
    ...(shown.length > 0 && { findings: shown }),
    ...(Array.isArray(conditions) && {
      conditions: conditions.map((sentence: unknown) => ({ field: 'payload', reason: sentence })),
    }),
  };
}

/** Plans without authority of their own leave it to the budget. */
function plansRequest(request: JsonObject): JsonObject {
  return {
    ...request,
    plans: objects(request.plans).map(({ channels, ...plan }) => ({
      ...plan,
      ...(Array.isArray(channels) && { channels }),
      ...(isObject(channels) && Array.isArray(channels.allowed) && { channels: channels.allowed }),
    })),
  };
}

/** A plan has no place for errors there, the answer has. */
function plansAnswer(answer: JsonObject): JsonObject {
  const plans = objects(answer.plans);
  const errors = plans.flatMap(({ errors: own }) => objects(own)).map(publicError);
  return {
    ...answer,
    ...(errors.length > 0 && { errors }),
    plans: plans.map(({ plan_id: id, status, version }) => ({
      plan_id: id,
      status,
      version: version ?? 0,
    })),
  };
}

function auditAnswer(answer: JsonObject, request: JsonObject, talk: Talk): JsonObject {
  const entries = objects(answer.entries);
  return {
    ...answer,
    plans: objects(answer.plans).map(({ plan_id: id }) => {
      const own = entries.filter(({ plan_id: plan }) => plan === id);
      const owner = typeof request.plan_owner === 'string' ? request.plan_owner : undefined;
      return auditOf(findPlan({ ...talk, newId: () => '' }, String(id), owner, '/plan_ids'), own);
    }),
  };
}

function auditOf(
  { planId, version, plan, committed }: FoundPlan,
  entries: readonly JsonObject[],
): JsonObject {
  const authorized = plan.budget.total;
  const checks = entries.filter(({ action }) => CHECKED[String(action)] !== undefined);
  return {
    plan_id: planId,
    plan_version: version,
    status: 'active',
    budget: {
      authorized,
      committed: committed / 100,
      remaining: (authorized * 100 - committed) / 100,
      utilization_pct: authorized === 0 ? 0 : committed / authorized,
    },
    summary: { checks_performed: checks.length, outcomes_reported: 0, findings_count: 0 },
    entries: checks.map((entry) => auditEntry(planId, entry)),
    governed_actions: [],
  };
}

function auditEntry(
  planId: string,
  { sequence, check_id: check, timestamp, actor, action, reason }: JsonObject,
): JsonObject {
  return {
    id: check ?? `${planId}-${sequence}`,
    type: 'check',
    timestamp,
    plan_id: planId,
    caller: actor,
    status: CHECKED[String(action)],
    ...(reason !== undefined && { explanation: reason }),
  };
}
