import { Role } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/compose/clock.ts';
import type { GuardedFetch } from '../../src/ports/fetcher.ts';
import { generateKey, publicJwk, readSigningKey } from '../../src/signing/private-key.ts';
import type { Jwk } from '../../src/signing/public-key.ts';
import { createSigningFetch } from '../../src/signing/sign.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { startSandbox } from '../src/start-sandbox.ts';
import { directUrl } from '../src/web/direct.ts';

let sandbox: Sandbox;
let desk: Jwk;

beforeAll(async () => {
  desk = await generateKey({ alg: 'ed25519', purpose: 'request-signing', vocabulary: 'proto' });
  sandbox = await startSandbox({ seed: 7, publishers: 5, managed: 0, deskKeys: [publicJwk(desk)] });
});

afterAll(() => sandbox.close());

const at = (url: string) => new URL(directUrl(sandbox.origin, url));

async function connected(transport: object): Promise<Client> {
  const client = new Client({ name: 'anybody', version: '1.0.0' });
  await client.connect(transport as Transport);
  return client;
}

describe('a client that knows nothing of mappings', () => {
  test.each(['https://sales-1.agents.example/mcp', 'https://copperwire.example/mcp'])(
    'speaks MCP to %s under its path',
    async (url) => {
      const client = await connected(new StreamableHTTPClientTransport(at(url)));
      expect((await client.listTools()).tools.length).toBeGreaterThan(3);
      await client.close();
    },
  );

  test('speaks MCP over SSE, whose messages go to the same path', async () => {
    const client = await connected(new SSEClientTransport(at('https://oldwharf.example/sse')));
    expect((await client.listTools()).tools.length).toBeGreaterThan(3);
    await client.close();
  });

  test('speaks A2A by a card that leads to the same path', async () => {
    const card = at('https://sales-1.agents.example/.well-known/agent-card.json').href;
    const { supportedInterfaces } = (await (await fetch(card)).json()) as {
      supportedInterfaces: { url: string }[];
    };
    expect(supportedInterfaces[0]?.url).toBe(at('https://sales-1.agents.example/a2a').href);
    const client = await new ClientFactory().createFromUrl(card, '');
    const value = { skill: 'get_products', input: { brief: 'papers of the coast' } };
    const part = {
      content: { $case: 'data' as const, value },
      metadata: undefined,
      filename: '',
      mediaType: '',
    };
    const message = {
      messageId: 'm1',
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [part],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
    const result = await client.sendMessage({
      tenant: '',
      message,
      configuration: undefined,
      metadata: undefined,
    });
    const last = 'artifacts' in result ? result.artifacts[0]?.parts.at(-1) : undefined;
    expect(last?.content).toMatchObject({ $case: 'data', value: { products: expect.any(Array) } });
  });

  test('signs for the address that it knows', async () => {
    const key = await readSigningKey(desk);
    const options = { kind: 'request', profile: '3.2', key, clock: systemClock } as const;
    const fetch = createSigningFetch(globalThis.fetch as GuardedFetch, options) as typeof globalThis.fetch;
    const transport = new StreamableHTTPClientTransport(at('https://sales-1.agents.example/mcp'), { fetch });
    const client = await connected(transport);
    const answer = await client.callTool({ name: 'list_accounts', arguments: {} });
    expect(answer.structuredContent).toMatchObject({ accounts: [] });
    await client.close();
  });

  test('reads files of publishers', async () => {
    const file = await fetch(at('https://noticeboard.example/.well-known/adagents.json'));
    expect(await file.json()).toHaveProperty('authorized_agents');
  });
});

test('the listener says which agents there are and how they are reached', async () => {
  const text = await (await fetch(sandbox.origin)).text();
  for (const url of sandbox.agents) expect(text).toContain(directUrl(sandbox.origin, url));
  const missing = await fetch(`${sandbox.origin}/mcp`);
  expect([missing.status, await missing.text()]).toEqual([
    404,
    expect.stringContaining(`${sandbox.origin}/ lists`),
  ]);
});

test('only the listener takes hosts in a path', async () => {
  const answer = await fetch(at('https://noticeboard.example/@sales-1.agents.example/mcp'));
  expect(answer.status).toBe(404);
});
