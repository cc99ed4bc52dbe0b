import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { A2A, DESK, overA2a, overMcp, rawCalls, refusalIn, rpc, SALES } from './raw-calls.ts';

const { fetch, origin, post } = rawCalls();

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
    const { hostname, port } = new URL(origin());
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
    const answer = await fetch(`${SALES}/.well-known/agent-card.json`, { method });
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
    'https://hooks.desk.example:8443/',
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
