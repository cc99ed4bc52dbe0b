import { member } from '../base/json.ts';
import { PROTOCOL_TASKS, taskNamed } from '../protocol/tasks.ts';

/** The tool by which a test puts an agent's sandbox into a state. */
export const TEST_CONTROLLER = 'comply_test_controller';

/** Names of tasks that only read: every such task of the public protocol begins like this. */
const READS = /^(?:(?:si_)?(?:get|list|check|validate|preview)_|tasks_(?:get|list)$)/;

/** Whether a task may change anything. An unknown task counts as mutating unless its name says that it reads. */
export function isMutating(task: string): boolean {
  const known = taskNamed(task);
  if (known === TEST_CONTROLLER) return true;
  if (known !== undefined) return PROTOCOL_TASKS[known].mutating;
  return !READS.test(task);
}

/**
 * Whether the same call may be sent twice: the task only reads, the payload carries an idempotency key, or the test
 * controller is to put its sandbox into a state, which a simulation does not.
 */
export function isRepeatable(task: string, payload: unknown): boolean {
  if (task === TEST_CONTROLLER) return !String(member(payload, 'scenario')).startsWith('simulate_');
  return !isMutating(task) || typeof member(payload, 'idempotency_key') === 'string';
}
