import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  type ListToolsResult,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { TaskResult } from '../reference/run-task.ts';
import { senderOf } from './admission.ts';
import type { McpTransport } from './agent.ts';
import type { RunningAgent } from './running-agent.ts';

/** Nothing is validated by these servers' SDK; without it, each of them would make a validator of its own. */
const jsonSchemaValidator = {
  getValidator: () => () => ({
    valid: false as const,
    data: undefined,
    errorMessage: 'elicitation is not supported',
  }),
};

/** A fresh MCP server for one request or session: tools are the agent's tasks. */
export function createMcpServer(agent: RunningAgent, transport: McpTransport): Server {
  const { name, description } = agent.spec;
  const resources = transport.resources === undefined ? {} : { resources: {} };
  const server = new Server(
    { name, version: '1.0.0' },
    { capabilities: { tools: {}, ...resources }, instructions: description, jsonSchemaValidator },
  );
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    listTools(agent, transport.pageSize, params?.cursor),
  );
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { authInfo }) => {
    const { caller, refusal } = senderOf(authInfo);
    if (refusal !== undefined) return toolResult(agent.refuse(refusal));
    return toolResult(await agent.call(params.name, params.arguments ?? {}, caller));
  });
  if (transport.resources !== undefined) {
    server.setRequestHandler(ListResourcesRequestSchema, () =>
      listResources(agent, transport.resources ?? 0),
    );
  }
  return server;
}

/** One page of tools; a cursor is the index of the next tool, and any other one is refused with -32602. */
function listTools(
  agent: RunningAgent,
  pageSize: number | undefined,
  cursor: string | undefined,
): ListToolsResult {
  const all = agent.tasks;
  const from = cursor === undefined ? 0 : placeOf(cursor, all.length);
  const to = from + (pageSize ?? all.length);
  const tools = all.slice(from, to).map(({ name, description, input }) => ({
    name,
    description,
    inputSchema: input as ListToolsResult['tools'][number]['inputSchema'],
  }));
  return { tools, ...(to < all.length ? { nextCursor: String(to) } : {}) };
}

function placeOf(cursor: string, count: number): number {
  if (/^[1-9]\d{0,5}$/.test(cursor) && Number(cursor) < count) return Number(cursor);
  throw new McpError(ErrorCode.InvalidParams, 'unknown cursor');
}

/** Fields flat at the root of `structuredContent`, the same as text, and errors with `isError`. */
function toolResult(result: TaskResult): CallToolResult {
  const content = result.ok ? result.data : { ...(result.shown ?? result.error) };
  return {
    content: [{ type: 'text', text: JSON.stringify(content) }],
    structuredContent: content,
    ...(result.ok ? {} : { isError: true }),
  };
}

function listResources(agent: RunningAgent, count: number) {
  const { origin } = new URL(agent.spec.url);
  return {
    resources: Array.from({ length: count }, (_, index) => ({
      uri: `${origin}/guides/${index + 1}`,
      name: `Guide ${index + 1}`,
    })),
  };
}
