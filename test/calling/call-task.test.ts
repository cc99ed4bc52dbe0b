import { describe, expect, it } from 'vitest';
import { rpcAgent, rpcError } from './support/rpc.ts';
import { html, json, serve } from './support/serve.ts';
import { type Shop, TRANSPORTS } from './support/shop.ts';
import { loopbackFetcher } from './support/test-fetcher.ts';
import { visit } from './support/visit.ts';

const ERROR = {
  code: 'BUDGET_TOO_LOW',
  message: '/packages/0/budget must be at least 100',
  pointer: '/packages/0/budget',
  recovery: 'correctable',
  retry_after: 1.5,
  details: { minimum: 100, of_ours: [null, true, 'ü'] },
};

/** Answers with what it was asked, and says no to a purchase. */
const echo: Shop = (task, input) =>
  task === 'create_media_buy' ? { error: ERROR } : { data: { task, input } };

describe.each(TRANSPORTS)('calling a task over $name', ({ listen, path, protocol }) => {
  it('brings its data back, under whichever name the payload is wanted', async () => {
    const url = `${await serve(listen(echo))}${path}`;
    const payload = { brief: 'coffee ☕ in Ghent', nested: { list: [1, null, { a: '' }] } };
    const answer = await visit(url, async (agent) => {
      expect(agent.protocol).toBe(protocol);
      return agent.callTask('get_products', payload);
    });
    expect(answer).toMatchObject({ outcome: 'answered', data: { task: 'get_products', input: payload } });
    expect(answer.raw).toContain('coffee ☕ in Ghent');
    expect(answer.status).toBeGreaterThanOrEqual(200);
  });

  it('brings its refusal back as the agent wrote it', async () => {
    const url = `${await serve(listen(echo))}${path}`;
    const answer = await visit(url, (agent) => agent.callTask('create_media_buy', { budget: 1 }));
    const { code, message, pointer, recovery } = ERROR;
    expect(answer).toMatchObject({
      outcome: 'refused',
      error: { code, message, pointer, recovery, retryAfter: 1.5, object: ERROR },
    });
  });

  it('says that the agent hangs, and calls the next task all the same', async () => {
    const shop = listen(echo);
    const url = `${await serve((request, response) => {
      if (request.headers['x-hang'] === undefined) return shop(request, response);
    })}${path}`;
    let hang = false;
    const answers = await visit(
      url,
      async (agent) => {
        hang = true;
        const first = await agent.callTask('get_products', { brief: 'a' }, { callMs: 150 });
        hang = false;
        return [first, await agent.callTask('get_products', { brief: 'b' })];
      },
      {
        wrap: (fetch) => (input, init) => {
          const headers = new Headers(init?.headers);
          if (hang) headers.set('x-hang', '1');
          return fetch(input, { ...init, headers });
        },
      },
    );
    expect(answers).toMatchObject([
      { outcome: 'failed', failure: { errorClass: 'timeout', message: 'no answer within 150 ms' } },
      { outcome: 'answered', data: { input: { brief: 'b' } } },
    ]);
  });

  it('reads no answer that is larger than allowed', async () => {
    const large: Shop = () => ({ data: { filler: 'x'.repeat(300_000) } });
    const url = `${await serve(listen(large))}${path}`;
    const [enough, small] = await visit(url, async (agent) => [
      await agent.callTask('get_products', { a: 1 }),
      await agent.callTask('get_products', { a: 1 }, { maxBytes: 200_000 }),
    ]);
    expect(small).toMatchObject({ outcome: 'failed', failure: { errorClass: 'too_large' } });
    expect(enough).toMatchObject({ outcome: 'answered' });
  });
});

describe('an answer of an MCP agent', () => {
  const call = async (result: unknown) =>
    visit(await serve(rpcAgent({ 'tools/call': () => result })), (agent) => agent.callTask('t', {}));

  it.each([
    ['at its root', { structuredContent: { code: 'X', message: 'no' } }],
    ['under error', { structuredContent: { error: { code: 'X', message: 'no' } } }],
    ['under adcp_error', { structuredContent: { adcp_error: { code: 'X', message: 'no' } } }],
    ['first in errors', { structuredContent: { errors: [{ code: 'X', message: 'no' }] } }],
    ['as text', { content: [{ type: 'text', text: '{"code":"X","message":"no"}' }] }],
    ['as text, nested', { content: [{ type: 'text', text: '{"errors":[{"code":"X","message":"no"}]}' }] }],
  ])('has its error %s', async (_name, result) => {
    expect(await call({ isError: true, ...result })).toMatchObject({
      outcome: 'refused',
      error: { code: 'X', message: 'no', object: { code: 'X', message: 'no' } },
    });
  });

  it('may be a refusal in prose', async () => {
    const answer = await call({ isError: true, content: [{ type: 'text', text: 'we are closed' }] });
    expect(answer).toMatchObject({ outcome: 'refused', error: { message: 'we are closed', object: {} } });
  });

  it.each([
    ['a list', { structuredContent: [1] }],
    ['prose', { content: [{ type: 'text', text: 'hello' }] }],
    ['nothing', {}],
  ])('is none of the protocol when it is %s', async (_name, result) => {
    expect(await call(result)).toMatchObject({ outcome: 'failed', failure: { errorClass: 'not_protocol' } });
  });

  it('is not read when it is nested without end', async () => {
    const nested = `${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}`;
    const agent = rpcAgent({
      'tools/call': {
        raw: (response, { id }) =>
          void response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(`{"jsonrpc":"2.0","id":${String(id)},"result":{"structuredContent":${nested}}}`),
      },
    });
    const answer = await visit(await serve(agent), (connection) => connection.callTask('t', {}));
    expect(answer).toMatchObject({ outcome: 'failed', failure: { errorClass: 'too_large' } });
  });
});

describe('what comes instead of an answer', () => {
  const calling = async (raw: Parameters<typeof rpcAgent>[0][string]) =>
    visit(await serve(rpcAgent({ 'tools/call': raw })), (agent) => agent.callTask('t', {}));

  it('is a refusal where it is an error of JSON-RPC, whole and as it came', async () => {
    const answer = await calling({
      raw: (response, rpc) => json(response, rpcError(rpc, -32_602, 'no such tool: t')),
    });
    expect(answer).toMatchObject({
      outcome: 'refused',
      error: { rpcCode: -32_602, message: 'no such tool: t', object: { code: -32_602 } },
    });
  });

  it('is the protocol’s own error where JSON-RPC carries one', async () => {
    const data = { code: 'UNKNOWN_TASK', message: 'no such task', recovery: 'terminal' };
    const answer = await calling({
      raw: (response, { id }) =>
        json(response, { jsonrpc: '2.0', id, error: { code: -32_602, message: 'no', data } }, 400),
    });
    expect(answer).toMatchObject({
      outcome: 'refused',
      status: 400,
      error: { code: 'UNKNOWN_TASK', recovery: 'terminal', rpcCode: -32_602, object: data },
    });
  });

  it.each([
    [401, 'auth_required'],
    [403, 'auth_required'],
    [404, 'wrong_path'],
    [429, 'http_error'],
    [500, 'http_error'],
  ])('is the status %i', async (status, errorClass) => {
    const answer = await calling({ raw: (response) => html(response, status) });
    expect(answer).toMatchObject({ outcome: 'failed', status, failure: { errorClass, status } });
    expect(answer.raw).toContain('<!doctype html>');
  });

  it('is garbage', async () => {
    const answer = await calling({
      raw: (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{{{'),
    });
    expect(answer).toMatchObject({ outcome: 'failed', failure: { errorClass: 'not_protocol' }, raw: '{{{' });
  });

  it('is a page', async () => {
    const answer = await calling({ raw: (response) => html(response, 200) });
    expect(answer).toMatchObject({ outcome: 'failed', failure: { errorClass: 'not_protocol' } });
  });

  it('is a connection that breaks', async () => {
    const answer = await calling({ raw: (response) => void response.destroy() });
    expect(answer).toMatchObject({ outcome: 'failed', failure: { errorClass: 'refused' } });
  });
});

describe('credentials of one call', () => {
  it('are those of the visit, others, or none, and stand in no answer', async () => {
    const fetcher = loopbackFetcher();
    const shop: Shop = (_task, input) => ({ data: { 'first-token': 'first-token other-token', input } });
    const origin = await serve(TRANSPORTS[0]?.listen(shop) ?? (() => undefined));
    const answers = await visit(
      origin,
      async (agent) => {
        fetcher.seen.length = 0;
        return [
          await agent.callTask('t', {}),
          await agent.callTask('t', {}, { auth: 'other-token' }),
          await agent.callTask('t', {}, { auth: null }),
          await agent.callTask('t', {}),
        ];
      },
      { fetcher, auth: 'first-token' },
    );
    expect(fetcher.seen.map(({ authorization }) => authorization)).toEqual([
      'Bearer first-token',
      'Bearer other-token',
      null,
      'Bearer first-token',
    ]);
    expect(JSON.stringify(answers)).not.toContain('first-token');
    expect(JSON.stringify(answers[1])).not.toContain('other-token');
  });
});
