import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Tool } from '../domain/capabilities.ts';
import { shortText } from '../domain/text.ts';
import { mayPass, ProbeFailure, settle } from './failure.ts';
import type { JsonObject } from './json.ts';
import { elements, member } from './json.ts';
import { ANSWER_BYTES, MAX_PAGES, TOOL_LIST_BYTES } from './limits.ts';
import { connectToMcp, type McpConnection } from './mcp-connect.ts';
import { readTools } from './read-tools.ts';
import type { ProbeSession } from './session.ts';
import { MAX_AGENT_DESCRIPTION, MAX_AGENT_NAME, type Spoken } from './spoken.ts';
import { readToolResult } from './task-result.ts';

/** Shakes hands over MCP (Streamable HTTP, HTTP+SSE as the fallback); rejects with the ProbeFailure that tells most. */
export async function speakMcp(session: ProbeSession): Promise<Spoken> {
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
    callTask: (task, input) => callTask(session, connection, task, input),
    close: connection.close,
  };
}

async function listTools(session: ProbeSession, connection: McpConnection): Promise<readonly Tool[]> {
  const items = await listAll(session, connection, 'tools/list', 'tools', TOOL_LIST_BYTES);
  return readTools(items, '/tools', session.findings);
}

async function countResources(session: ProbeSession, connection: McpConnection): Promise<number | undefined> {
  if (connection.client.getServerCapabilities()?.resources === undefined) return undefined;
  return (await listAll(session, connection, 'resources/list', 'resources', ANSWER_BYTES)).length;
}

/**
 * All pages of one list under one byte budget. A cursor that comes again, too many pages, and a later page whose
 * failure will not pass end the list with a finding; any other failure rejects, as half a list is worse than the
 * last good one.
 */
async function listAll(
  session: ProbeSession,
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
    const answer = await settle(request(session, connection, method, params, method, budget));
    if (answer instanceof ProbeFailure) {
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

function incomplete<T>(session: ProbeSession, method: string, reason: string, items: T): T {
  session.findings.add('warning', 'list_incomplete', '', `${method} was not read to its end: ${reason}`);
  return items;
}

async function callTask(
  session: ProbeSession,
  connection: McpConnection,
  task: string,
  input: JsonObject,
): Promise<JsonObject> {
  const answer = await request(session, connection, 'tools/call', { name: task, arguments: input }, task);
  return readToolResult(answer);
}

/** One request whose result may have any shape: one bad entry must not cost the rest, as the SDK's schemas would. */
async function request(
  session: ProbeSession,
  { client, endpoint }: McpConnection,
  method: string,
  params: JsonObject,
  step: string,
  budget = { left: ANSWER_BYTES },
): Promise<JsonObject> {
  const send = (signal: AbortSignal) =>
    client.request({ method, params }, ResultSchema, { signal, timeout: 120_000 });
  return session.call(step, endpoint, send, budget);
}
