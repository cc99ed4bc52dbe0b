import type { Handler, Web } from '../web/web.ts';
import { a2aPages } from './a2a-http.ts';
import type { Admit } from './admission.ts';
import { type A2aTransport, hostOf, type McpTransport, pathOf } from './agent.ts';
import { sessionMcp, statelessMcp } from './mcp-http.ts';
import { sseMcp } from './mcp-sse.ts';
import type { RunningAgent } from './running-agent.ts';

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
  for (const path of transport.cards)
    web.add(host, path, path.endsWith('/agent.json') ? pages.oldCard : pages.card);
}

/** Answers 401 to whoever does not bring the token (RFC 6750). */
function locked(page: Handler, token: string): Handler {
  return (request, response) => {
    if (request.headers.authorization === `Bearer ${token}`) return page(request, response);
    response.writeHead(401, {
      'www-authenticate': 'Bearer realm="cellar"',
      'content-type': 'application/json',
    });
    response.end('{"error":"invalid_token"}');
  };
}
