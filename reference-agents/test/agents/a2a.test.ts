import { Role } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
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

const A2A = ROSTER.flatMap(({ url, transport }) =>
  transport.protocol === 'a2a'
    ? transport.cards.map((card) => ({ url, card: new URL(card, url).href, ...transport }))
    : [],
);

test('both card names, both places and both versions are there', () => {
  const places = A2A.map(({ card }) => new URL(card).pathname);
  expect(new Set(places)).toEqual(
    new Set(['/.well-known/agent-card.json', '/.well-known/agent.json', '/a2a/.well-known/agent-card.json']),
  );
  expect(new Set(A2A.map(({ versions }) => versions.join()))).toEqual(new Set(['1.0', '0.3', '1.0,0.3']));
});

test.each(A2A)('$card describes an agent of versions $versions', async ({ url, card, versions }) => {
  const published = (await (await web.fetch(card)).json()) as Record<string, unknown>;
  const old = !versions.includes('1.0') || (versions.includes('0.3') && card.endsWith('/agent.json'));
  expect(published).toMatchObject(
    old
      ? { url, protocolVersion: '0.3.0' }
      : {
          supportedInterfaces: versions.map((protocolVersion) => ({
            url,
            protocolBinding: 'JSONRPC',
            protocolVersion,
          })),
        },
  );
  const agent = sandbox.expectations.agents.find(({ declaredUrl }) => declaredUrl === url);
  expect((published.skills as { id: string }[]).map(({ id }) => id)).toEqual(agent?.tools);
});

const rpc = async (
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, never>> => {
  const answer = await web.fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
  });
  return (await answer.json()) as Record<string, never>;
};

const oldMessage = (data: object) => ({
  method: 'message/send',
  params: { message: { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'data', data }] } },
});

describe('version 1.0', () => {
  test('the SDK client gets capabilities as the last data part of the first artifact', async () => {
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory({ fetchImpl: web.fetch })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl: web.fetch }),
    });
    const client = await factory.createFromUrl('https://quietcount.example');
    const data = { skill: capabilitiesTask('https://quietcount.example/a2a'), input: {} };
    const result = await client.sendMessage({
      message: {
        messageId: 'm1',
        contextId: '',
        taskId: '',
        role: Role.ROLE_USER,
        parts: [
          { content: { $case: 'data', value: data }, metadata: undefined, filename: '', mediaType: '' },
        ],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
      },
      tenant: '',
      configuration: undefined,
      metadata: undefined,
    });
    const part = 'artifacts' in result ? result.artifacts[0]?.parts.at(-1) : undefined;
    expect(part?.content).toMatchObject({
      $case: 'data',
      value: { measurement: { metrics: expect.any(Array) } },
    });
  });

  test('a plain call has the states and names of the version', async () => {
    const message = {
      messageId: 'm1',
      role: 'ROLE_USER',
      parts: [{ data: { skill: 'get_signals', input: { signal_spec: 'people by the sea' } } }],
    };
    const answer = await rpc(
      'https://weathervane.example/a2a',
      { method: 'SendMessage', params: { message } },
      { 'a2a-version': '1.0' },
    );
    expect(answer).toMatchObject({
      result: { task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{}] } },
    });
  });

  test('an old call is told that its version is not spoken', async () => {
    const answer = await rpc(
      'https://weathervane.example/a2a',
      oldMessage({ skill: 'get_signals', input: {} }),
    );
    expect(answer).toMatchObject({ error: { code: expect.any(Number) } });
  });
});

describe('version 0.3', () => {
  test.each([
    ['https://pinegrove.example/a2a/', 'a skill that the card leaves out'],
    ['https://inkpot.example/a2a', 'a card under the path'],
    ['https://footbridge.example/a2a', 'the old card name'],
    ['https://fairweather.example/a2a', 'both versions'],
  ])('%s answers message/send (%s)', async (url) => {
    const answer = await rpc(url, oldMessage({ skill: capabilitiesTask(url), input: {} }));
    expect(answer).toMatchObject({
      result: {
        kind: 'task',
        status: { state: 'completed' },
        artifacts: [
          { parts: [{ kind: 'text' }, { kind: 'data', data: { supported_protocols: expect.any(Array) } }] },
        ],
      },
    });
  });

  test.each([
    ['parameters', 'completed'],
    ['input', 'failed'],
  ])('the oldest agent given %s: %s', async (key, state) => {
    const answer = await rpc(
      'https://cuttlebone.example/a2a',
      oldMessage({ skill: 'get_rights', [key]: {} }),
    );
    expect(answer).toMatchObject({ result: { status: { state } } });
  });

  test('what is wrong with a request is a failed task with the error of the protocol', async () => {
    const answer = await rpc(
      'https://inkpot.example/a2a',
      oldMessage({ skill: 'build_creative', input: {} }),
    );
    expect(answer).toMatchObject({
      result: {
        status: { state: 'failed' },
        artifacts: [{ parts: [{}, { data: { code: 'INVALID_REQUEST', pointer: '/idempotency_key' } }] }],
      },
    });
  });
});

function capabilitiesTask(url: string): string {
  const vocabulary = ROSTER.findIndex((spec) => spec.url === url) % 2 === 0 ? 'proto' : 'adcp';
  return `get_${vocabulary}_capabilities`;
}
