import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, json } from '../../calling/support/serve.ts';
import { OPEN } from '../../compliance/support/runs.ts';

/** What an agent answers beside the handshake, or how it does not. */
export interface LightAgent {
  readonly tools?: readonly string[];
  readonly capabilities?: object;
  /** The data of a task's answer. */
  readonly answer?: (task: string, input: unknown) => object;
  /** Happens at each request, before its answer, which waits for it. */
  readonly onCall?: (what: string, request: IncomingMessage) => unknown;
  /** Methods and tasks that get an HTML page with status 500 instead of an answer. */
  unanswered?: readonly string[];
  /** Answers every request itself. */
  readonly raw?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** One call that an agent was sent. */
export interface Heard {
  readonly host: string;
  /** `initialize`, `tools/list`, or the name of a task. */
  readonly what: string;
}

const TOOLS = ['get_proto_capabilities', 'get_products', 'list_creative_formats'];

/** MCP agents under many hosts of one server, at `/mcp`; each writes down what it was asked. */
export function lightAgents(agents: Readonly<Record<string, LightAgent>>) {
  const heard: Heard[] = [];
  const pages = Object.fromEntries(
    Object.keys(agents).map((host) => [
      host,
      (request: IncomingMessage, response: ServerResponse) => answer(host, request, response),
    ]),
  );
  async function answer(host: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    const agent = agents[host] ?? {};
    const call = request.method === 'POST' ? await bodyOf(request) : undefined;
    const params = (call?.params ?? {}) as { readonly name?: string; readonly arguments?: unknown };
    const what = params.name ?? String(call?.method ?? request.method);
    heard.push({ host, what });
    await agent.onCall?.(what, request);
    if (agent.raw !== undefined) return agent.raw(request, response);
    if (request.url !== '/mcp' || call === undefined) return void response.writeHead(404).end();
    if (call.id === undefined) return void response.writeHead(202).end();
    if (agent.unanswered?.includes(what))
      return void response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Oh no</h1>');
    json(response, {
      jsonrpc: '2.0',
      id: call.id,
      result: resultOf(String(call.method), params, agent),
    });
  }
  return { pages, heard };
}

function resultOf(
  method: string,
  { name: task, arguments: input }: { readonly name?: string; readonly arguments?: unknown },
  agent: LightAgent,
): object {
  const { tools = TOOLS, capabilities = OPEN } = agent;
  if (method === 'initialize')
    return {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'light', version: '1' },
    };
  if (method === 'tools/list')
    return { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) };
  const data = task === 'get_proto_capabilities' ? capabilities : (agent.answer?.(task ?? '', input) ?? {});
  return { structuredContent: data, content: [] };
}
