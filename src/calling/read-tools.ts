import { member, pointerTo } from '../base/json.ts';
import type { Tool } from '../domain/capabilities.ts';
import { cleanText, shortText } from '../domain/text.ts';
import type { FindingList } from './session.ts';

const MAX_NAME = 256;
const MAX_DESCRIPTION = 2_000;

/** The shape of a task's name. */
const TASK_NAME = /^[a-z][a-z0-9_]*$/;

/**
 * Tools of MCP, or skills of an agent card, as the record shows them, each name once. One without a usable name
 * is left out with a finding. Cards differ in whether a skill's name or its id is the task's: what looks like one
 * is taken.
 */
export function readTools(
  items: readonly unknown[],
  pointer: string,
  findings: FindingList,
): readonly Tool[] {
  const tools = new Map<string, Tool>();
  for (const [index, item] of items.entries()) {
    const name = nameOf(item);
    if (name === undefined) {
      findings.add(
        'warning',
        'tool_invalid',
        pointerTo(pointer, index),
        `a tool has a name of 1 to ${MAX_NAME} characters`,
      );
    } else if (tools.has(name)) {
      findings.add(
        'warning',
        'tool_duplicate',
        pointerTo(pointer, index),
        `the tool ${name} is listed twice`,
      );
    } else {
      tools.set(name, { name, description: shortText(member(item, 'description'), MAX_DESCRIPTION) ?? '' });
    }
  }
  return [...tools.values()];
}

function nameOf(item: unknown): string | undefined {
  const name = usableName(member(item, 'name'));
  const id = usableName(member(item, 'id'));
  return [name, id].find((text) => text !== undefined && TASK_NAME.test(text)) ?? name ?? id;
}

function usableName(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_NAME * 2) return undefined;
  const name = cleanText(value);
  return name.length > 0 && name.length <= MAX_NAME ? name : undefined;
}
