import type { GetProtoCapabilitiesResponse } from 'agent-registry/agent-kit';
import { SPENDING_TASKS } from './payload-money.ts';
import { APPROVAL_MS } from './record-decision.ts';

/** What a governance agent says of itself. It answers for any task, and holds those that spend against the plan. */
export function capabilitiesOfGovernance(): NonNullable<GetProtoCapabilitiesResponse['governance']> {
  return { supported: true, checked_tasks: SPENDING_TASKS, approval_ttl_seconds: APPROVAL_MS / 1_000 };
}
