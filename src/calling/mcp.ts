import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as SdkTransport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { elements, isObject, type JsonObject, member, parseObject } from '../base/json.ts';
import type { Tool } from '../domain/capabilities.ts';
import { shortText, trimEnd } from '../domain/text.ts';
import type { GuardedFetch } from '../ports/fetcher.ts';
import {
  type AgentConnection,
  MAX_AGENT_DESCRIPTION,
  MAX_AGENT_NAME,
  type TaskAnswer,
  type TaskContent,
  type TaskOptions,
} from './connection.ts';
import { CallFailure, failureOfGet, isHopeless, mostInformative, settle } from './failure.ts';
import { ANSWER_BYTES, MAX_PAGES, SDK_TIMEOUT_MS, TOOL_LIST_BYTES } from './limits.ts';
import { readTools, warnOfTextOutput } from './read-tools.ts';
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
  const tools = readTools(items, '/tools', mcp.session.findings);
  warnOfTextOutput(items, mcp.session.findings);
  return tools;
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
    if (cursors.has(next)) return incomplete(session, method, 'the same cursor was returned twice', items);
    if (page + 1 >= MAX_PAGES) return incomplete(session, method, `more than ${MAX_PAGES} pages`, items);
    cursors.add(next);
    cursor = next;
  }
}

function incomplete<T>(session: CallSession, method: string, reason: string, items: T): T {
  session.findings.add('warning', 'list_incomplete', '', `${method} was not read completely: ${reason}`);
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
    return failedContent('not_protocol', 'the answer is not a JSON object', { answered: true });
  const isText = !isObject(member(result, 'structuredContent'));
  return { outcome: 'answered', data, ...(isText && { asText: true }) };
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

/** A client that is past the handshake. */
interface McpConnection {
  readonly client: Client;
  readonly endpoint: string;
  /** The server has opened a session: it may end it at any time. */
  hasSession(): boolean;
  /** The same endpoint with a new session, for a server that has forgotten this one. Rejects with a CallFailure. */
  reopen(): Promise<McpConnection>;
  close(): Promise<void>;
}

type Transport = StreamableHTTPClientTransport | SSEClientTransport;

/** Statuses with which a server that speaks only HTTP+SSE answers a POST (MCP 2025-06-18, backwards compatibility). */
const OLD_SERVER_STATUSES: readonly (number | undefined)[] = [400, 404, 405];

/**
 * Streamable HTTP at the declared URL, then HTTP+SSE there, then both at `/mcp` under it. Rejects with the most
 * telling CallFailure.
 */
async function connectToMcp(session: CallSession): Promise<McpConnection> {
  const failures: CallFailure[] = [];
  for (const endpoint of endpointsOf(session.url)) {
    for (const open of [openStreamable, openSse]) {
      const opened = await settle(openEndpoint(session, endpoint, open));
      if (!(opened instanceof CallFailure)) return opened;
      failures.push(opened);
      if (endsSearch(opened)) throw mostInformative(failures);
      if (!OLD_SERVER_STATUSES.includes(opened.status)) break;
    }
  }
  throw mostInformative(failures);
}

/** JSON-RPC 2.0, section 5.1. An agent may have A2A at its origin, which says so, and MCP below. */
const METHOD_NOT_FOUND = -32_601;

/** Credentials wanted, MCP that says no, or no host: the next address will not do better. */
function endsSearch(failure: CallFailure): boolean {
  const { rpcCode } = failure;
  if (isHopeless(failure) || failure.errorClass === 'auth_required') return true;
  return rpcCode !== undefined && rpcCode !== METHOD_NOT_FOUND;
}

function endpointsOf(url: URL): URL[] {
  if (/\/mcp\/?$/.test(url.pathname)) return [url];
  const under = new URL(url);
  under.pathname = `${trimEnd(url.pathname, '/')}/mcp`;
  return [url, under];
}

/** Rejects with a CallFailure. A retried handshake has a client and a transport of its own: the SDK's start only once. */
async function openEndpoint(
  session: CallSession,
  endpoint: URL,
  open: OpenTransport,
): Promise<McpConnection> {
  const isSse = open === openSse;
  let opened: { readonly client: Client; readonly transport: Transport } | undefined;
  const connect = async (signal: AbortSignal) => {
    await opened?.client.close();
    const client = new Client(CLIENT_INFO, { jsonSchemaValidator: NO_VALIDATION });
    const transport = open(endpoint, session);
    watchAnswers(session, transport);
    opened = { client, transport };
    client.onerror = ({ message }) => {
      // the SDK then waits for an answer that no stream can bring any more
      if (message.startsWith('Maximum reconnection attempts')) session.streamEnded();
    };
    await client.connect(transport, requestOptions(session, signal));
    return opened;
  };
  const step = isSse ? 'initialize (sse)' : 'initialize';
  const options = { budget: { left: TOOL_LIST_BYTES }, repeatable: !session.hasRetriedInVain };
  // the handshake is two requests, each with its own retry: a server that answered the first may be busy at the second
  const isPastFirst = () => opened?.client.getServerVersion() !== undefined;
  const { outcome } = await session.retryOnce(
    () => settle(session.call(step, endpoint.href, connect, options)),
    (result) => {
      if (!(result instanceof CallFailure) || !isPastFirst()) return undefined;
      // 404 at the second request: the server has forgotten the session that it has just opened
      return result.status === 404 ? 0 : result.facts.retryInMs;
    },
  );
  try {
    if (outcome instanceof CallFailure) throw outcome;
    const { client, transport } = outcome;
    return {
      client,
      endpoint: endpoint.href,
      hasSession: () =>
        transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined,
      async reopen() {
        const next = await openEndpoint(session, endpoint, open);
        await client.close();
        return next;
      },
      close: () => closeQuietly(session, client, transport),
    };
  } catch (failure) {
    if (opened !== undefined) await closeQuietly(session, opened.client, opened.transport);
    const isStatus = failure instanceof CallFailure && failure.status !== undefined;
    throw isSse && isStatus ? failureOfGet(failure) : failure;
  }
}

/** Distinguishes a stream that ends before the answer from one that ends after it. The client keeps the listener. */
function watchAnswers(session: CallSession, transport: Pick<SdkTransport, 'send' | 'onmessage'>): void {
  const send = transport.send.bind(transport);
  let awaited: unknown;
  transport.send = (message, options) => {
    if ('method' in message && 'id' in message) awaited = message.id;
    return send(message, options);
  };
  transport.onmessage = (message) => {
    if (!('method' in message) && message.id === awaited) session.streamMayEnd();
  };
}

const CLIENT_INFO = { name: 'agent-registry', version: '1' };

/** For every request to an MCP server; our own deadline ends a call, and a stream with event ids is resumed. */
function requestOptions(session: CallSession, signal: AbortSignal) {
  return { signal, timeout: SDK_TIMEOUT_MS, onresumptiontoken: () => session.streamMayEnd() };
}

type OpenTransport = (endpoint: URL, session: CallSession) => Transport;

function openStreamable(endpoint: URL, session: CallSession): Transport {
  return new StreamableHTTPClientTransport(endpoint, {
    fetch: withoutStandingStream(session),
    redirectPolicy: 'follow',
  });
}

function openSse(endpoint: URL, { fetch }: CallSession): Transport {
  return new SSEClientTransport(endpoint, { fetch, redirectPolicy: 'follow' });
}

/**
 * The SDK opens a GET stream for messages that the server sends unasked, which holds a connection and costs a request. Only
 * answers are read here, so the SDK gets 405 instead; a request that resumes a stream is let through.
 */
function withoutStandingStream(session: CallSession): GuardedFetch {
  return async (input, init) => {
    const resumes = new Headers(init?.headers).has('last-event-id');
    if (init?.method === 'GET' && !resumes) return new Response(null, { status: 405 });
    const response = await session.fetch(input, init);
    // the SDK gives up without a word then
    if (init?.method === 'GET' && response.status === 405) session.streamEnded();
    return response;
  };
}

/** Says goodbye where there is a session, so that the server need not keep it. Never rejects. */
async function closeQuietly(session: CallSession, client: Client, transport: Transport): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined) {
    const goodbye = () => transport.terminateSession();
    await session.call('end session', session.url.href, goodbye).catch(() => undefined); // it is recorded as a step
  }
  await client.close();
  await transport.close();
}

/** Schemas of strangers are not compiled: they cost, and our own readers judge the answers. */
const NO_VALIDATION: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'schemas are not used' }),
};
