import { elements, isObject, type JsonObject, member, parseObject } from '../base/json.ts';
import { failed, refused, type TaskContent } from './task-answer.ts';

/**
 * The answer in the result of an MCP tool: `structuredContent`, else the first text part that is a JSON object. With
 * `isError` it is the agent's error.
 */
export function readToolResult(result: JsonObject): TaskContent {
  const data = structured(result);
  if (member(result, 'isError') === true) return refused(data, texts(result)[0] ?? '');
  if (data === undefined) return failed('not_protocol', 'the answer of the task is not a json object');
  return { outcome: 'answered', data };
}

function structured(result: JsonObject): JsonObject | undefined {
  const content = member(result, 'structuredContent');
  if (isObject(content)) return content;
  return texts(result)
    .map(parseObject)
    .find((parsed) => parsed !== undefined);
}

function texts(result: JsonObject): string[] {
  return elements(member(result, 'content')).flatMap((part) => {
    const text = member(part, 'text');
    return typeof text === 'string' ? [text] : [];
  });
}
