import type { IncomingMessage, ServerResponse } from 'node:http';
import { AgentCard, type Message, Role } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  defaultServerCallContextBuilder,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  UnauthenticatedUser,
} from '@a2a-js/sdk/server';
import { bodyOf, html, json } from './serve.ts';

export interface A2aAgent {
  readonly version: '0.3' | '1.0';
  readonly skills: readonly string[];
  readonly answers: Readonly<Record<string, unknown>>;
  readonly cardPath?: string;
  /** In the URL of its card; it is served over http all the same. */
  readonly scheme?: 'https';
  /** Answers in the place of `answers`. */
  readonly executor?: AgentExecutor;
}

/** A real A2A server by the SDK, over JSON-RPC at /a2a. */
export function a2aAgent(agent: A2aAgent) {
  return async (request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void> => {
    const origin = `${agent.scheme ?? 'http'}://${request.headers.host}`;
    if (request.url === (agent.cardPath ?? '/.well-known/agent-card.json'))
      return json(response, cardOf(agent, origin));
    if (request.url !== '/a2a' || request.method !== 'POST') return html(response, 404);
    const v1 = AgentCard.fromJSON(newCard(agent, origin));
    const handler = new DefaultRequestHandler(v1, new InMemoryTaskStore(), agent.executor ?? executor(agent));
    const rpc =
      agent.version === '1.0'
        ? new JsonRpcTransportHandler(handler)
        : new LegacyJsonRpcTransportHandler(handler);
    const requestedVersion = String(request.headers['a2a-version'] ?? '0.3');
    const user = new UnauthenticatedUser();
    const context = defaultServerCallContextBuilder({
      extensions: undefined,
      user,
      headers: request.headers,
      requestedVersion,
    });
    json(
      response,
      await rpc.handle((body as Record<string, unknown>) ?? (await bodyOf(request)) ?? {}, context),
    );
  };
}

function cardOf(agent: A2aAgent, origin: string): Record<string, unknown> {
  if (agent.version === '1.0') return newCard(agent, origin);
  const { name, description, skills } = newCard(agent, origin);
  return {
    name,
    description,
    skills,
    url: `${origin}/a2a`,
    preferredTransport: 'JSONRPC',
    protocolVersion: '0.3.0',
  };
}

function newCard(agent: A2aAgent, origin: string): Record<string, unknown> {
  return {
    name: 'Card Agent',
    description: 'an agent of the tests',
    version: '1',
    capabilities: {},
    supportedInterfaces: [
      { url: `${origin}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: agent.version },
    ],
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: agent.skills.map((id) => ({ id, name: id, description: `does ${id}`, tags: [] })),
  };
}

function executor({ answers }: A2aAgent): AgentExecutor {
  return {
    async execute(context, bus) {
      const content = context.userMessage.parts[0]?.content;
      const asked = content?.$case === 'data' ? (content.value as { skill?: string; input?: unknown }) : {};
      const answer = asked.input === undefined ? undefined : answers[asked.skill ?? ''];
      const value = answer ?? { error: { code: 'UNKNOWN_SKILL', message: 'no such skill' } };
      bus.publish(AgentEvent.message(messageOf(value, context.contextId)));
      bus.finished();
    },
    cancelTask: async () => undefined,
  };
}

function messageOf(value: unknown, contextId: string): Message {
  return {
    messageId: 'm1',
    contextId,
    taskId: '',
    role: Role.ROLE_AGENT,
    parts: [
      { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: 'application/json' },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}
