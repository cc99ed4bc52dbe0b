import type { Handlers } from '../handler.ts';
import { checkGovernance } from './check-governance.ts';
import { getPlanAuditLogs } from './get-plan-audit-logs.ts';
import { syncPlans } from './sync-plans.ts';

/** The tasks of a governance agent. */
export const governanceHandlers: Handlers = {
  sync_plans: syncPlans,
  check_governance: checkGovernance,
  get_plan_audit_logs: getPlanAuditLogs,
};
