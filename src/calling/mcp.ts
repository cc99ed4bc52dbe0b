import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { elements, isObject, type JsonObject, member, parseObject } from '../base/json.ts';
import type { Tool } from '../domain/capabilities.ts';
import { shortText } from '../domain/text.ts';
import {
  type AgentConnection,
  MAX_AGENT_DESCRIPTION,
  MAX_AGENT_NAME,
  type TaskAnswer,
  type TaskContent,
  type TaskOptions,
} from './connection.ts';
import { CallFailure, mayPass, settle } from './failure.ts';
import { ANSWER_BYTES, MAX_PAGES, SDK_TIMEOUT_MS, TOOL_LIST_BYTES } from './limits.ts';
import { connectToMcp, type McpConnection } from './mcp-connect.ts';
import { readTools } from './read-tools.ts';
import type { ByteBudget } from './running-call.ts';
import type { CallSession } from './session.ts';
import { callStepOf, failedContent, refusedContent, taskAnswerOf } from './task-answer.ts';

/** Shakes hands over MCP (Streamable HTTP, HTTP+SSE as the fallback); rejects with the CallFailure that tells most. */
export async function speakMcp(session: CallSession): Promise<AgentConnection> {
  const connection = await connectToMcp(session);
  const { client, endpoint } = connection;
  const server = client.getServerVersion();
  const name = shortText(member(server, 'title'), MAX_AGENT_NAME) ?? shortText(server?.name, MAX_AGENT_NAME);
  const description = shortText(member(server, 'description'), MAX_AGENT_DESCRIPTION);
  return {
    protocol: 'mcp',
    endpoint,
    responseTimeMs: session.steps.at(-1)?.durationMs ?? 0,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    mayHideTasks: false,
    listTools: () => listTools(session, connection),
    countResources: () => countResources(session, connection),
    callTask: (task, payload, options = {}) => callTask(session, connection, task, payload, options),
    hasSession: connection.hasSession,
    close: connection.close,
  };
}

async function listTools(session: CallSession, connection: McpConnection): Promise<readonly Tool[]> {
  const items = await listAll(session, connection, 'tools/list', 'tools', TOOL_LIST_BYTES);
  return readTools(items, '/tools', session.findings);
}

async function countResources(session: CallSession, connection: McpConnection): Promise<number | undefined> {
  if (connection.client.getServerCapabilities()?.resources === undefined) return undefined;
  return (await listAll(session, connection, 'resources/list', 'resources', ANSWER_BYTES)).length;
}

/**
 * All pages of one list under one byte budget. A cursor that comes again, too many pages, and a later page whose
 * failure will not pass end the list with a finding; any other failure rejects, as half a list is worse than the
 * last good one.
 */
async function listAll(
  session: CallSession,
  connection: McpConnection,
  method: string,
  key: string,
  bytes: number,
): Promise<readonly unknown[]> {
  const budget = { left: bytes };
  const items: unknown[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined, page = 0; ; page += 1) {
    const params: JsonObject = cursor === undefined ? {} : { cursor };
    const answer = await settle(request(session, connection, method, params, budget));
    if (answer instanceof CallFailure) {
      if (page === 0 || mayPass(answer)) throw answer;
      return incomplete(session, method, answer.message, items);
    }
    for (const item of elements(member(answer, key))) items.push(item);
    const next = member(answer, 'nextCursor');
    if (typeof next !== 'string' || next === '') return items;
    if (cursors.has(next)) return incomplete(session, method, 'the same cursor came again', items);
    if (page + 1 >= MAX_PAGES) return incomplete(session, method, `more than ${MAX_PAGES} pages`, items);
    cursors.add(next);
    cursor = next;
  }
}

function incomplete<T>(session: CallSession, method: string, reason: string, items: T): T {
  session.findings.add('warning', 'list_incomplete', '', `${method} was not read to its end: ${reason}`);
  return items;
}

async function callTask(
  session: CallSession,
  { client, endpoint }: McpConnection,
  task: string,
  payload: unknown,
  options: TaskOptions,
): Promise<TaskAnswer> {
  const params = { name: task, arguments: payload } as JsonObject;
  // read inside the step, so that a result of any shape is an answer or a failure
  const send = async (signal: AbortSignal) =>
    readToolResult(
      await client.request({ method: 'tools/call', params }, ResultSchema, {
        signal,
        timeout: SDK_TIMEOUT_MS,
      }),
    );
  return taskAnswerOf(session, await session.exchange(task, endpoint, send, callStepOf(options)), options);
}

/** One request whose result may have any shape: one bad entry must not cost the rest, as the SDK's schemas would. */
async function request(
  session: CallSession,
  { client, endpoint }: McpConnection,
  method: string,
  params: JsonObject,
  budget: ByteBudget,
): Promise<JsonObject> {
  const send = (signal: AbortSignal) =>
    client.request({ method, params }, ResultSchema, { signal, timeout: SDK_TIMEOUT_MS });
  return session.call(method, endpoint, send, budget);
}

/**
 * The answer in the result of an MCP tool: `structuredContent`, else the first text part that is a JSON object. With
 * `isError` it is the agent's error.
 */
export function readToolResult(result: JsonObject): TaskContent {
  const data = structured(result);
  if (member(result, 'isError') === true) return refusedContent(data, texts(result)[0] ?? '');
  if (data === undefined) return failedContent('not_protocol', 'the answer of the task is not a json object');
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
