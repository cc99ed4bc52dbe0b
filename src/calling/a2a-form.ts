import type { TaskContent } from './task-answer.ts';

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
  const heard = second.outcome === 'answered' || (second.outcome === 'refused' && !isAboutForm(second));
  if (heard || names(first, 'parameters')) return 'parameters';
  return names(second, 'input') ? 'input' : undefined;
}

function names(answer: TaskContent, form: SkillForm): boolean {
  if (answer.outcome !== 'refused') return false;
  const { message, pointer = '' } = answer.error;
  return pointer.startsWith(`/${form}`) || new RegExp(`\\b${form}\\b`, 'i').test(message);
}
