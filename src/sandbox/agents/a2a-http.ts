import type { IncomingMessage, ServerResponse } from 'node:http';
import { A2A_VERSION_HEADER, AgentCard } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import {
  DefaultRequestHandler,
  defaultServerCallContextBuilder,
  JsonRpcTransportHandler,
  type ServerCallContext,
  validateVersion,
} from '@a2a-js/sdk/server';
import type { Caller } from '../reference/handler.ts';
import { jsonFile } from '../web/file.ts';
import { isObject } from '../web/read-body.ts';
import type { Handler } from '../web/web.ts';
import { agentCard, oldAgentCard } from './a2a-card.ts';
import { executor } from './a2a-executor.ts';
import { type Admit, CallingUser } from './admission.ts';
import type { A2aTransport } from './agent.ts';
import { methodNotAllowed } from './mcp-http.ts';
import { recentTasks } from './recent-tasks.ts';
import type { RunningAgent } from './running-agent.ts';

export interface A2aPages {
  readonly rpc: Handler;
  /** The card of the newest version spoken. */
  readonly card: Handler;
  /** The card of the oldest. */
  readonly oldCard: Handler;
}

/** An A2A agent over JSON-RPC at `url`, for the protocol versions that its card declares. */
export function a2aPages(agent: RunningAgent, transport: A2aTransport, url: string, admit: Admit): A2aPages {
  const card = agentCard(agent, transport, url);
  const handler = new DefaultRequestHandler(
    card,
    recentTasks(),
    executor(agent, transport.inputKey ?? 'input'),
  );
  const current = new JsonRpcTransportHandler(handler);
  const legacy = new LegacyJsonRpcTransportHandler(handler);
  const newCard = jsonFile(AgentCard.toJSON(card));
  const oldCard = jsonFile(oldAgentCard(agent, transport, url));
  return {
    card: transport.versions.includes('1.0') ? newCard : oldCard,
    oldCard: transport.versions.includes('0.3') ? oldCard : newCard,
    async rpc(request, response) {
      if (request.method !== 'POST') return methodNotAllowed(response, 'POST');
      const admitted = await admit(request, response);
      if (admitted === undefined) return;
      const body = isObject(admitted.body) ? admitted.body : {};
      const context = callContext(request, admitted.caller);
      // A request without the header is of version 0.3 (A2A 1.0, section 3.6).
      const chosen = context.requestedVersion === '0.3' ? legacy : current;
      const answer = await answerCall(chosen, card, body, context);
      sendJson(response, answer);
    },
  };
}

type RpcHandler = JsonRpcTransportHandler | LegacyJsonRpcTransportHandler;
type Body = Record<string, unknown>;

async function answerCall(
  chosen: RpcHandler,
  card: AgentCard,
  body: Body,
  context: ServerCallContext,
): Promise<unknown> {
  try {
    validateVersion(context.requestedVersion, card, 'JSONRPC');
    return await chosen.handle(body, context);
  } catch (error) {
    return { jsonrpc: '2.0', id: body.id ?? null, error: JsonRpcTransportHandler.mapToJSONRPCError(error) };
  }
}

function callContext(request: IncomingMessage, caller: Caller): ServerCallContext {
  const version = request.headers[A2A_VERSION_HEADER.toLowerCase()];
  return defaultServerCallContextBuilder({
    extensions: undefined,
    user: new CallingUser(caller),
    headers: request.headers,
    ...(typeof version === 'string' ? { requestedVersion: version } : {}),
  });
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
