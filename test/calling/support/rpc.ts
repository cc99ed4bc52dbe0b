import type { RequestListener, ServerResponse } from 'node:http';
import { bodyOf, html, json } from './serve.ts';

type Rpc = { readonly id?: unknown; readonly method?: unknown; readonly params?: Record<string, unknown> };

/** Answers one JSON-RPC method: a result, or a function that writes the answer itself. */
export type Answer =
  | ((call: Rpc) => unknown)
  | { readonly raw: (response: ServerResponse, call: Rpc) => void };

const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'bad', version: '1' },
};

/** An MCP server by hand, so that it can misbehave: `initialize` works, everything else is what is given. */
export function rpcAgent(methods: Readonly<Record<string, Answer>>): RequestListener {
  return async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/') return html(response, 404);
    const call: Rpc = (await bodyOf(request)) ?? {};
    if (call.id === undefined) return void response.writeHead(202).end();
    const answer = methods[String(call.method)] ?? (call.method === 'initialize' ? () => HELLO : undefined);
    if (answer === undefined) return json(response, rpcError(call, -32_601, 'Method not found'));
    if (typeof answer !== 'function') return answer.raw(response, call);
    json(response, { jsonrpc: '2.0', id: call.id, result: answer(call) });
  };
}

/** A JSON-RPC error envelope. */
export function rpcError(call: Rpc, code: number, message: string): unknown {
  return { jsonrpc: '2.0', id: call.id, error: { code, message } };
}
