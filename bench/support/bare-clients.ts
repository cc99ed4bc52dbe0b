import { randomUUID } from 'node:crypto';
import { type AgentCard, Role, type SendMessageRequest } from '@a2a-js/sdk';
import { JsonRpcTransportFactory, type Transport } from '@a2a-js/sdk/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { RecordedCall } from './recorded-calls.ts';

type Of<Kind extends RecordedCall['kind']> = Extract<RecordedCall, { readonly kind: Kind }>;
type Replay = (call: RecordedCall) => Promise<unknown>;

/** Makes recorded calls with the SDKs' own clients on Node's own fetch, at the same agent: the floor of a run. */
export function bareClients(url: string): Replay {
  const mcp = bareMcp(url);
  const a2a = bareA2a(url);
  return async (call) => {
    if (call.kind === 'mcp connect') return mcp.connect(call);
    if (call.kind === 'mcp request') return mcp.request(call);
    if (call.kind === 'mcp end') return mcp.end();
    return call.kind === 'a2a card' ? a2a.card(call) : a2a.send(call);
  };
}

function bareMcp(url: string) {
  let open: { readonly client: Client; readonly transport: StreamableHTTPClientTransport } | undefined;
  return {
    async connect({ token }: Of<'mcp connect'>) {
      await open?.client.close();
      const client = new Client({ name: 'bare', version: '1' });
      const transport = new StreamableHTTPClientTransport(new URL(url), {
        // a run opens no standing stream, so this client does without one too
        fetch: async (input, init) =>
          init?.method === 'GET' ? new Response(null, { status: 405 }) : fetch(input, init),
        requestInit: { headers: bearer(token) },
      });
      open = { client, transport };
      await client.connect(transport).catch(() => undefined); // a stranger may be refused
    },
    request: ({ method, params }: Of<'mcp request'>) =>
      open?.client.request({ method, params: { ...params } }, ResultSchema),
    end: () => open?.transport.terminateSession(),
  };
}

function bareA2a(url: string) {
  const { origin, pathname } = new URL(url);
  const base = `${origin}${/^\/@[^/]+/.exec(pathname)?.[0] ?? ''}`;
  const transports = new Map<string, Promise<Transport>>();
  return {
    async card({ path, token }: Of<'a2a card'>) {
      const answer = await fetch(`${base}${path}`, { headers: bearer(token) });
      return answer.text();
    },
    async send({ path, token, version, data }: Of<'a2a send'>) {
      const at = `${base}${path}`;
      const key = `${version} ${token} ${at}`;
      const transport = await (transports.get(key) ?? openA2a(at, version, token));
      transports.set(key, Promise.resolve(transport));
      const serviceParameters = version === '1.0' ? { 'A2A-Version': version } : {};
      return transport.sendMessage(messageOf(data), { serviceParameters }).catch(() => undefined);
    },
  };
}

function openA2a(url: string, version: string, token: string | undefined): Promise<Transport> {
  const one = { url, protocolBinding: 'JSONRPC', protocolVersion: version, tenant: '' };
  const card = { supportedInterfaces: [one] } as AgentCard;
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...(init?.headers as object), ...bearer(token) } });
  return new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } }).create(url, card);
}

function messageOf(data: unknown): SendMessageRequest {
  return {
    ...{ tenant: '', configuration: undefined, metadata: undefined },
    message: {
      ...{ messageId: randomUUID(), contextId: '', taskId: '', role: Role.ROLE_USER, metadata: undefined },
      ...{ extensions: [], referenceTaskIds: [] },
      parts: [
        {
          content: { $case: 'data', value: data },
          ...{ metadata: undefined, filename: '', mediaType: 'application/json' },
        },
      ],
    },
  };
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
