import { describe, expect, test } from 'vitest';
import { A2A, DESK, type Headers, MAGPIE, overA2a, overMcp, rawCalls, rpc, SALES } from './raw-calls.ts';

const SESSIONS = 'https://creative-1.agents.example/mcp';
const OLD = 'https://oldwharf.example/sse';
const { fetch, post } = rawCalls();

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
    (await fetch(SESSIONS, { method, headers: { accept: 'text/event-stream', ...headers } })).status;

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
    const stream = await fetch(OLD, { headers: { accept: 'text/event-stream', ...DESK } });
    const reader = stream.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    const [, path = ''] = /data: (\S+)/.exec(new TextDecoder().decode(value)) ?? [];
    const messages = new URL(path, OLD).href;
    expect((await post(messages, initialize, MAGPIE)).status).toBe(404);
    expect((await post(messages, initialize, DESK)).status).toBe(202);
    await reader?.cancel();
  });
});
