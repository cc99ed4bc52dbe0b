import { reads, request, SHARED, type TaskTable } from './task.ts';

const { text } = SHARED;

/** Tasks of a governance agent (specification, 4.3). */
export const GOVERNANCE_TASKS: TaskTable = {
  check_governance: reads(
    'Decides whether a task may be done under a plan',
    request({ plan_id: text, caller: text, tool: text, payload: { type: 'object' } }, ['plan_id']),
    (input) => ({ plan_id: input.plan_id, decision: 'escalated', reason: 'a person has to look at this' }),
  ),
  get_plan_audit_logs: reads('Lists what was decided under a plan', request({ plan_id: text }), () => ({
    entries: [
      {
        timestamp: '2026-01-05T09:30:00.000Z',
        actor: 'planner',
        action: 'submit_plan',
        details: {},
        reason: 'first version',
        conditions: [],
      },
    ],
  })),
};
