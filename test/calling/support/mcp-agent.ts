import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { html } from './serve.ts';

export interface McpAgent {
  readonly tools: readonly string[];
  /** The results of its tools. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** Answers all calls, in the place of `answers`. */
  readonly answer?: (task: string, input: unknown) => unknown;
  readonly resources?: number;
  /** Tools on one page of the list. */
  readonly pageSize?: number;
  readonly path?: string;
}

/** A real MCP server over Streamable HTTP, by the SDK, without sessions. */
export function mcpAgent(agent: McpAgent, json = true) {
  return async (request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void> => {
    if (request.url !== (agent.path ?? '/')) return html(response, 404);
    if (request.method !== 'POST') return html(response, 405);
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: json });
    await mcpServer(agent).connect(transport as Transport);
    await transport.handleRequest(request, response, body);
  };
}

/** The same with sessions; `open` holds those that nobody ended. */
export function sessionAgent(agent: McpAgent, open: Set<string>): RequestListener {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  return async (request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (known) return known.handleRequest(request, response);
    if (request.method !== 'POST') return html(response, 404);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
        open.add(id);
      },
      onsessionclosed: (id) => void open.delete(id),
    });
    await mcpServer(agent).connect(transport as Transport);
    await transport.handleRequest(request, response);
  };
}

/** A real server of the older HTTP+SSE transport: GET / opens the stream, POST /messages speaks. */
export function sseAgent(agent: McpAgent): RequestListener {
  const sessions = new Map<string, SSEServerTransport>();
  return async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'POST' && url.pathname === '/messages') {
      return sessions.get(url.searchParams.get('sessionId') ?? '')?.handlePostMessage(request, response);
    }
    if (request.method !== 'GET' || url.pathname !== '/') return html(response, 404);
    const transport = new SSEServerTransport('/messages', response);
    sessions.set(transport.sessionId, transport);
    await mcpServer(agent).connect(transport);
  };
}

function mcpServer({ tools, answers = {}, resources, pageSize = 1000, ...agent }: McpAgent): Server {
  const capabilities = { tools: {}, ...(resources !== undefined && { resources: {} }) };
  const server = new Server({ name: 'Test Agent', version: '1' }, { capabilities });
  server.setRequestHandler(ListToolsRequestSchema, (request) => {
    const from = Number(request.params?.cursor ?? 0);
    const page = tools
      .slice(from, from + pageSize)
      .map((name) => ({ name, description: `does ${name}`, inputSchema: { type: 'object' as const } }));
    return { tools: page, ...(from + pageSize < tools.length && { nextCursor: String(from + pageSize) }) };
  });
  server.setRequestHandler(CallToolRequestSchema, (request) => {
    const { name, arguments: input } = request.params;
    const answer = agent.answer?.(name, input) ?? answers[name];
    if (answer === undefined) throw new Error('no such tool');
    return answer as Record<string, unknown>;
  });
  if (resources !== undefined) {
    const listed = Array.from({ length: resources }, (_, index) => ({
      uri: `x://${index}`,
      name: `r${index}`,
    }));
    server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: listed }));
  }
  return server;
}
