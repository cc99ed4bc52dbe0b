import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { PageHandler } from '../web/web.ts';
import { type Admit, type Admitted, authInfoOf } from './admission.ts';
import type { McpTransport } from './agent.ts';
import { createMcpServer } from './mcp-server.ts';
import type { RunningAgent } from './running-agent.ts';

/** Sessions that one caller left open; its oldest goes when there are more. All anonymous callers are one. */
const MAX_SESSIONS = 50;

/** A session is of whoever opened it: its id alone opens it to nobody else. */
interface Session {
  readonly transport: StreamableHTTPServerTransport;
  readonly owner: string;
}

/** Streamable HTTP without sessions: one server for each request, so GET has nothing to stream. */
export function statelessMcp(agent: RunningAgent, options: McpTransport, admit: Admit): PageHandler {
  return async (request, response) => {
    if (request.method !== 'POST') return methodNotAllowed(response, 'POST');
    const admitted = await admit(request, response);
    if (admitted === undefined) return;
    if (options.style === 'json') takeJsonAlone(request);
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: options.style === 'json' });
    response.once('close', () => void transport.close());
    // The SDK's own transport does not satisfy its interface under exactOptionalPropertyTypes.
    await createMcpServer(agent, options).connect(transport as Transport);
    await handOver(transport, admitted, request, response);
  };
}

/** Streamable HTTP with sessions: a server lives from `initialize` to DELETE. To all but its opener it is not there. */
export function sessionMcp(agent: RunningAgent, options: McpTransport, admit: Admit): PageHandler {
  const sessions = new Map<string, Session>();
  const open = (owner: string): StreamableHTTPServerTransport => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => keep(sessions, id, { transport, owner }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    return transport;
  };
  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const admitted = await admit(request, response);
    if (admitted === undefined) return;
    const owner = admitted.caller.id;
    const session = typeof id === 'string' ? sessions.get(id) : undefined;
    if (session?.owner === owner) return handOver(session.transport, admitted, request, response);
    if (id !== undefined) return noSession(response);
    const opened = open(owner);
    await createMcpServer(agent, options).connect(opened as Transport);
    await handOver(opened, admitted, request, response);
  };
}

/**
 * The SDK wants `text/event-stream` in Accept even where it answers in JSON. Whoever takes JSON gets it: raw requests of
 * the field's tools say no more. What was signed has been looked at before.
 */
function takeJsonAlone({ headers }: IncomingMessage): void {
  if (/\bapplication\/json\b/i.test(headers.accept ?? ''))
    headers.accept = 'application/json, text/event-stream';
}

function handOver(
  transport: StreamableHTTPServerTransport,
  admitted: Admitted,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const authorised = Object.assign(request, { auth: authInfoOf(admitted) });
  return transport.handleRequest(authorised, response, admitted.body);
}

function keep(sessions: Map<string, Session>, id: string, session: Session): void {
  sessions.set(id, session);
  const own = [...sessions].filter(([, { owner }]) => owner === session.owner);
  const [oldest] = own;
  if (oldest === undefined || own.length <= MAX_SESSIONS) return;
  sessions.delete(oldest[0]);
  void oldest[1].transport.close();
}

/** 405 with the methods that are allowed. */
export function methodNotAllowed(response: ServerResponse, allow: string): void {
  response.writeHead(405, { allow, 'content-type': 'text/plain' }).end('method not allowed\n');
}

function noSession(response: ServerResponse): void {
  const error = { code: -32_001, message: 'session not found' };
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
}
