import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { bodyOf, html, json, serve } from './support/serve.ts';
import { visit } from './support/visit.ts';

type Binding = 'JSONRPC' | 'HTTP+JSON';
type Write = (response: ServerResponse, body: Record<string, unknown>) => void;

/** An A2A 1.0 agent by hand: a card, and one way to answer whatever is sent. */
async function agentOf(protocolBinding: Binding, write: Write): Promise<string> {
  return serve(async (request, response) => {
    if (request.method !== 'GET') return write(response, (await bodyOf(request)) ?? {});
    const url = `http://${request.headers.host}/a2a`;
    const supportedInterfaces = [{ url, protocolBinding, protocolVersion: '1.0' }];
    return json(response, { name: 'By hand', supportedInterfaces, skills: [] });
  });
}

const calling = async (binding: Binding, write: Write, options: { readonly callMs?: number } = {}) =>
  visit(await agentOf(binding, write), (agent) => agent.callTask('t', { a: 1 }, options), {
    protocols: ['a2a'],
  });

const task = (state: string, ...data: readonly unknown[]) => ({
  task: {
    id: 't',
    contextId: 'c',
    status: { state },
    artifacts: [{ artifactId: 'r', parts: data.map((item) => ({ data: item })) }],
  },
});

describe('an A2A agent over HTTP+JSON', () => {
  it('answers with the last data part of its first artifact', async () => {
    const answer = await calling('HTTP+JSON', (response) =>
      json(response, task('TASK_STATE_COMPLETED', { draft: true }, { deep: { list: [1, null] } })),
    );
    expect(answer).toMatchObject({ outcome: 'answered', status: 200, data: { deep: { list: [1, null] } } });
  });

  it('refuses with a failed task', async () => {
    const answer = await calling('HTTP+JSON', (response) =>
      json(response, task('TASK_STATE_FAILED', { errors: [{ code: 'CONFLICT', message: 'no' }] })),
    );
    expect(answer).toMatchObject({ outcome: 'refused', error: { code: 'CONFLICT' } });
  });

  it('fails with a status, and what it said is kept', async () => {
    const answer = await calling('HTTP+JSON', (response) =>
      json(response, { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'no' } }, 400),
    );
    expect(answer).toMatchObject({ outcome: 'failed', failure: { errorClass: 'http_error', status: 400 } });
    expect(answer.raw).toContain('INVALID_ARGUMENT');
  });
});

describe('an A2A agent over JSON-RPC', () => {
  it('refuses with an error of JSON-RPC, whatever the status', async () => {
    for (const status of [200, 400, 500]) {
      const error = { code: -32_602, message: 'no such skill', data: [{ '@type': 'x' }] };
      const answer = await calling('JSONRPC', (response, { id }) =>
        json(response, { jsonrpc: '2.0', id, error }, status),
      );
      expect(answer).toMatchObject({
        outcome: 'refused',
        status,
        error: { rpcCode: -32_602, message: 'no such skill', object: error },
      });
    }
  });

  it.each([
    ['a 401', (response: ServerResponse) => html(response, 401), 'auth_required'],
    ['a 404', (response: ServerResponse) => html(response, 404), 'wrong_path'],
    ['a page', (response: ServerResponse) => html(response, 200), 'not_protocol'],
    ['10 MB', (response: ServerResponse) => json(response, { x: 'x'.repeat(10_000_000) }), 'too_large'],
    ['a number', (response: ServerResponse) => json(response, 7), 'not_protocol'],
  ])('gives no answer with %s', async (_name, write, errorClass) => {
    const answer = await calling('JSONRPC', (response) => void write(response));
    expect(answer).toMatchObject({ outcome: 'failed', failure: { errorClass } });
  });

  it('gives no answer with nothing', async () => {
    const answer = await calling('JSONRPC', () => undefined, { callMs: 200 });
    expect(answer).toMatchObject({ outcome: 'failed', failure: { errorClass: 'timeout' } });
  });

  it.each([
    [
      'of prose',
      {
        status: {
          state: 'TASK_STATE_FAILED',
          message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'closed' }] },
        },
      },
    ],
    ['without a word', { status: { state: 'TASK_STATE_REJECTED' } }],
  ])('may refuse with a task %s', async (_name, more) => {
    const answer = await calling('JSONRPC', (response, { id }) =>
      json(response, { jsonrpc: '2.0', id, result: { task: { id: 't', contextId: 'c', ...more } } }),
    );
    expect(answer).toMatchObject({ outcome: 'refused', error: { object: {} } });
  });
});

describe('an answer of any shape', () => {
  const shapes: readonly unknown[] = [
    null,
    7,
    'text',
    [],
    {},
    { task: null },
    { task: {} },
    { task: { status: null, artifacts: null } },
    { task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [null, 7] } },
    { task: { status: { state: 'NOT_A_STATE' }, artifacts: [{ parts: [{}] }] } },
    { message: { parts: null } },
    { message: { parts: [null] } },
    { kind: 'task', status: 3 },
    { kind: 'message', parts: 'x' },
  ];

  it.each(shapes)('is no answer, and no exception: %j', async (result) => {
    const answer = await calling('JSONRPC', (response, { id }) =>
      json(response, { jsonrpc: '2.0', id, result }),
    );
    expect(answer).toMatchObject({ outcome: 'failed', failure: { errorClass: 'not_protocol' } });
  });
});
