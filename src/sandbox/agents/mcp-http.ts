import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Handler } from '../web/web.ts';
import { type Admit, authInfoOf } from './admission.ts';
import type { McpTransport } from './agent.ts';
import { createMcpServer } from './mcp-server.ts';
import type { RunningAgent } from './running-agent.ts';

/** Sessions that clients left open; the oldest goes when there are more. */
const MAX_SESSIONS = 50;

/** Streamable HTTP without sessions: one server for each request, so GET has nothing to stream. */
export function statelessMcp(agent: RunningAgent, options: McpTransport, admit: Admit): Handler {
  return async (request, response) => {
    if (request.method !== 'POST') return methodNotAllowed(response, 'POST');
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: options.style === 'json' });
    response.once('close', () => void transport.close());
    // The SDK's own transport does not satisfy its interface under exactOptionalPropertyTypes.
    await createMcpServer(agent, options).connect(transport as Transport);
    await deliver(transport, admit, request, response);
  };
}

/** Streamable HTTP with sessions: a server lives from `initialize` to DELETE. */
export function sessionMcp(agent: RunningAgent, options: McpTransport, admit: Admit): Handler {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = (): StreamableHTTPServerTransport => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => keep(sessions, id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    return transport;
  };
  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? sessions.get(id) : undefined;
    if (session !== undefined) return deliver(session, admit, request, response);
    if (id !== undefined) return noSession(response);
    const opened = open();
    await createMcpServer(agent, options).connect(opened as Transport);
    await deliver(opened, admit, request, response);
  };
}

/** GET and DELETE carry nothing; a POST goes on once it is known who sent it. */
async function deliver(
  transport: StreamableHTTPServerTransport,
  admit: Admit,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') return transport.handleRequest(request, response);
  const admitted = await admit(request, response);
  if (admitted === undefined) return;
  await transport.handleRequest(
    Object.assign(request, { auth: authInfoOf(admitted.caller) }),
    response,
    admitted.body,
  );
}

function keep(
  sessions: Map<string, StreamableHTTPServerTransport>,
  id: string,
  transport: StreamableHTTPServerTransport,
): void {
  sessions.set(id, transport);
  const oldest = sessions.size > MAX_SESSIONS ? sessions.keys().next().value : undefined;
  if (oldest === undefined) return;
  void sessions.get(oldest)?.close();
  sessions.delete(oldest);
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
