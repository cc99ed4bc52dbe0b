import type { IncomingMessage, ServerResponse } from 'node:http';
import { A2A_VERSION_HEADER, AgentCard } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { UnsupportedOperationError } from '@a2a-js/sdk/errors';
import {
  DefaultRequestHandler,
  defaultServerCallContextBuilder,
  JsonRpcTransportHandler,
  type ServerCallContext,
  validateVersion,
} from '@a2a-js/sdk/server';
import { isObject } from '@agent-registry/surface/agent-kit';
import { jsonFile } from '../web/file.ts';
import type { PageHandler } from '../web/web.ts';
import { executor, recentTasks } from './a2a-executor.ts';
import { type Admit, CallingUser, rpcError, rpcIdOf, type Sender } from './admission.ts';
import type { A2aTransport } from './agent.ts';
import { methodNotAllowed } from './mcp-http.ts';
import type { RunningAgent } from './running-agent.ts';

interface A2aPages {
  readonly rpc: PageHandler;
  /** The card of the newest version spoken. */
  readonly card: PageHandler;
  /** The card of the oldest. */
  readonly oldCard: PageHandler;
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
  const newCard = readOnly(jsonFile(newAgentCard(agent, transport, url, card)));
  const oldCard = readOnly(jsonFile(oldAgentCard(agent, transport, url)));
  return {
    card: transport.versions.includes('1.0') ? newCard : oldCard,
    oldCard: transport.versions.includes('0.3') ? oldCard : newCard,
    async rpc(request, response) {
      if (request.method !== 'POST') return methodNotAllowed(response, 'POST');
      const admitted = await admit(request, response);
      if (admitted === undefined) return;
      const { body } = admitted;
      if (!isObject(body))
        return sendJson(
          response,
          rpcError(-32_600, 'send one message per request; batches are not supported'),
          400,
        );
      const context = callContext(request, admitted);
      // A request without the header is of version 0.3 (A2A 1.0, section 3.6).
      const chosen = context.requestedVersion === '0.3' ? legacy : current;
      const answer = await answerCall(chosen, card, body, context);
      sendJson(response, answer);
    },
  };
}

function readOnly(page: PageHandler): PageHandler {
  return (request, response) =>
    request.method === 'GET' || request.method === 'HEAD'
      ? page(request, response)
      : methodNotAllowed(response, 'GET, HEAD');
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
    const answer = await chosen.handle(body, context);
    if (!(Symbol.asyncIterator in answer)) return answer;
    // What streams has not begun yet: it is a generator, and nobody asks it for anything.
    await answer.return?.(undefined);
    throw new UnsupportedOperationError('this agent does not support streaming');
  } catch (error) {
    return { jsonrpc: '2.0', id: rpcIdOf(body), error: JsonRpcTransportHandler.mapToJSONRPCError(error) };
  }
}

function callContext(request: IncomingMessage, sender: Sender): ServerCallContext {
  const version = request.headers[A2A_VERSION_HEADER.toLowerCase()];
  return defaultServerCallContextBuilder({
    extensions: undefined,
    user: new CallingUser(sender),
    headers: request.headers,
    ...(typeof version === 'string' ? { requestedVersion: version } : {}),
  });
}

function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  const text = JSON.stringify(value); // before the head: what cannot be written is a 500
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

/** The agent card (A2A 1.0, section 4.4) with one interface for each version that is spoken. */
function agentCard(agent: RunningAgent, transport: A2aTransport, url: string): AgentCard {
  const { spec } = agent;
  return AgentCard.fromJSON({
    name: spec.name,
    description: spec.description,
    version: '1.0.0',
    supportedInterfaces: transport.versions.map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      protocolVersion,
    })),
    capabilities: { streaming: false, pushNotifications: false },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: skillsOf(agent, transport),
  });
}

/** Clients of the public protocol read one card, with the SDK of either version: it says what both look for. */
function newAgentCard(agent: RunningAgent, transport: A2aTransport, url: string, card: AgentCard): object {
  const both = agent.vocabulary === 'adcp' && transport.versions.includes('0.3');
  const old = both ? { url, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' } : {};
  return { ...(AgentCard.toJSON(card) as object), ...old };
}

/** The card of version 0.3 (section 5.5): one URL, and the version at the root. */
function oldAgentCard(agent: RunningAgent, transport: A2aTransport, url: string): object {
  const { spec } = agent;
  return {
    protocolVersion: '0.3.0',
    name: spec.name,
    description: spec.description,
    url,
    preferredTransport: 'JSONRPC',
    version: '1.0.0',
    capabilities: { streaming: false, pushNotifications: false },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: skillsOf(agent, transport),
  };
}

function skillsOf(agent: RunningAgent, transport: A2aTransport): readonly object[] {
  return agent.tasks
    .filter(({ name }) => transport.hidden?.includes(name) !== true)
    .map(({ name, description }) => ({ id: name, name, description, tags: [agent.spec.type] }));
}
