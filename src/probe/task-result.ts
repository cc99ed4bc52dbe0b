import { shortText } from '../domain/text.ts';
import { ProbeFailure } from './failure.ts';
import { elements, isObject, type JsonObject, member, parseObject } from './json.ts';

/**
 * The answer in the result of an MCP tool: `structuredContent`, else the first text part that is a JSON object.
 * Throws a ProbeFailure for `isError` and for a result that holds no object.
 */
export function readToolResult(result: JsonObject): JsonObject {
  const data = structured(result);
  if (member(result, 'isError') === true) throw taskRefused(data ?? {}, firstText(result));
  if (data === undefined)
    throw new ProbeFailure('not_protocol', 'the answer of the task is not a json object');
  return data;
}

/** The failure that an agent's own error object `{code, message, recovery, retry_after}` describes. */
export function taskRefused(data: JsonObject, text = ''): ProbeFailure {
  const error = errorObject(data);
  const code = shortText(member(error, 'code'), 64);
  const told = shortText(member(error, 'message'), 200) ?? shortText(text, 200);
  const message = ['the task failed', code, told].filter((part) => part !== undefined).join(': ');
  return new ProbeFailure(classOf(code, member(error, 'recovery')), message);
}

function classOf(
  code: string | undefined,
  recovery: unknown,
): 'auth_required' | 'http_error' | 'not_protocol' {
  if (code !== undefined && /^(auth_required|auth_missing|unauthori[sz]ed|forbidden)$/i.test(code))
    return 'auth_required';
  return recovery === 'transient' ? 'http_error' : 'not_protocol';
}

/** Agents put the error at the root, under `error` or `adcp_error`, or first in `errors`. */
function errorObject(data: JsonObject): unknown {
  const wrapped = [member(data, 'error'), member(data, 'adcp_error'), elements(member(data, 'errors'))[0]];
  return wrapped.find(isObject) ?? data;
}

function structured(result: JsonObject): JsonObject | undefined {
  const content = member(result, 'structuredContent');
  if (isObject(content)) return content;
  return texts(result)
    .map(parseObject)
    .find((parsed) => parsed !== undefined);
}

function firstText(result: JsonObject): string {
  return texts(result)[0] ?? '';
}

function texts(result: JsonObject): string[] {
  return elements(member(result, 'content')).flatMap((part) => {
    const text = member(part, 'text');
    return typeof text === 'string' ? [text] : [];
  });
}
