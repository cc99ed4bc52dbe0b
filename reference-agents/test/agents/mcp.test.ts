import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROSTER } from '../../src/agents/roster.ts';
import type { Sandbox } from '../../src/sandbox.ts';
import { startSandbox } from '../../src/start-sandbox.ts';
import { type WebClient, webClient } from '../support/web-client.ts';

let sandbox: Sandbox;
let web: WebClient;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7, managed: 10 });
  web = webClient(sandbox.origin);
});

afterAll(async () => {
  await web.close();
  await sandbox.close();
});

async function connect(endpoint: string, sse: boolean, token?: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const options = { fetch: web.fetch, requestInit: { headers } };
  const url = new URL(endpoint);
  const transport = sse
    ? new SSEClientTransport(url, options)
    : new StreamableHTTPClientTransport(url, options);
  await client.connect(transport as Transport);
  return client;
}

async function allTools(client: Client): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    names.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}

const expected = (url: string) => {
  const agent = sandbox.expectations.agents.find(({ declaredUrl }) => declaredUrl === url);
  if (agent === undefined) throw new Error(`no agent at ${url}`);
  return agent;
};

const STYLES = ROSTER.filter(({ transport }) => transport.protocol === 'mcp' && transport.token === undefined)
  .filter(({ url }) => !url.includes('lostlane'))
  .map(({ url, transport }) => [url, transport.protocol === 'mcp' ? transport.style : ''] as const);

test('every form of MCP is there', () => {
  expect(new Set(STYLES.map(([, style]) => style))).toEqual(new Set(['json', 'stream', 'session', 'sse']));
});

test.each(STYLES)('%s answers the SDK over %s', async (url, style) => {
  const agent = expected(url);
  const client = await connect(agent.endpoint ?? '', style === 'sse');
  expect(client.getServerVersion()?.name).toBe(agent.name);
  expect((await allTools(client)).sort()).toEqual([...agent.tools].sort());
  const task = agent.tools.find((name) => /^get_(proto|adcp)_capabilities$/.test(name));
  if (task !== undefined) {
    const { structuredContent } = await client.callTool({ name: task, arguments: {} });
    expect(structuredContent).toHaveProperty(task === 'get_proto_capabilities' ? 'proto' : 'adcp');
  }
  await client.close();
});

describe('answers', () => {
  test('products are flat at the root and the same as text', async () => {
    const client = await connect('https://sales-1.agents.example/mcp', false);
    const answer = await client.callTool({ name: 'get_products', arguments: { brief: 'local papers' } });
    expect(answer.structuredContent).toMatchObject({
      products: expect.arrayContaining([expect.objectContaining({ product_id: 'local-front-page' })]),
    });
    const [part] = answer.content as { text: string }[];
    expect(JSON.parse(part?.text ?? '')).toEqual(answer.structuredContent);
    await client.close();
  });

  test('what is wrong with a request is an error of the protocol', async () => {
    const client = await connect('https://sales-1.agents.example/mcp', false);
    const answer = await client.callTool({ name: 'create_media_buy', arguments: { packages: [] } });
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { code: 'INVALID_REQUEST', pointer: '/idempotency_key', recovery: 'correctable' },
    });
    await client.close();
  });

  test.each(['no_such_task', 'constructor', '__proto__'])(
    'the unknown task %s is an error too',
    async (name) => {
      const client = await connect('https://oddments.example/mcp', false);
      const answer = await client.callTool({ name, arguments: {} });
      expect(answer).toMatchObject({ isError: true, structuredContent: { code: 'UNKNOWN_TASK' } });
      await client.close();
    },
  );

  test('one agent lists resources', async () => {
    const client = await connect('https://brand-1.agents.example/mcp', false);
    expect((await client.listResources()).resources).toHaveLength(3);
    await client.close();
  });

  test('tools come on pages of two', async () => {
    const client = await connect('https://papercrane.example/mcp', false);
    const page = await client.listTools();
    expect(page.tools).toHaveLength(2);
    expect(page.nextCursor).toBe('2');
    await client.close();
  });

  test('a portfolio claims the publishers that agree, and one that does not', async () => {
    const client = await connect('https://sales-1.agents.example/mcp', false);
    const { structuredContent } = await client.callTool({ name: 'get_proto_capabilities', arguments: {} });
    const agent = expected('https://sales-1.agents.example/mcp');
    expect(agent.deniedClaims).toEqual(['stiff-upper-post.example']);
    expect(structuredContent).toMatchObject({
      media_buy: { portfolio: { publisher_domains: [...agent.publishers, ...agent.deniedClaims] } },
    });
    await client.close();
  });
});

describe('paths and credentials', () => {
  const initialize = (url: string, headers: Record<string, string> = {}) =>
    web.fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
    });

  test.each([
    ['https://wander.example/agent', 404],
    ['https://lostlane.example/agent', 404],
    ['https://lostlane.example/agent/mcp', 404],
    ['https://lostlane.example/mcp', 404],
    ['https://lostlane.example/.well-known/agent-card.json', 404],
    ['https://tollgate.example/', 404],
    ['https://oldwharf.example/sse', 405],
    ['https://lockedcellar.example/mcp', 401],
  ])('a POST to %s answers %i', async (url, status) => {
    expect((await initialize(url)).status).toBe(status);
  });

  test.each([
    ['text/html', 406],
    ['application/json', 200],
    ['application/json;q=0.9', 200],
  ])('an MCP agent that answers in JSON is asked for %s: %i', async (accept, status) => {
    const answer = await initialize('https://sales-1.agents.example/mcp', { accept });
    expect(answer.status).toBe(status);
  });

  test('the locked agent opens for the token', async () => {
    const client = await connect('https://lockedcellar.example/mcp', false, sandbox.token);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('get_signals');
    await client.close();
  });

  test('a session that was never opened is not found', async () => {
    const answer = await initialize('https://owlglass.example/mcp', { 'mcp-session-id': 'stale' });
    expect(answer.status).toBe(404);
  });
});

test.each(['proto', 'adcp'] as const)('all agents can speak %s', async (vocabulary) => {
  const other = await startSandbox({ seed: 7, vocabulary, publishers: 5, managed: 0 });
  const tools = other.expectations.agents.flatMap((agent) => agent.tools);
  const other_name = vocabulary === 'proto' ? 'get_adcp_capabilities' : 'get_proto_capabilities';
  expect(tools).toContain(`get_${vocabulary}_capabilities`);
  expect(tools).not.toContain(other_name);
  await other.close();
});
