import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { expect, it } from 'vitest';
import { rpcError } from './support/rpc.ts';
import { bodyOf, json, serve } from './support/serve.ts';
import { visit } from './support/visit.ts';

/** A server with sessions that forgets all of them before each of its requests of these kinds, once each. */
function forgetful(kinds: readonly string[], seen: string[] = [], refuses = () => false): RequestListener {
  const sessions = new Set<string>();
  const left = new Set(kinds);
  return async (request, response) => {
    const call = (await bodyOf(request)) ?? {};
    const kind = String(call.method ?? request.method);
    seen.push(kind);
    if (left.delete(kind)) sessions.clear();
    if (kind === 'initialize') {
      if (refuses()) return json(response, rpcError(call, -32_000, 'no more sessions'), 500);
      const id = randomUUID();
      sessions.add(id);
      const serverInfo = { name: 'forgetful', version: '1' };
      const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
      return json(response, { jsonrpc: '2.0', id: call.id, result }, 200, { 'mcp-session-id': id });
    }
    if (!sessions.has(String(request.headers['mcp-session-id'])))
      return json(response, rpcError({ id: null }, -32_001, 'Session not found'), 404);
    if (call.id === undefined) return void response.writeHead(202).end();
    const result =
      kind === 'tools/list'
        ? { tools: [{ name: 'create_media_buy', inputSchema: { type: 'object' } }] }
        : { structuredContent: { ok: true }, content: [] };
    json(response, { jsonrpc: '2.0', id: call.id, result });
  };
}

it.each([
  ['a list', ['tools/list']],
  ['a call, whatever it changes', ['tools/call']],
  ['both', ['tools/list', 'tools/call']],
])('a session that the server has lost is opened again for %s', async (_name, kinds) => {
  const answer = await visit(await serve(forgetful(kinds)), async (agent) => {
    expect(await agent.listTools()).toMatchObject([{ name: 'create_media_buy' }]);
    return agent.callTask('create_media_buy', {});
  });
  expect(answer).toMatchObject({ outcome: 'answered', data: { ok: true } });
});

it('a session is opened again once for each call', async () => {
  const seen: string[] = [];
  const server = forgetful([], seen);
  const url = await serve((request, response) => {
    if (request.headers['mcp-session-id'] === undefined) return server(request, response);
    response.writeHead(404, { 'content-type': 'text/plain' }).end('gone');
  });
  await expect(visit(url, (agent) => agent.listTools(), { protocols: ['mcp'] })).rejects.toMatchObject({
    errorClass: 'wrong_path',
    message: 'HTTP 404',
    words: 'gone',
  });
});

it('a session that cannot be opened again fails the call for that reason', async () => {
  let refuses = false;
  const url = await serve(forgetful(['tools/call'], [], () => refuses));
  const answer = await visit(url, async (agent) => {
    refuses = true;
    return agent.callTask('create_media_buy', {});
  });
  expect(answer).toMatchObject({
    outcome: 'failed',
    failure: {
      errorClass: 'http_error',
      message: 'HTTP 500',
      words: 'no more sessions (JSON-RPC error -32000)',
    },
  });
});
