import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { trimEnd } from '../domain/text.ts';
import type { GuardedFetch } from '../ports/fetcher.ts';
import { CallFailure, failureOfGet, isHopeless, mostInformative, settle } from './failure.ts';
import { SDK_TIMEOUT_MS, TOOL_LIST_BYTES } from './limits.ts';
import type { CallSession } from './session.ts';

/** A client that is past the handshake. */
export interface McpConnection {
  readonly client: Client;
  readonly endpoint: string;
  /** The server has opened a session: it may end it whenever it likes. */
  hasSession(): boolean;
  close(): Promise<void>;
}

type Transport = StreamableHTTPClientTransport | SSEClientTransport;

/** Statuses with which a server that speaks only HTTP+SSE answers a POST (MCP 2025-06-18, backwards compatibility). */
const OLD_SERVER_STATUSES: readonly (number | undefined)[] = [400, 404, 405];

/**
 * Streamable HTTP at the declared URL, then HTTP+SSE there, then both at `/mcp` under it. Rejects with the most
 * telling CallFailure.
 */
export async function connectToMcp(session: CallSession): Promise<McpConnection> {
  const failures: CallFailure[] = [];
  for (const endpoint of endpointsOf(session.url)) {
    for (const open of [openStreamable, openSse]) {
      const opened = await tryEndpoint(session, endpoint, open);
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

async function tryEndpoint(
  session: CallSession,
  endpoint: URL,
  open: (endpoint: URL, fetch: GuardedFetch) => Transport,
): Promise<McpConnection | CallFailure> {
  const client = new Client({ name: 'agent-registry', version: '1' }, { jsonSchemaValidator: NO_VALIDATION });
  const transport = open(endpoint, session.fetch);
  const close = () => closeQuietly(session, client, transport);
  const isSse = transport instanceof SSEClientTransport;
  const hasSession = () => !isSse && transport.sessionId !== undefined;
  const step = isSse ? 'initialize (sse)' : 'initialize';
  const connect = (signal: AbortSignal) => client.connect(transport, { signal, timeout: SDK_TIMEOUT_MS });
  const failure = await settle(session.call(step, endpoint.href, connect, { left: TOOL_LIST_BYTES }));
  if (!(failure instanceof CallFailure)) return { client, endpoint: endpoint.href, hasSession, close };
  await close();
  return isSse && failure.status !== undefined ? failureOfGet(failure.status) : failure;
}

function openStreamable(endpoint: URL, fetch: GuardedFetch): Transport {
  return new StreamableHTTPClientTransport(endpoint, {
    fetch: withoutStandingStream(fetch),
    redirectPolicy: 'follow',
  });
}

function openSse(endpoint: URL, fetch: GuardedFetch): Transport {
  return new SSEClientTransport(endpoint, { fetch, redirectPolicy: 'follow' });
}

/**
 * The SDK opens a GET stream for what the server may want to say unasked, which holds a connection and costs a
 * request. A caller here listens to answers only, so it is told that there is no such stream; resuming one is let through.
 */
function withoutStandingStream(fetch: GuardedFetch): GuardedFetch {
  return async (input, init) => {
    const resumes = new Headers(init?.headers).has('last-event-id');
    return init?.method === 'GET' && !resumes ? new Response(null, { status: 405 }) : fetch(input, init);
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
