import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asServer, sideInput } from '../support/as-side.ts';
import { PARENT } from '../support/publishers.ts';

export interface LightAgentsReady {
  readonly connectTo: readonly string[];
}

const TOOLS = ['get_proto_capabilities', 'get_products', 'create_media_buy', 'update_media_buy'];
const CAPABILITIES = {
  proto: {
    supported_versions: ['3.0'],
    major_versions: [3],
    idempotency: { supported: true, replay_ttl_seconds: 86_400 },
  },
  proto_version: '3.0.0',
  supported_protocols: ['media_buy'],
  specialisms: [],
  account: { sandbox: true },
};

/** One small MCP agent under every name: it shakes hands, says what it supports, and answers tasks with nothing. */
await sideInput<object>();
const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => {
  const port = (server.address() as AddressInfo).port;
  const ready: LightAgentsReady = { connectTo: [`*.${PARENT}=http://127.0.0.1:${port}`] };
  asServer(ready, () => null, stop);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const call = JSON.parse(Buffer.concat(chunks).toString());
  if (call.id === undefined) return void response.writeHead(202).end();
  const result = resultOf(call.method, call.params?.name);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }));
}

function resultOf(method: string, task: string | undefined): object {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'light', version: '1' },
    };
  if (method === 'tools/list')
    return { tools: TOOLS.map((name) => ({ name, inputSchema: { type: 'object' } })) };
  return { structuredContent: task === 'get_proto_capabilities' ? CAPABILITIES : {}, content: [] };
}

function stop(): void {
  server.close();
  server.closeAllConnections();
}
