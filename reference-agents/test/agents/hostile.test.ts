import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox.ts';
import { startSandbox } from '../../src/start-sandbox.ts';
import { type WebClient, webClient } from '../support/web-client.ts';

const SALES = 'https://sales-1.agents.example';
const SESSIONS = 'https://creative-1.agents.example/mcp';
const OLD = 'https://oldwharf.example/sse';
const DESK = { authorization: 'Bearer sandbox-desk' };
const MAGPIE = { authorization: 'Bearer sandbox-magpie' };
const A2A = { 'a2a-version': '1.0' };

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

type Headers = Readonly<Record<string, string>>;

function post(url: string, body: object | string, headers: Headers = {}): Promise<Response> {
  const accept = 'application/json, text/event-stream';
  return web.fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 'mine', method, params });
const overMcp = (task: string, input: unknown) => rpc('tools/call', { name: task, arguments: input });
const overA2a = (skill: string, input: unknown) =>
  rpc('SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: { skill, input } }] } });

/** The task's own refusal, over either transport. */
function refusalIn(answer: unknown): unknown {
  const { result } = answer as { result: { structuredContent?: unknown; task?: ShownTask } };
  return result.structuredContent ?? result.task?.artifacts[0]?.parts.at(-1)?.data;
}

interface ShownTask {
  readonly artifacts: readonly { readonly parts: readonly { readonly data?: unknown }[] }[];
}

/** Sends JSON in which the text `"@"` is replaced by what would be too large to be made by JSON.stringify. */
async function refusals(input: object, hole: string): Promise<readonly unknown[]> {
  const fill = (message: object) => JSON.stringify(message).replace('"@"', hole);
  const answers = await Promise.all([
    post(`${SALES}/mcp`, fill(overMcp('get_products', input))),
    post(`${SALES}/a2a`, fill(overA2a('get_products', input)), A2A),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  return Promise.all(answers.map(async (answer) => refusalIn(await answer.json())));
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('a request that is too large is refused by its task, in the same words over MCP and A2A', () => {
  test.each([
    ['small lists, 7.8 MB of them', `[${'[],'.repeat(2_600_000)}[]]`, ''],
    ['lists inside each other, 33 deep', nested(33), /^\/brief\/0/],
    ['lists inside each other, 5,000 deep', nested(5_000), /^\/brief\/0/],
    ['lists inside each other, 2,000,000 deep', nested(2_000_000), /^\/brief\/0/],
    ['a text of 7 MB', `"${'x'.repeat(7_000_000)}"`, '/brief'],
  ])('%s', async (_what, hole, pointer) => {
    const [mcp, a2a] = await refusals({ brief: '@' }, hole);
    const place = typeof pointer === 'string' ? pointer : expect.stringMatching(pointer);
    expect(mcp).toMatchObject({ code: 'REQUEST_TOO_LARGE', pointer: place });
    expect(a2a).toEqual(mcp);
  });

  test('a request that is as deep as it may be reaches its task', async () => {
    const [mcp, a2a] = await refusals({ brief: '@' }, nested(30));
    expect(mcp).toMatchObject({ code: 'INVALID_REQUEST', pointer: '/brief' });
    expect(a2a).toEqual(mcp);
  });
});

describe('what is too large around the request is a 400', () => {
  const message = (more: string) =>
    `{"jsonrpc":"2.0","id":"mine","method":"SendMessage","params":{"message":{"messageId":"a","role":"ROLE_USER","parts":[{"data":{"skill":"get_products","input":{}}}]${more}}}}`;

  test.each([
    ['deep metadata', message(`,"metadata":{"a":${nested(5_000)}}`), 'mine'],
    ['a deep id', `{"jsonrpc":"2.0","id":${nested(200_000)},"method":"SendMessage","params":{}}`, null],
    ['many parts', message(`,"referenceTaskIds":[${'"x",'.repeat(200_000)}"x"]`), 'mine'],
    ['a batch of many calls', `[${`${JSON.stringify(overMcp('x', {}))},`.repeat(20_000)}1]`, null],
  ])('%s', async (_what, body, id) => {
    for (const [path, headers] of [['/mcp', {}] as const, ['/a2a', A2A] as const, ['/a2a', {}] as const]) {
      const answer = await post(`${SALES}${path}`, body, headers);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        id,
        error: { code: -32_600, data: { code: 'REQUEST_TOO_LARGE' } },
      });
    }
  });

  test('a batch with one request that is too large is refused whole', async () => {
    const batch = [overMcp('get_products', { brief: 'x'.repeat(200_000) }), overMcp('get_products', {})];
    expect((await post(`${SALES}/mcp`, batch)).status).toBe(400);
  });
});

describe('messages that are not what they have to be', () => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
    'content of type %j is a 415 over both transports',
    async (type) => {
      const headers = { ...DESK, 'content-type': type };
      expect((await post(`${SALES}/mcp`, overMcp('list_accounts', {}), headers)).status).toBe(415);
      const a2a = await post(`${SALES}/a2a`, overA2a('list_accounts', {}), { ...headers, ...A2A });
      expect(a2a.status).toBe(415);
    },
  );

  test('JSON with a charset is taken', async () => {
    const headers = { ...DESK, 'content-type': 'application/json ; charset=utf-8' };
    expect((await post(`${SALES}/mcp`, overMcp('list_accounts', {}), headers)).status).toBe(200);
  });

  test.each([
    ['two tokens of two callers', ['Bearer sandbox-desk', 'Bearer sandbox-magpie'], 400],
    ['the same token twice', ['Bearer sandbox-desk', 'Bearer sandbox-desk'], 400],
    ['one token', ['Bearer sandbox-desk'], 200],
  ])('%s (%j): %i', async (_what, authorization, status) => {
    const { hostname, port } = new URL(sandbox.origin);
    const headers = {
      host: 'sales-1.agents.example',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization,
    };
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request({ hostname, port, path: '/mcp', method: 'POST', headers: headers as never });
      sent.once('error', reject);
      sent.once('response', (response) => void text(response).then(() => resolve(response.statusCode)));
      sent.end(JSON.stringify(overMcp('list_accounts', {})));
    });
    expect(answer).toBe(status);
  });

  test.each(['x', '-5', '0.5', '1e9', '999999', 'NaN', ''])(
    'the cursor %j was never given: -32602',
    async (cursor) => {
      const answer = await post('https://sales-1.agents.example/mcp', rpc('tools/list', { cursor }));
      expect(await answer.json()).toMatchObject({ id: 'mine', error: { code: -32_602 } });
    },
  );

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s of a card is a 405', async (method) => {
    const answer = await web.fetch(`${SALES}/.well-known/agent-card.json`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test.each([
    ['SendStreamingMessage', A2A, overA2a('get_products', {}).params],
    ['SubscribeToTask', A2A, { id: 'x' }],
    [
      'message/stream',
      {},
      {
        message: {
          kind: 'message',
          messageId: 'x',
          role: 'user',
          parts: [{ kind: 'data', data: { skill: 'get_products', input: {} } }],
        },
      },
    ],
    ['tasks/resubscribe', {}, { id: 'x' }],
  ])(
    '%s is an operation that is not supported, said under the id of its call',
    async (method, version, params) => {
      const answer = await post(`${SALES}/a2a`, rpc(method, params), version);
      expect(await answer.json()).toMatchObject({ id: 'mine', error: { code: -32_004 } });
    },
  );

  test.each([
    'https://127.0.0.1/hook',
    'https://127.1/',
    'https://0x7f000001/',
    'https://169.254.169.254/',
    'https://203.0.113.9/',
    'https://[::1]/',
    'https://hooks.desk.example:22/',
    'https://hooks.desk.example:6667/',
  ])('a webhook to %s is refused at once', async (url) => {
    const account = {
      brand: { domain: 'tidewater-kayaks.example' },
      operator: 'desk.example',
      billing: 'operator',
    };
    const input = { idempotency_key: 'an-account-that-nobody-gets', accounts: [account] };
    const answer = await post(
      `${SALES}/mcp`,
      overMcp('sync_accounts', { ...input, push_notification_config: { url } }),
      DESK,
    );
    expect(refusalIn(await answer.json())).toMatchObject({
      code: 'VALIDATION_ERROR',
      pointer: '/push_notification_config/url',
    });
  });
});

describe('what A2A keeps of earlier answers', () => {
  const list = async (headers: Headers) => {
    const params = { includeArtifacts: true, historyLength: 10 };
    const answer = await post(`${SALES}/a2a`, rpc('ListTasks', params), { ...A2A, ...headers });
    return ((await answer.json()) as { result: { tasks: { id: string; history?: unknown[] }[] } }).result;
  };
  const send = async (headers: Headers, skill: string, input: object) => {
    const answer = await post(`${SALES}/a2a`, overA2a(skill, input), { ...A2A, ...headers });
    return ((await answer.json()) as { result: { task: { id: string } } }).result.task.id;
  };
  const get = async (headers: Headers, id: string) =>
    (await post(`${SALES}/a2a`, rpc('GetTask', { id }), { ...A2A, ...headers })).json();

  test('is nothing of anonymous callers', async () => {
    const id = await send({}, 'get_products', { brief: 'a secret launch' });
    expect((await list({})).tasks).toEqual([]);
    expect(await get({}, id)).toMatchObject({ error: { code: -32_001 } });
  });

  test('is for the caller that had the answer alone, and without what was sent', async () => {
    const id = await send(DESK, 'list_accounts', { context: { of: 'desk' } });
    const [task] = (await list(DESK)).tasks;
    expect(task).toMatchObject({ id, artifacts: [{ parts: [{}, { data: { context: { of: 'desk' } } }] }] });
    expect(task?.history ?? []).toEqual([]);
    expect((await list(MAGPIE)).tasks).toEqual([]);
    expect(await get(DESK, id)).toMatchObject({ result: { id } });
    expect(await get(MAGPIE, id)).toMatchObject({ error: { code: -32_001 } });
  });

  test('is nothing that failed', async () => {
    const id = await send(DESK, 'get_products', { brief: 7 });
    expect(await get(DESK, id)).toMatchObject({ error: { code: -32_001 } });
  });
});

describe('a session', () => {
  const initialize = {
    ...rpc('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }),
  };
  const open = async (headers: Headers): Promise<Headers> => {
    const answer = await post(SESSIONS, initialize, headers);
    await answer.text();
    return { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
  };
  const use = async (headers: Headers) => {
    const answer = await post(SESSIONS, overMcp('list_creative_formats', {}), headers);
    await answer.text();
    return answer.status;
  };
  const end = async (headers: Headers, method = 'DELETE') =>
    (await web.fetch(SESSIONS, { method, headers: { accept: 'text/event-stream', ...headers } })).status;

  test('is there for whoever opened it, and for nobody else', async () => {
    const session = await open(DESK);
    expect(await use({ ...DESK, ...session })).toBe(200);
    for (const other of [MAGPIE, {}]) {
      expect(await use({ ...other, ...session })).toBe(404);
      expect(await end({ ...other, ...session }, 'GET')).toBe(404);
      expect(await end({ ...other, ...session })).toBe(404);
    }
    expect(await end({ authorization: 'Bearer nonsense', ...session })).toBe(401);
    expect(await use({ ...DESK, ...session })).toBe(200);
    expect(await end({ ...DESK, ...session })).toBe(200);
    expect(await use({ ...DESK, ...session })).toBe(404);
  });

  test('of a caller is not pushed out by those of anonymous ones', async () => {
    const session = await open(DESK);
    const first = await open({});
    for (let opened = 0; opened < 50; opened += 1) await open({});
    expect(await use({ ...DESK, ...session })).toBe(200);
    expect(await use(first)).toBe(404);
  });

  test('of the oldest transport is bound to its opener too', async () => {
    const stream = await web.fetch(OLD, { headers: { accept: 'text/event-stream', ...DESK } });
    const reader = stream.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    const [, path = ''] = /data: (\S+)/.exec(new TextDecoder().decode(value)) ?? [];
    const messages = new URL(path, OLD).href;
    expect((await post(messages, initialize, MAGPIE)).status).toBe(404);
    expect((await post(messages, initialize, DESK)).status).toBe(202);
    await reader?.cancel();
  });
});
