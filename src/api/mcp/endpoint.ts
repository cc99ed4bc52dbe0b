import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { once } from '../../base/once.ts';
import type { Limiter } from '../callers.ts';
import type { OpenApiInfo, OpenApiPaths } from '../openapi.ts';
import { describedByPaths } from '../operations/description.ts';
import { MAX_FILE_BODY, VALIDATION_MS } from '../operations/validation/validate.ts';
import { HttpProblem } from '../problem.ts';
import { askAs } from './ask.ts';
import { makeTools } from './tools.ts';

/** Messages in one request, which the version 2025-03-26 allows. */
const MAX_MESSAGES = 10;

/** JSON-RPC 2.0, section 6. The SDK treats an empty batch as notifications. */
const EMPTY_BATCH = {
  ...{ jsonrpc: '2.0', id: null },
  error: { code: -32_600, message: 'Invalid Request: the batch is empty' },
};

/** A file with its escapes, and the message around it. */
const MAX_BODY = 2 * MAX_FILE_BODY;

/** Loads the SDK at the first request: it takes a quarter of the start of a server. */
const loadProtocol = once(async () => ({
  ...(await import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js')),
  ...(await import('./protocol.ts')),
}));

/**
 * POST /mcp: the Model Context Protocol over Streamable HTTP, without sessions and streams: each request is answered with JSON.
 * GET and DELETE, which are for sessions, are 405 as the specification requires (Transports, 2025-11-25).
 */
export function mcpEndpoint(
  server: FastifyInstance,
  info: OpenApiInfo,
  paths: OpenApiPaths,
  limiter: Limiter,
): void {
  // at the first request: all operations are registered by then
  const tools = once(() => makeTools(paths));
  const options = { ...describedByPaths({}), bodyLimit: MAX_BODY, handlerTimeout: VALIDATION_MS + 5_000 };
  server.post('/mcp', options, async (request, reply) => {
    refuseForeignPages(request, info.baseUrl);
    if (Array.isArray(request.body) && request.body.length === 0)
      return reply.code(400).header('cache-control', 'no-store').send(EMPTY_BATCH);
    if (Array.isArray(request.body) && request.body.length > MAX_MESSAGES)
      throw new HttpProblem('bad_request', `at most ${MAX_MESSAGES} messages in one request`);
    const { WebStandardStreamableHTTPServerTransport: ServerTransport, mcpServerFor } = await loadProtocol();
    // the first message is counted as the request itself
    if (Array.isArray(request.body)) await limiter.more(request, request.body.length - 1);
    const transport = new ServerTransport({ enableJsonResponse: true });
    const ask = askAs(request, server, paths);
    // the SDK's own transport does not satisfy its interface under exactOptionalPropertyTypes
    await mcpServerFor(tools(), ask, info.version).connect(transport as Transport);
    const answer = await transport.handleRequest(webRequest(request), { parsedBody: request.body });
    await transport.close();
    reply.code(answer.status).header('cache-control', 'no-store');
    const type = answer.headers.get('content-type');
    return type === null ? reply.send() : reply.type(type).send(await answer.text());
  });
}

/** Without its body, which is parsed. The SDK wants `text/event-stream` in Accept even where it answers in JSON. */
function webRequest({ headers }: FastifyRequest): Request {
  const version = headers['mcp-protocol-version'];
  return new Request('http://registry.invalid/mcp', {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
    },
  });
}

/** MCP, Transports, Security Warning: a page of another origin must not reach a registry in the visitor's network. */
function refuseForeignPages({ headers }: FastifyRequest, baseUrl: string | undefined): void {
  const { origin, host = '' } = headers;
  if (origin === undefined || isOwnOrigin(origin, host, baseUrl)) return;
  throw new HttpProblem(
    'foreign_origin',
    'requests from pages of other origins are not allowed; requests without an Origin header are',
  );
}

/**
 * Whether the request comes from a page of this registry: of its public address, or, where the registry is reached at a loopback
 * address, of any page on this machine. A name that resolves to a private address (DNS rebinding) is neither, because the Host
 * header is used for nothing else.
 */
function isOwnOrigin(origin: string, host: string, baseUrl: string | undefined): boolean {
  const from = URL.parse(origin);
  if (from === null || from.origin !== origin.toLowerCase()) return false;
  if (baseUrl !== undefined && from.origin === URL.parse(baseUrl)?.origin) return true;
  return isLoopback(from.hostname) && isLoopback(URL.parse(`http://${host}`)?.hostname);
}

/** 127.0.0.0/8, ::1, and the names that RFC 6761, section 6.3 reserves for them. */
function isLoopback(hostname: string | undefined): boolean {
  if (hostname === undefined) return false;
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
