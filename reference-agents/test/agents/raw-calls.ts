import { afterAll, beforeAll } from 'vitest';
import type { Sandbox } from '../../src/sandbox.ts';
import { startSandbox } from '../../src/start-sandbox.ts';
import { type WebClient, webClient } from '../support/web-client.ts';

export const SALES = 'https://sales-1.agents.example';
export const DESK = { authorization: 'Bearer sandbox-desk' };
export const MAGPIE = { authorization: 'Bearer sandbox-magpie' };
export const A2A = { 'a2a-version': '1.0' };

export type Headers = Readonly<Record<string, string>>;

/** A sandbox for the tests of a file, and a client that sends what it is given. */
export function rawCalls() {
  let sandbox: Sandbox;
  let web: WebClient;
  beforeAll(async () => {
    sandbox = await startSandbox({ seed: 7, publishers: 5, managed: 0 });
    web = webClient(sandbox.origin);
  });
  afterAll(async () => {
    await web.close();
    await sandbox.close();
  });
  return {
    origin: () => sandbox.origin,
    fetch: (url: string, init?: RequestInit) => web.fetch(url, init),
    post(url: string, body: object | string, headers: Headers = {}): Promise<Response> {
      const accept = 'application/json, text/event-stream';
      return web.fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    },
  };
}

export const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 'mine', method, params });
export const overMcp = (task: string, input: unknown) => rpc('tools/call', { name: task, arguments: input });
export const overA2a = (skill: string, input: unknown) =>
  rpc('SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: { skill, input } }] } });

/** The task's own refusal, over either transport. */
export function refusalIn(answer: unknown): unknown {
  const { result } = answer as { result: { structuredContent?: unknown; task?: ShownTask } };
  return result.structuredContent ?? result.task?.artifacts[0]?.parts.at(-1)?.data;
}

interface ShownTask {
  readonly artifacts: readonly { readonly parts: readonly { readonly data?: unknown }[] }[];
}
