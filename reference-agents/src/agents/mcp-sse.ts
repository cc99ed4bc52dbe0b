import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { directOf } from '../web/direct.ts';
import type { Handler } from '../web/web.ts';
import { type Admit, authInfoOf } from './admission.ts';
import type { McpTransport } from './agent.ts';
import { methodNotAllowed } from './mcp-http.ts';
import { createMcpServer } from './mcp-server.ts';
import type { RunningAgent } from './running-agent.ts';

/** The transport before Streamable HTTP: GET opens the stream, messages are posted elsewhere. */
export interface SsePages {
  readonly stream: Handler;
  readonly messages: Handler;
}

/** An agent that speaks nothing newer than HTTP with SSE. */
export function sseMcp(
  agent: RunningAgent,
  options: McpTransport,
  messagesPath: string,
  admit: Admit,
): SsePages {
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
      if (session?.owner !== admitted.caller.id) return void response.writeHead(404).end('no such session\n');
      const authorised = Object.assign(request, { auth: authInfoOf(admitted) });
      await session.transport.handlePostMessage(authorised, response, admitted.body);
    },
  };
}
