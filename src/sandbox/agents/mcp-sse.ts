import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
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
  const open = new Map<string, SSEServerTransport>();
  return {
    async stream(request, response) {
      if (request.method !== 'GET') return methodNotAllowed(response, 'GET');
      const transport = new SSEServerTransport(messagesPath, response);
      open.set(transport.sessionId, transport);
      response.once('close', () => open.delete(transport.sessionId));
      await createMcpServer(agent, options).connect(transport);
    },
    async messages(request, response) {
      const id = new URLSearchParams(request.url?.split('?')[1]).get('sessionId') ?? '';
      const transport = open.get(id);
      if (transport === undefined) return void response.writeHead(404).end('no such session\n');
      const admitted = await admit(request, response);
      if (admitted === undefined) return;
      const authorised = Object.assign(request, { auth: authInfoOf(admitted.caller) });
      await transport.handlePostMessage(authorised, response, admitted.body);
    },
  };
}
