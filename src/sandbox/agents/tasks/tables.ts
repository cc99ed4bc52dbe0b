import type { AgentType } from '../../../domain/agent-type.ts';
import { BRAND_TASKS } from './brand.ts';
import { CREATIVE_TASKS } from './creative.ts';
import { GOVERNANCE_TASKS } from './governance.ts';
import { RIGHTS_TASKS } from './rights.ts';
import { SALES_TASKS } from './sales.ts';
import { SIGNALS_TASKS } from './signals.ts';
import { reads, request, SHARED, type TaskTable } from './task.ts';

/** What somebody built who never read the protocol. */
const STRANGE_TASKS: TaskTable = {
  tell_tide: reads('Tells when the tide turns', request({ harbour: SHARED.text }), () => ({
    high_water: '04:12',
  })),
};

/**
 * One table of tasks for each type of agent: a task that is added here is offered over MCP and A2A alike.
 * A buying agent calls others and offers nothing; a measurement agent is described by its capabilities.
 */
export const TASKS: Readonly<Record<AgentType, TaskTable>> = {
  sales: SALES_TASKS,
  creative: CREATIVE_TASKS,
  signals: SIGNALS_TASKS,
  governance: GOVERNANCE_TASKS,
  brand: BRAND_TASKS,
  rights: RIGHTS_TASKS,
  buying: {},
  measurement: {},
  unknown: STRANGE_TASKS,
};
