import { elements, isObject, type JsonObject, member } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';

/** How a task is asked for, whatever the transport calls it. */
export const TASKS_GET = 'tasks_get';

const WAITING: ReadonlySet<unknown> = new Set(['submitted', 'working', 'input-required', 'pending']);
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;
const MAX_POLLS = 12;

/** Whether an answer is of a task that goes on, and which. */
function taskThatGoesOn(answer: TaskAnswer): string | undefined {
  if (answer.outcome !== 'answered') return undefined;
  const { status, task_id: id } = answer.data;
  return WAITING.has(status) && typeof id === 'string' && id !== '' ? id : undefined;
}

/**
 * What the task of an answer came to: the answer itself where that was final. Asks for the task again and again until it is
 * over or the time is; undefined when it came to nothing.
 */
export async function completionOfTask(
  answer: TaskAnswer,
  ask: (taskId: string, poll: number) => Promise<TaskAnswer>,
  { wait, isOver }: { readonly wait: (ms: number) => Promise<unknown>; readonly isOver: () => boolean },
): Promise<JsonObject | undefined> {
  if (answer.outcome !== 'answered') return undefined;
  const id = taskThatGoesOn(answer);
  if (id === undefined) return answer.data;
  for (let poll = 1; poll <= MAX_POLLS && !isOver(); poll += 1) {
    const came = await ask(id, poll);
    if (came.outcome !== 'answered') return undefined;
    if (!WAITING.has(came.data.status))
      return came.data.status === 'completed' ? completionIn(came.data) : undefined;
    await wait(Math.min(FIRST_WAIT_MS * 2 ** poll, LONGEST_WAIT_MS));
  }
  return undefined;
}

/** Where agents put what a task came to: a member of its own, or the last answer of its history. */
function completionIn(task: JsonObject): JsonObject | undefined {
  const last = elements(task.history).findLast((one) => member(one, 'type') === 'response');
  const places = [task.result, task.data, member(task.artifact, 'data'), member(last, 'data')];
  return places.find(isObject);
}
