import { type AgentState, type Plan, parseAgentUrl } from '@agent-registry/surface/agent-kit';
import { refuse, type TaskCall } from '../handler.ts';
import type { PlanKey } from './audit-log.ts';

/** A plan as it is kept, under the agent that synced it. */
export interface StoredPlan {
  readonly plan: Plan;
  /** Grows with each change. */
  readonly version: number;
  /** Hundredths that approvals have committed. */
  readonly committed: number;
}

/** A plan with whose it is. */
export interface FoundPlan extends StoredPlan, PlanKey {}

/** Under an agent that may act under plans of others: whose they are. */
interface Grant {
  readonly owners: readonly string[];
}

const PLANS = 'plans';
const GRANTS = 'plan_grants';

/** The one form of an agent's address; what is no address stays as it is. */
export function addressOf(id: string): string {
  const parsed = parseAgentUrl(id);
  return parsed.ok ? parsed.url : id;
}

export function planOf(state: AgentState, { owner, planId }: PlanKey): FoundPlan | undefined {
  const stored = state.collection<StoredPlan>(PLANS, owner).get(planId);
  return stored === undefined ? undefined : { ...stored, owner, planId };
}

/** Keeps a plan, and tells the agents that may act under it where it is. */
export function savePlan(state: AgentState, { owner, planId, plan, version, committed }: FoundPlan): void {
  const before = planOf(state, { owner, planId });
  state.collection<StoredPlan>(PLANS, owner).put(planId, { plan, version, committed });
  const callers = callersOf(plan);
  const gone =
    before === undefined ? [] : callersOf(before.plan).filter((caller) => !callers.includes(caller));
  for (const caller of gone)
    changeGrant(state, caller, planId, (owners) => owners.filter((one) => one !== owner));
  for (const caller of callers)
    changeGrant(state, caller, planId, (owners) => (owners.includes(owner) ? owners : [...owners, owner]));
}

/**
 * The plan that the caller of a task means: one of its own, or one whose authority names it. Refuses with
 * `PLAN_NOT_FOUND`, and with `CONFLICT` where several owners are possible and none is named. Plans of others that do
 * not name the caller are as unknown to it as those that are not there.
 */
export function findPlan(
  { agent, caller }: TaskCall,
  planId: string,
  namedOwner: string | undefined,
  pointer: string,
): FoundPlan {
  const self = addressOf(caller.id);
  const owners = [self, ...(agent.state.collection<Grant>(GRANTS, self).get(planId)?.owners ?? [])];
  const wanted = namedOwner === undefined ? undefined : addressOf(namedOwner);
  const found = owners
    .filter((owner) => wanted === undefined || owner === wanted)
    .flatMap((owner) => planOf(agent.state, { owner, planId }) ?? []);
  const [first, second] = found;
  if (first === undefined)
    return refuse(
      'PLAN_NOT_FOUND',
      'unknown plan, or you are not allowed to act under it',
      pointer,
      'create it with sync_plans',
    );
  if (first.owner === self || second === undefined) return first;
  return refuse('CONFLICT', 'several buyers have a plan with this id', pointer, 'set plan_owner');
}

function callersOf({ authority }: Plan): readonly string[] {
  return [...new Set((authority?.callers ?? []).map(addressOf))];
}

function changeGrant(
  state: AgentState,
  caller: string,
  planId: string,
  change: (owners: readonly string[]) => readonly string[],
): void {
  const grants = state.collection<Grant>(GRANTS, caller);
  const owners = change(grants.get(planId)?.owners ?? []);
  if (owners.length === 0) grants.delete(planId);
  else grants.put(planId, { owners });
}
