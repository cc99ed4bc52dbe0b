import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { directOf } from '../web/direct.ts';
import type { PageHandler, Web } from '../web/web.ts';
import { a2aPages } from './a2a-http.ts';
import { type Admit, authInfoOf } from './admission.ts';
import { type A2aTransport, hostOf, type McpTransport, pathOf } from './agent.ts';
import { methodNotAllowed, sessionMcp, statelessMcp } from './mcp-http.ts';
import { createMcpServer } from './mcp-server.ts';
import { CARD } from './roster.ts';
import type { RunningAgent } from './running-agent.ts';

/** The transport before Streamable HTTP: GET opens the stream, messages are posted elsewhere. */
interface SsePages {
  readonly stream: PageHandler;
  readonly messages: PageHandler;
}

/** Puts an agent on its host, at its path; and beside it, where it speaks A2A as well. */
export function mountAgent(web: Web, agent: RunningAgent, admit: Admit): void {
  const { transport, also, url } = agent.spec;
  if (transport.protocol === 'mcp') mountMcp(web, agent, transport, admit);
  else mountA2a(web, agent, transport, { url, path: pathOf(agent.spec) }, admit);
  if (also === undefined) return;
  mountA2a(web, agent, also, { url: `${new URL(url).origin}${also.path}`, path: also.path }, admit);
}

function mountMcp(web: Web, agent: RunningAgent, transport: McpTransport, admit: Admit): void {
  const host = hostOf(agent.spec);
  const path = pathOf(agent.spec);
  if (transport.style === 'sse') {
    const pages = sseMcp(agent, transport, `${path}/messages`, admit);
    web.add(host, path, pages.stream);
    web.add(host, `${path}/messages`, pages.messages);
    return;
  }
  const page =
    transport.style === 'session'
      ? sessionMcp(agent, transport, admit)
      : statelessMcp(agent, transport, admit);
  web.add(host, path, transport.token === undefined ? page : locked(page, transport.token));
}

interface Place {
  readonly url: string;
  readonly path: string;
}

function mountA2a(web: Web, agent: RunningAgent, transport: A2aTransport, at: Place, admit: Admit): void {
  const host = hostOf(agent.spec);
  const pages = a2aPages(agent, transport, at.url, admit);
  web.add(host, at.path, pages.rpc);
  // Clients of the public protocol look below the agent's own address first.
  const places =
    agent.vocabulary === 'adcp' ? [...transport.cards, CARD, `${at.path}${CARD}`] : transport.cards;
  for (const path of new Set(places))
    web.add(host, path, path.endsWith('/agent.json') ? pages.oldCard : pages.card);
}

/** Answers 401 to whoever does not bring the token (RFC 6750). */
function locked(page: PageHandler, token: string): PageHandler {
  return (request, response) => {
    if (request.headers.authorization === `Bearer ${token}`) return page(request, response);
    response.writeHead(401, {
      'www-authenticate': 'Bearer realm="cellar"',
      'content-type': 'application/json',
    });
    response.end('{"error":"invalid_token"}');
  };
}

/** An agent that speaks nothing newer than HTTP with SSE. */
function sseMcp(agent: RunningAgent, options: McpTransport, messagesPath: string, admit: Admit): SsePages {
  const open = new Map<string, { readonly transport: SSEServerTransport; readonly owner: string }>();
  return {
    async stream(request, response) {
      if (request.method !== 'GET') return methodNotAllowed(response, 'GET');
      const admitted = await admit(request, response);
      if (admitted === undefined) return;
      const transport = new SSEServerTransport(`${directOf(request)?.prefix ?? ''}${messagesPath}`, response);
      open.set(transport.sessionId, { transport, owner: admitted.caller.id });
      response.once('close', () => open.delete(transport.sessionId));
      await createMcpServer(agent, options).connect(transport);
    },
    async messages(request, response) {
      const id = new URLSearchParams(request.url?.split('?')[1]).get('sessionId') ?? '';
      if (request.method !== 'POST') return methodNotAllowed(response, 'POST');
      const admitted = await admit(request, response);
      if (admitted === undefined) return;
      const session = open.get(id);
      if (session?.owner !== admitted.caller.id) return void response.writeHead(404).end('unknown session\n');
      const authorised = Object.assign(request, { auth: authInfoOf(admitted) });
      await session.transport.handlePostMessage(authorised, response, admitted.body);
    },
  };
}
