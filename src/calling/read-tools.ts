import { isObject, member, pointerTo } from '../base/json.ts';
import type { Tool } from '../domain/capabilities.ts';
import { cleanText, shortText } from '../domain/text.ts';
import { taskNamed } from '../protocol/tasks.ts';
import { CAPABILITIES_TASKS } from '../protocol/vocabulary.ts';
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
        `the name of a tool must have 1 to ${MAX_NAME} characters`,
      );
    } else if (tools.has(name)) {
      findings.add('warning', 'tool_duplicate', pointerTo(pointer, index), `duplicate tool ${name}`);
    } else {
      tools.set(name, { name, description: shortText(member(item, 'description'), MAX_DESCRIPTION) ?? '' });
    }
  }
  return [...tools.values()];
}

/**
 * Warns of protocol tasks that declare a text as their output, as servers do that wrap it in `result`; and, where no
 * capabilities task can show how the agent answers, of tasks that declare no output at all.
 */
export function warnOfTextOutput(items: readonly unknown[], findings: FindingList): void {
  const tasks = [...items.entries()].flatMap(([index, item]) => {
    const name = usableName(member(item, 'name'));
    if (name === undefined || taskNamed(name) === undefined) return [];
    return [{ name, schema: member(item, 'outputSchema'), at: pointerTo('/tools', index) }];
  });
  const [first, ...more] = tasks.filter(({ schema }) => isText(schema));
  if (first !== undefined) {
    const names = more.length === 0 ? first.name : `${first.name} and ${more.length} more`;
    const message = `unstructured output: ${names} ${more.length === 0 ? 'declares' : 'declare'} a text as the result`;
    findings.add('warning', 'output_unstructured', `${first.at}/outputSchema`, message, OBJECT_HINT);
    return;
  }
  const isAnswered = tasks.some(({ name }) => CAPABILITIES_TASKS.includes(name));
  if (isAnswered || tasks.length === 0 || tasks.some(({ schema }) => isObject(schema))) return;
  const message = 'the tools declare no outputSchema, so their output may be unstructured text';
  findings.add('warning', 'output_schema_missing', '/tools', message, OBJECT_HINT);
}

export const OBJECT_HINT =
  'return a JSON object as structuredContent, and declare its outputSchema; clients may not parse text';

function isText(schema: unknown): boolean {
  return member(member(member(schema, 'properties'), 'result'), 'type') === 'string';
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
