import type { ServerResponse } from 'node:http';
import { rpcAgent } from '../../calling/support/rpc.ts';
import { json, serve } from '../../calling/support/serve.ts';
import { answered, OPEN } from './runs.ts';

/** Writes what a task answers, whatever that is; `id` is that of the call. */
export type ByHand = (response: ServerResponse, id: unknown, task: string) => void;

export interface AgentByHand {
  /** Entries of its list beside the capabilities task, as they come. */
  readonly tools?: readonly unknown[];
  readonly answer: ByHand;
  /** What the capabilities task answers. */
  readonly capabilities?: () => object;
  /** Its name. */
  readonly named?: 'get_proto_capabilities' | 'get_adcp_capabilities';
}

/** An MCP agent that shakes hands and lists its tools as it should, and answers as it likes. */
export async function startByHand({
  tools = [{ name: 'get_products' }],
  named = 'get_proto_capabilities',
  ...agent
}: AgentByHand): Promise<string> {
  const listed = [{ name: named }, ...tools];
  const capabilities = agent.capabilities ?? (() => OPEN);
  const origin = await serve(
    rpcAgent({
      'tools/list': () => ({ tools: listed }),
      'tools/call': {
        raw: (response, { id, params }) => {
          const task = String(params?.name);
          if (task !== named) agent.answer(response, id, task);
          else json(response, { jsonrpc: '2.0', id, result: answered(capabilities()) });
        },
      },
    }),
  );
  return `${origin}/`;
}

/** Answers with these data, as the JSON text that is given. */
export function data(text: string): ByHand {
  return (response, id) => sendText(response, id, `{"structuredContent":${text},"content":[]}`);
}

/** Answers with this result of a tool, as the JSON text that is given. */
export function sendText(response: ServerResponse, id: unknown, result: string): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
}
