import {
  canonicalHash,
  type Plan,
  type Problem,
  problem,
  type SyncPlansResponse,
} from '@agent-registry/surface/agent-kit';
import { handler, type TaskCall } from '../handler.ts';
import { appendAudit } from './audit-log.ts';
import { planFaults } from './plan-faults.ts';
import { addressOf, type FoundPlan, planOf, savePlan } from './plan-store.ts';

type Synced = SyncPlansResponse['plans'][number];

/** Keeps plans under the agent that sends them; a plan that cannot be kept stops no other. */
export const syncPlans = handler('sync_plans', {
  description: 'Stores plans: budgets, policies and spending authority of campaigns',
  callers: 'known',
  run: ({ plans }, call) => {
    const seen = new Set<string>();
    return {
      plans: plans.map((plan, index) => {
        const place = `/plans/${index}`;
        const again = seen.size === seen.add(plan.plan_id).size;
        return again ? failed(plan, [doubled(place)]) : syncPlan(plan, place, call);
      }),
    };
  },
});

function syncPlan(plan: Plan, place: string, call: TaskCall): Synced {
  const key = { owner: addressOf(call.caller.id), planId: plan.plan_id };
  const before = planOf(call.agent.state, key);
  if (before !== undefined && hashOf(before.plan) === hashOf(plan))
    return { plan_id: plan.plan_id, action: 'unchanged', version: before.version };
  const faults = [...planFaults(plan, place, call.now), ...changeFaults(plan, before, place)];
  if (faults.length > 0) return failed(plan, faults);
  const version = (before?.version ?? 0) + 1;
  savePlan(call.agent.state, { ...key, plan, version, committed: before?.committed ?? 0 });
  logSubmission(plan, key, version, call);
  return { plan_id: plan.plan_id, action: before === undefined ? 'created' : 'updated', version };
}

/** What was committed in one currency cannot be counted in another. */
function changeFaults(plan: Plan, before: FoundPlan | undefined, place: string): readonly Problem[] {
  if (before === undefined || before.committed === 0) return [];
  if (before.plan.budget.currency === plan.budget.currency) return [];
  const pointer = `${place}/budget/currency`;
  const suggestion = 'send a plan with a new plan_id';
  return [
    problem('INVALID_STATE', 'money is already committed in the other currency', { pointer, suggestion }),
  ];
}

function logSubmission(
  plan: Plan,
  key: { readonly owner: string; readonly planId: string },
  version: number,
  { agent, now }: TaskCall,
): void {
  const details = {
    version,
    plan_hash: hashOf(plan),
    budget: plan.budget,
    ...(plan.flight !== undefined && { flight: plan.flight }),
    ...(plan.authority?.max_amount !== undefined && { max_amount: plan.authority.max_amount }),
    policies: (plan.policies ?? []).map(({ policy_id: id }) => id),
  };
  const reason = version === 1 ? 'first version' : `version ${version}`;
  appendAudit(
    agent.state,
    key,
    { actor: key.owner, action: 'submit_plan', details, reason, conditions: [] },
    now,
  );
}

function failed(plan: Plan, errors: readonly Problem[]): Synced {
  return { plan_id: plan.plan_id, action: 'failed', errors };
}

function doubled(place: string): Problem {
  return problem('VALIDATION_ERROR', 'duplicate plan in this request', { pointer: `${place}/plan_id` });
}

function hashOf(plan: Plan): string {
  return canonicalHash(plan, 'base64url');
}
