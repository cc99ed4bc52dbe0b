import { type Message, type Part, type Task, TaskState, taskStateToJSON } from '@a2a-js/sdk';
import { isObject, type JsonObject, member, parseObject } from '../base/json.ts';
import { shortText } from '../domain/text.ts';
import { unmarkedError } from './agent-error.ts';
import type { TaskContent } from './connection.ts';
import { MAX_WORDS } from './failure.ts';
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

/** True while the agent works on the task, so that it has no result yet (A2A 1.0, section 4.1.3). */
export function isRunning(result: Message | Task): result is Task {
  const state = 'status' in result ? result.status?.state : undefined;
  return state === TaskState.TASK_STATE_WORKING || state === TaskState.TASK_STATE_SUBMITTED;
}

/** Why a task has no result when its time is over. One that stays submitted usually waits for a person. */
export function unfinished({ status }: Task): string {
  return status?.state === TaskState.TASK_STATE_SUBMITTED
    ? 'the task is still submitted and has not started; it may be waiting for a person'
    : `the task is still ${stateName(status?.state)}`;
}

/**
 * The answer in the result of a skill: the last data part of the first artifact of a finished task, or of a message. A failed
 * or rejected task is the agent's error; one that waits for somebody is a failure with the agent's question as its words.
 */
export function readSkillResult(result: Message | Task): TaskContent {
  if (!('status' in result)) return contentOf(result.parts);
  const state = result.status?.state;
  const artifact = result.artifacts[0]?.parts ?? [];
  const message = result.status?.message?.parts ?? [];
  if (state === TaskState.TASK_STATE_COMPLETED) return contentOf(artifact.length > 0 ? artifact : message);
  if (state === TaskState.TASK_STATE_FAILED || state === TaskState.TASK_STATE_REJECTED)
    return refusedContent(lastObject(artifact) ?? lastObject(message), textOf([...artifact, ...message]));
  const words = shortText(textOf(message), MAX_WORDS) ?? wordsOfData(lastObject(message));
  const said = words === undefined ? {} : { words };
  if (state === TaskState.TASK_STATE_AUTH_REQUIRED)
    return failedContent('auth_required', 'the task is waiting for credentials', said);
  if (state === TaskState.TASK_STATE_INPUT_REQUIRED)
    return failedContent('input_required', 'the task is waiting for input', said);
  return failedContent('not_protocol', `the task ended in the state ${stateName(state)}`, said);
}

/** A question as data, in the words of the public protocol. */
function wordsOfData(data: JsonObject | undefined): string | undefined {
  return shortText(member(data, 'message') ?? member(data, 'reason'), MAX_WORDS);
}

/** A message cannot say that it is an error, so its content has to. */
function contentOf(parts: readonly Part[]): TaskContent {
  const data = lastObject(parts);
  if (data === undefined)
    return failedContent('not_protocol', 'the answer has no data part', { answered: true });
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
