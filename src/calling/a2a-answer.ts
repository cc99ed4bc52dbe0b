import { type Message, type Part, type Task, TaskState, taskStateToJSON } from '@a2a-js/sdk';
import { isObject, type JsonObject, parseObject } from '../base/json.ts';
import { unmarkedError } from './agent-error.ts';
import type { TaskContent } from './connection.ts';
import { failedContent, refusedContent } from './task-answer.ts';

/** The member of a data part that carries the payload of a skill: `parameters` for agents of the first days. */
export type SkillForm = 'input' | 'parameters';

const FORM_CODES = /^(INVALID_REQUEST|INVALID_INPUT|INVALID_PARAMS|MISSING_INPUT)$/i;

/** JSON-RPC 2.0, section 5.1: invalid request, invalid params. */
const FORM_RPC_CODES: readonly (number | undefined)[] = [-32_600, -32_602];

/**
 * Whether a refusal may mean that the payload stood under the wrong name, so that nothing was done and the other
 * name is worth a request: the request is called invalid, at no place in it or at that name. A refusal of what the
 * payload says is never answered by sending it again.
 */
export function isAboutForm(answer: TaskContent): boolean {
  if (answer.outcome !== 'refused') return false;
  const { code, rpcCode, pointer = '' } = answer.error;
  const invalid = code === undefined ? FORM_RPC_CODES.includes(rpcCode) : FORM_CODES.test(code);
  return invalid && /^(\/(input|parameters))?\/?$/.test(pointer);
}

/**
 * Which form an agent wants, given its answers to the same payload under `input` and then under `parameters`. What it
 * says of the wrong one tells nothing, so a refusal that names the other form loses; undefined when neither does.
 */
export function formWanted(first: TaskContent, second: TaskContent): SkillForm | undefined {
  const understood = second.outcome === 'answered' || (second.outcome === 'refused' && !isAboutForm(second));
  if (understood || namesForm(first, 'parameters')) return 'parameters';
  return namesForm(second, 'input') ? 'input' : undefined;
}

const NAMES: Readonly<Record<SkillForm, RegExp>> = { input: /\binput\b/i, parameters: /\bparameters\b/i };

function namesForm(answer: TaskContent, form: SkillForm): boolean {
  if (answer.outcome !== 'refused') return false;
  const { message, pointer = '' } = answer.error;
  return pointer.startsWith(`/${form}`) || NAMES[form].test(message);
}

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
    return refusedContent(lastObject(artifact) ?? lastObject(told), textOf([...artifact, ...told]));
  if (state === TaskState.TASK_STATE_AUTH_REQUIRED)
    return failedContent('auth_required', 'the task asks for credentials');
  return failedContent('not_protocol', `the task did not come to an end: its state is ${stateName(state)}`);
}

/** A message cannot say that it is an error, so its content has to. */
function contentOf(parts: readonly Part[]): TaskContent {
  const data = lastObject(parts);
  if (data === undefined) return failedContent('not_protocol', 'the answer of the task has no data part');
  const error = unmarkedError(data);
  return error === undefined ? { outcome: 'answered', data } : refusedContent(error, '', data);
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
