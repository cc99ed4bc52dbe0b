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
import { CallFailure, settle } from './failure.ts';
import { ANSWER_BYTES, MAX_PAGES, TOOL_LIST_BYTES } from './limits.ts';
import { connectToMcp, type McpConnection, requestOptions } from './mcp-connect.ts';
import { readTools } from './read-tools.ts';
import type { ByteBudget } from './running-call.ts';
import type { CallSession } from './session.ts';
import { callStep, failedContent, refusedContent, unconnectedAnswer } from './task-answer.ts';

/** Shakes hands over MCP (Streamable HTTP, HTTP+SSE as the fallback); rejects with the most informative CallFailure. */
export async function speakMcp(session: CallSession): Promise<AgentConnection> {
  const mcp = { session, connection: await connectToMcp(session) };
  const { client, endpoint } = mcp.connection;
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
    listTools: () => listTools(mcp),
    countResources: () => countResources(mcp),
    callTask: (task, payload, options = {}) => callTask(mcp, task, payload, options),
    close: () => mcp.connection.close(),
  };
}

/** The connection is replaced when the server forgets its session. */
interface Mcp {
  readonly session: CallSession;
  connection: McpConnection;
}

/**
 * Runs a step, and once more in a new session when the server has forgotten the one that it opened: it may do so at any time,
 * for example when it restarts, and answers 404 then (MCP 2025-06-18, "Session Management"). It has not looked at the request,
 * so any request may be sent again. Rejects with a CallFailure when no new session can be opened.
 */
async function inSession<T>(
  mcp: Mcp,
  step: (connection: McpConnection) => Promise<T>,
  statusOf: (outcome: T) => number | undefined,
): Promise<T> {
  const first = await step(mcp.connection);
  if (statusOf(first) !== 404 || !mcp.connection.hasSession()) return first;
  mcp.connection = await mcp.connection.reopen();
  return step(mcp.connection);
}

async function listTools(mcp: Mcp): Promise<readonly Tool[]> {
  const items = await listAll(mcp, 'tools/list', 'tools', TOOL_LIST_BYTES);
  return readTools(items, '/tools', mcp.session.findings);
}

async function countResources(mcp: Mcp): Promise<number | undefined> {
  if (mcp.connection.client.getServerCapabilities()?.resources === undefined) return undefined;
  return (await listAll(mcp, 'resources/list', 'resources', ANSWER_BYTES)).length;
}

/**
 * All pages of one list under one byte budget. A repeated cursor and too many pages end the list with a finding. A page
 * that cannot be read rejects: half a list is worse than the last good one.
 */
async function listAll(mcp: Mcp, method: string, key: string, bytes: number): Promise<readonly unknown[]> {
  const { session } = mcp;
  const budget = { left: bytes };
  const items: unknown[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined, page = 0; ; page += 1) {
    const params: JsonObject = cursor === undefined ? {} : { cursor };
    const answer = await request(mcp, method, params, budget);
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

async function callTask(mcp: Mcp, task: string, payload: unknown, options: TaskOptions): Promise<TaskAnswer> {
  const { session } = mcp;
  const params = { name: task, arguments: payload } as JsonObject;
  const call = ({ client, endpoint }: McpConnection) =>
    callStep(session, { task, at: endpoint, payload, options }, async (signal) =>
      readToolResult(
        await client.request({ method: 'tools/call', params }, ResultSchema, requestOptions(session, signal)),
      ),
    );
  const answer = await settle(
    inSession(mcp, call, ({ outcome, status }) => (outcome === 'answered' ? undefined : status)),
  );
  return answer instanceof CallFailure ? unconnectedAnswer(answer) : answer;
}

/** One request whose result may have any shape: one bad entry must not cost the rest, as the SDK's schemas would. */
async function request(
  mcp: Mcp,
  method: string,
  params: JsonObject,
  budget: ByteBudget,
): Promise<JsonObject> {
  const { session } = mcp;
  const send = ({ client, endpoint }: McpConnection) =>
    settle(
      session.call(
        method,
        endpoint,
        (signal) => client.request({ method, params }, ResultSchema, requestOptions(session, signal)),
        { budget, repeatable: true },
      ),
    );
  const result = await inSession(mcp, send, (outcome) =>
    outcome instanceof CallFailure ? outcome.status : undefined,
  );
  if (result instanceof CallFailure) throw result;
  return result;
}

/**
 * The answer in the result of an MCP tool: `structuredContent`, else the first text part that is a JSON object. With
 * `isError` it is the agent's error.
 */
export function readToolResult(result: JsonObject): TaskContent {
  const data = structured(result);
  if (member(result, 'isError') === true) return refusedContent(data, texts(result)[0] ?? '');
  if (data === undefined)
    return failedContent('not_protocol', 'the answer of the task is not a JSON object', { answered: true });
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
