import type { Handler, Web } from '../web/web.ts';
import { a2aPages } from './a2a-http.ts';
import { type A2aTransport, hostOf, type McpTransport, pathOf } from './agent.ts';
import { sessionMcp, statelessMcp } from './mcp-http.ts';
import { sseMcp } from './mcp-sse.ts';
import type { RunningAgent } from './running-agent.ts';

/** Puts an agent on its host, at its path. */
export function mountAgent(web: Web, agent: RunningAgent): void {
  const { transport } = agent.spec;
  if (transport.protocol === 'mcp') mountMcp(web, agent, transport);
  else mountA2a(web, agent, transport);
}

function mountMcp(web: Web, agent: RunningAgent, transport: McpTransport): void {
  const host = hostOf(agent.spec);
  const path = pathOf(agent.spec);
  if (transport.style === 'sse') {
    const pages = sseMcp(agent, transport, `${path}/messages`);
    web.add(host, path, pages.stream);
    web.add(host, `${path}/messages`, pages.messages);
    return;
  }
  const page = transport.style === 'session' ? sessionMcp(agent, transport) : statelessMcp(agent, transport);
  web.add(host, path, transport.token === undefined ? page : locked(page, transport.token));
}

function mountA2a(web: Web, agent: RunningAgent, transport: A2aTransport): void {
  const host = hostOf(agent.spec);
  const pages = a2aPages(agent, transport);
  web.add(host, pathOf(agent.spec), pages.rpc);
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
