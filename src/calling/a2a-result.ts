import { type Message, type Part, type Task, TaskState, taskStateToJSON } from '@a2a-js/sdk';
import { isObject, type JsonObject, parseObject } from '../base/json.ts';
import { unmarkedError } from './agent-error.ts';
import { failed, refused, type TaskContent } from './task-answer.ts';

/**
 * The answer in what a skill sent back: the last data part of the first artifact of a finished task, or of a message.
 * A failed or rejected task is the agent's error.
 */
export function readSkillResult(result: Message | Task): TaskContent {
  if (!('status' in result)) return contentOf(result.parts);
  const state = result.status?.state;
  const artifact = result.artifacts[0]?.parts ?? [];
  const told = result.status?.message?.parts ?? [];
  if (state === TaskState.TASK_STATE_COMPLETED) return contentOf(artifact.length > 0 ? artifact : told);
  if (state === TaskState.TASK_STATE_FAILED || state === TaskState.TASK_STATE_REJECTED)
    return refused(lastObject(artifact) ?? lastObject(told), textOf([...artifact, ...told]));
  if (state === TaskState.TASK_STATE_AUTH_REQUIRED)
    return failed('auth_required', 'the task asks for credentials');
  return failed('not_protocol', `the task did not come to an end: its state is ${stateName(state)}`);
}

/** A message cannot say that it is an error, so its content has to. */
function contentOf(parts: readonly Part[]): TaskContent {
  const data = lastObject(parts);
  if (data === undefined) return failed('not_protocol', 'the answer of the task has no data part');
  const error = unmarkedError(data);
  return error === undefined ? { outcome: 'answered', data } : refused(error, '', data);
}

function lastObject(parts: readonly Part[]): JsonObject | undefined {
  const values = parts.map((part): unknown =>
    part.content?.$case === 'data' ? part.content.value : undefined,
  );
  return values.findLast(isObject) ?? parseObject(textOf(parts));
}

function textOf(parts: readonly Part[]): string {
  const texts = parts.map((part) => (part.content?.$case === 'text' ? part.content.value : ''));
  return texts.find((text) => text !== '') ?? '';
}

/** As the wire of 0.3 spells it: `input-required`. */
function stateName(state: TaskState | undefined): string {
  if (state === undefined) return 'missing';
  return taskStateToJSON(state)
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
}
