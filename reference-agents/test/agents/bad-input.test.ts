import { describe, expect, test } from 'vitest';
import { A2A, DESK, type Headers, overA2a, overMcp, rawCalls, refusalIn, rpc, SALES } from './raw-calls.ts';

const { post } = rawCalls();

type Answers = readonly [mcp: unknown, a2a: unknown, parameters: unknown];

/** What a task refuses over MCP, over A2A, and over A2A with the older name of the request. */
async function everyWay(task: unknown, input: unknown, headers: Headers = DESK): Promise<Answers> {
  const data = { skill: task, parameters: input };
  const older = rpc('SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data }] } });
  const answers = await Promise.all([
    post(`${SALES}/mcp`, overMcp(task as string, input), headers),
    post(`${SALES}/a2a`, overA2a(task as string, input), { ...A2A, ...headers }),
    post(`${SALES}/a2a`, older, { ...A2A, ...headers }),
  ]);
  const [mcp, a2a, parameters] = await Promise.all(answers.map(async (one) => refusalIn(await one.json())));
  return [mcp, a2a, parameters];
}

const ORDER = { idempotency_key: 'an-order-that-nobody-gets' };

describe('a bad request is refused in the same words over both transports', () => {
  test.each<[string, string, unknown, string, string | undefined]>([
    ['nothing', 'get_products', null, 'INVALID_REQUEST', ''],
    ['a list', 'get_products', [], 'INVALID_REQUEST', ''],
    ['a text', 'get_products', '{"brief":"x"}', 'INVALID_REQUEST', ''],
    ['a number', 'get_products', 7, 'INVALID_REQUEST', ''],
    ['a truth', 'get_products', true, 'INVALID_REQUEST', ''],
    ['a member of another type', 'get_products', { brief: {} }, 'INVALID_REQUEST', '/brief'],
    [
      'a value that is none of the closed list',
      'get_products',
      { buying_mode: 'x' },
      'VALIDATION_ERROR',
      '/buying_mode',
    ],
    ['an object for a list', 'create_media_buy', { ...ORDER, packages: {} }, 'INVALID_REQUEST', undefined],
    ['no idempotency key', 'create_media_buy', {}, 'INVALID_REQUEST', undefined],
    [
      'a version of another major',
      'get_products',
      { proto_version: '9.1' },
      'VERSION_UNSUPPORTED',
      '/proto_version',
    ],
    [
      'a version of the public name',
      'get_products',
      { adcp_version: '9.1' },
      'VERSION_UNSUPPORTED',
      '/adcp_version',
    ],
    [
      'a pre-release of another line',
      'get_products',
      { proto_version: '3.1-beta' },
      'VERSION_UNSUPPORTED',
      '/proto_version',
    ],
    [
      'a pre-release of another line by the public name',
      'get_products',
      { adcp_version: '3.1.0-beta.2' },
      'VERSION_UNSUPPORTED',
      '/adcp_version',
    ],
    [
      'the schema of a pre-release of another line',
      'get_products',
      { $schema: 'https://registry.example/schemas/3.1-beta/media-buy/get_products-request.json' },
      'VERSION_UNSUPPORTED',
      '/$schema',
    ],
    [
      'a version that is none',
      'get_products',
      { proto_version: 'new' },
      'VERSION_UNSUPPORTED',
      '/proto_version',
    ],
    [
      'a version that is a list',
      'get_products',
      { proto_version: ['3.0'] },
      'INVALID_REQUEST',
      '/proto_version',
    ],
    ['a task that nobody has', 'sell_everything', {}, 'UNKNOWN_TASK', undefined],
    ['a task by the name of what every object has', 'constructor', {}, 'UNKNOWN_TASK', undefined],
  ])('%s', async (_what, task, input, code, pointer) => {
    const [mcp, a2a, parameters] = await everyWay(task, input);
    expect(mcp).toMatchObject({ code, ...(pointer !== undefined && { pointer }) });
    expect(a2a).toEqual(mcp);
    expect(parameters).toEqual(mcp);
    if (code === 'VERSION_UNSUPPORTED')
      expect(mcp).toMatchObject({ details: { supported_versions: ['3.0.0'] } });
  });
});

describe('a pre-release of the supported line is read as that line over both transports', () => {
  test.each<[object]>([
    [{ $schema: 'https://registry.example/schemas/3.0.0-rc.1/media-buy/get_products-request.json' }],
    [{ $schema: '/schemas/v3.0-beta/media-buy/get-products-request.json' }],
    [{ proto_version: '3.0-beta' }],
    [{ adcp_version: '3.0.0-rc.2' }],
  ])('%j', async (version) => {
    const answers = await everyWay('get_products', { brief: 'papers of the coast', ...version });
    for (const answer of answers) expect(answer).toHaveProperty(['products', 0, 'product_id']);
  });
});

describe('a message that is none of JSON-RPC is refused in the same words over both transports', () => {
  test.each<[string, string | number | null]>([
    ['[]', null],
    ['[1]', null],
    ['null', null],
    ['"text"', null],
    ['{}', null],
    ['{"jsonrpc":"1.0","id":1,"method":"tools/list"}', 1],
    ['{"jsonrpc":"2.0","id":"a","method":7}', 'a'],
    ['{"jsonrpc":"2.0","id":{},"method":"tools/list"}', null],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}', 1],
  ])('%s', async (body, id) => {
    const answers = await Promise.all(
      (['mcp', 'a2a'] as const).map((one) => post(`${SALES}/${one}`, body, { ...A2A, ...DESK })),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', id, error: { code: -32_600 } });
    }
  });
});

describe('a call that names its task by no text is refused in the same form over both transports', () => {
  test.each<[string, unknown]>([
    ['a number', 7],
    ['a list', ['get_products']],
    ['an object', {}],
    ['null', null],
    ['a truth', true],
    ['nothing at all', undefined],
  ])('%s', async (_what, name) => {
    const older = {
      messageId: 'm',
      role: 'user',
      parts: [{ kind: 'data', data: { skill: name, input: {} } }],
    };
    const answers = await Promise.all([
      post(`${SALES}/mcp`, overMcp(name as string, {}), DESK),
      post(`${SALES}/a2a`, overA2a(name as string, {}), { ...A2A, ...DESK }),
      post(`${SALES}/a2a`, rpc('message/send', { message: older }), DESK),
    ]);
    for (const [index, answer] of answers.entries()) {
      const place = index === 0 ? 'params.name' : 'skill in the data part';
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({
        jsonrpc: '2.0',
        id: 'mine',
        error: { code: -32_602, message: `${place} must be the name of a task, as a string` },
      });
    }
  });

  test('in a batch too, of which nothing is done then', async () => {
    const answer = await post(`${SALES}/mcp`, [overMcp('get_products', {}), rpc('tools/call', {})], DESK);
    expect(await answer.json()).toMatchObject({ id: null, error: { code: -32_602 } });
  });
});

test('a batch over A2A, which has none, is refused in the form of a message that is none', async () => {
  const answer = await post(`${SALES}/a2a`, [overA2a('get_products', {})], { ...A2A, ...DESK });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ id: null, error: { code: -32_600 } });
});

describe('a wrong token is a 401 over both transports, and nothing is done for it as for anybody', () => {
  test.each([
    ['a token that nobody has', 'Bearer nonsense'],
    ['an empty token', 'Bearer '],
    ['another scheme', 'Basic c2FuZGJveDpkZXNr'],
    ['a token without a scheme', 'sandbox-desk'],
    ['two tokens in one', 'Bearer sandbox-desk, Bearer sandbox-magpie'],
    ['a token with a line behind it', 'Bearer sandbox-desk x'],
  ])('%s', async (_what, authorization) => {
    const shown = async (answer: Response) => ({
      status: answer.status,
      asks: answer.headers.get('www-authenticate'),
      body: await answer.json(),
    });
    const mcp = await shown(await post(`${SALES}/mcp`, overMcp('get_products', {}), { authorization }));
    expect(mcp).toMatchObject({ status: 401, asks: expect.stringContaining('Bearer') });
    for (const version of [A2A, {}] as Headers[]) {
      const answer = await post(`${SALES}/a2a`, overA2a('get_products', {}), { authorization, ...version });
      expect(await shown(answer)).toEqual(mcp);
    }
  });
});
