import { CLOCK_SKEW, type Money } from '@agent-registry/surface/agent-kit';
import { hundredths } from '../amounts.ts';
import { type Approval, refuse, type TaskCall } from '../handler.ts';

interface UsedApproval {
  readonly usedAt: number;
}

const COLLECTION = 'used_approvals';
const POINTER = '/governance_approval';
/** Approvals whose time is over that are forgotten with each new one. */
const FORGOTTEN_AT_ONCE = 100;

/**
 * Uses an approval, once: in the transaction of what it allows, so that both are kept or neither. Refuses one that
 * was used before, and one that does not allow so much (`APPROVAL_INVALID`).
 *
 * @param cost what is spent; for an update, by how much it raises what was bought
 */
export function spendApproval(call: TaskCall, approval: Approval, cost?: Money): void {
  if (cost !== undefined && !covers(approval, cost))
    refuse('APPROVAL_INVALID', 'the governance approval does not cover the cost', POINTER, again);
  const used = call.agent.state.collection<UsedApproval>(COLLECTION);
  const place = `${approval.issuer} ${approval.jti}`;
  if (used.get(place) !== undefined)
    refuse(
      'APPROVAL_INVALID',
      'the governance approval has already been used (approval_replayed)',
      POINTER,
      again,
    );
  forgetOld(call);
  // As long as the check of its window lets it through.
  used.put(place, { usedAt: call.now }, approval.expiresAt + CLOCK_SKEW * 1_000);
}

const again = 'request a new approval with check_governance';

/** What costs something needs an approval that says how much it may. */
function covers({ budget }: Approval, { amount, currency }: Money): boolean {
  if (hundredths(amount) <= 0) return true;
  if (budget === undefined) return false;
  return budget.currency === currency && hundredths(amount) <= hundredths(budget.amount);
}

function forgetOld({ agent, now }: TaskCall): void {
  for (const { owner, key } of agent.state.due<UsedApproval>(COLLECTION, now, FORGOTTEN_AT_ONCE))
    agent.state.collection(COLLECTION, owner).delete(key);
}
