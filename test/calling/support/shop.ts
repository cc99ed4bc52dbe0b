import type { RequestListener } from 'node:http';
import { type Part, TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor } from '@a2a-js/sdk/server';
import { a2aAgent } from './a2a-agent.ts';
import { mcpAgent, sessionAgent, sseAgent } from './mcp-agent.ts';

type Json = Readonly<Record<string, unknown>>;

/** What tasks of an agent do, whatever it is spoken to over; `input` is what came, under whichever name it wants. */
export type Shop = (task: string, input: unknown) => { readonly data: Json } | { readonly error: Json };

/** Where on its host an agent is, and how it speaks. */
export interface Transport {
  readonly name: string;
  readonly protocol: 'mcp' | 'a2a';
  readonly path: string;
  readonly listen: (shop: Shop) => RequestListener;
}

const TOOLS = ['get_products', 'create_media_buy', 'get_adcp_capabilities'];

/** Every way in which one shop can be kept, by the SDKs' servers. */
export const TRANSPORTS: readonly Transport[] = [
  mcp('mcp, json', (shop) => mcpAgent(toolsOf(shop))),
  mcp('mcp, events', (shop) => mcpAgent(toolsOf(shop), false)),
  mcp('mcp, with sessions', (shop) => sessionAgent(toolsOf(shop), new Set())),
  mcp('mcp, http+sse', (shop) => sseAgent(toolsOf(shop))),
  a2a('a2a 0.3', '0.3', 'input'),
  a2a('a2a 0.3 of the first days', '0.3', 'parameters'),
  a2a('a2a 1.0', '1.0', 'input'),
];

/** A shop over MCP, or A2A 1.0, whose listener takes a body that was read before. */
export const shopOverMcp = (shop: Shop) => mcpAgent(toolsOf(shop));
export const shopOverA2a = (shop: Shop) =>
  a2aAgent({ version: '1.0', skills: TOOLS, answers: {}, executor: executorOf(shop, 'input') });

function mcp(name: string, listen: Transport['listen']): Transport {
  return { name, protocol: 'mcp', path: '/', listen };
}

function a2a(name: string, version: '0.3' | '1.0', form: string): Transport {
  const listen = (shop: Shop) =>
    a2aAgent({ version, skills: TOOLS, answers: {}, executor: executorOf(shop, form) });
  return {
    name,
    protocol: 'a2a',
    path: '/a2a',
    listen: (shop) => (request, response) => void listen(shop)(request, response),
  };
}

function toolsOf(shop: Shop) {
  return { tools: TOOLS, answer: (task: string, input: unknown) => toolResult(shop(task, input)) };
}

function toolResult(done: ReturnType<Shop>): Json {
  if ('data' in done) return { structuredContent: done.data, content: [] };
  const content = [{ type: 'text', text: JSON.stringify(done.error) }];
  return { isError: true, structuredContent: done.error, content };
}

/** A finished or failed task whose artifact holds the answer, as the field notes have it. */
function executorOf(shop: Shop, form: string): AgentExecutor {
  return {
    async execute({ taskId, contextId, userMessage }, bus) {
      const content = userMessage.parts[0]?.content;
      const part = (content?.$case === 'data' ? content.value : {}) as Json;
      const done = Object.hasOwn(part, form)
        ? shop(String(part.skill), part[form])
        : { error: { code: 'INVALID_REQUEST', message: `${form} is missing`, recovery: 'correctable' } };
      const failed = 'error' in done;
      const state = failed ? TaskState.TASK_STATE_FAILED : TaskState.TASK_STATE_COMPLETED;
      const status = { state, message: undefined, timestamp: undefined };
      const artifacts = [artifactOf(failed ? done.error : done.data)];
      bus.publish(
        AgentEvent.task({ id: taskId, contextId, status, artifacts, history: [], metadata: undefined }),
      );
      bus.finished();
    },
    cancelTask: async () => undefined,
  };
}

function artifactOf(value: Json) {
  const part: Part = {
    content: { $case: 'data', value },
    metadata: undefined,
    filename: '',
    mediaType: 'application/json',
  };
  return {
    artifactId: 'result',
    name: '',
    description: '',
    parts: [part],
    metadata: undefined,
    extensions: [],
  };
}
