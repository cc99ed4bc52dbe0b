import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Health } from '../../src/domain/observation.ts';
import type { ProbeRequest } from '../../src/probe/probe.ts';
import { rpcAgent, rpcError } from '../calling/support/rpc.ts';
import { html, json, NOBODY, serve } from '../calling/support/serve.ts';
import { patientTime } from '../support/patient-time.ts';
import { NOW, probeAt } from './support/probe-at.ts';

const HTML_EVERYWHERE: RequestListener = (_request, response) => html(response, 200);
const status =
  (code: number): RequestListener =>
  (_request, response) =>
    html(response, code);

interface Case {
  readonly name: string;
  readonly agent: RequestListener;
  readonly expect: Partial<Health>;
  readonly more?: Partial<ProbeRequest>;
}

const CASES: readonly Case[] = [
  { name: 'a path with nothing', agent: status(404), expect: { online: false, errorClass: 'wrong_path' } },
  { name: 'a path that is gone', agent: status(410), expect: { online: false, errorClass: 'wrong_path' } },
  { name: 'a web site', agent: HTML_EVERYWHERE, expect: { online: false, errorClass: 'not_protocol' } },
  {
    name: 'a web site that knows no POST',
    agent: (request, response) =>
      html(response, request.method === 'POST' ? 405 : request.url === '/' ? 200 : 404),
    expect: { online: false, errorClass: 'not_protocol' },
  },
  {
    name: 'a demand for credentials',
    agent: status(401),
    expect: { online: true, errorClass: 'auth_required' },
  },
  {
    name: 'a demand for credentials beside a card that never comes',
    agent: (request, response) =>
      request.method === 'POST'
        ? html(response, 401)
        : request.url?.includes('well-known')
          ? undefined
          : html(response, 404),
    expect: { online: true, errorClass: 'auth_required' },
    more: { callMs: 1_500 },
  },
  {
    name: 'a demand for credentials beside a card whose connection breaks',
    agent: (request, response) => (request.method === 'POST' ? html(response, 401) : void response.destroy()),
    expect: { online: true, errorClass: 'auth_required' },
  },
  { name: 'a refusal', agent: status(403), expect: { online: true, errorClass: 'auth_required' } },
  {
    name: 'a file server that hides missing files',
    agent: (request, response) => html(response, request.method === 'POST' ? 405 : 403),
    expect: { online: false, errorClass: 'wrong_path' },
  },
  { name: 'a broken server', agent: status(500), expect: { online: false, errorClass: 'http_error' } },
  { name: 'an overloaded server', agent: status(503), expect: { online: false, errorClass: 'http_error' } },
  {
    name: 'json that is no json-rpc',
    agent: (_request, response) => json(response, { hello: ['world'] }),
    expect: { online: false, errorClass: 'not_protocol' },
  },
  {
    name: 'json-rpc that is no agent',
    agent: (_request, response) => json(response, rpcError({ id: 0 }, -32_601, 'Method not found')),
    expect: {
      ...{ online: false, errorClass: 'not_protocol' },
      ...{ error: 'JSON-RPC error -32601', words: 'Method not found' },
    },
  },
  {
    name: 'a protocol version of the future',
    agent: rpcAgent({
      initialize: () => ({ protocolVersion: '9', capabilities: {}, serverInfo: { name: 'x', version: '1' } }),
    }),
    expect: { online: false, errorClass: 'not_protocol' },
  },
  {
    name: 'a card that is html',
    agent: (request, response) => html(response, request.url?.includes('well-known') ? 200 : 404),
    expect: { online: false, errorClass: 'not_protocol' },
  },
  {
    name: 'a connection that breaks',
    agent: (request) => void request.socket.destroy(),
    expect: { online: false, errorClass: 'refused' },
  },
  {
    name: 'a server that never answers',
    agent: () => undefined,
    expect: { online: false, errorClass: 'timeout' },
    more: { callMs: 50 },
  },
  {
    name: 'an event stream that never says anything',
    agent: (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
    expect: { online: false, errorClass: 'timeout' },
    more: { callMs: 50 },
  },
  {
    name: 'a server that outlasts the visit',
    agent: () => undefined,
    expect: { online: false, errorClass: 'timeout' },
    more: { deadlineMs: 50 },
  },
  {
    name: 'an answer without end',
    agent: (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) {}
      };
      response.on('drain', more);
      more();
    },
    expect: { online: false, errorClass: 'too_large' },
  },
];

describe('an agent that cannot be spoken to', () => {
  it.each(CASES)('tells $name', async ({ agent, expect: health, more }) => {
    patientTime();
    const seen = await probeAt(await serve(agent), more);
    expect(seen.health).toMatchObject(health);
    // beside `online: true` an error says that it is there all the same
    if (seen.health.online)
      expect(seen.health.error).toMatch(/^the agent answers, but requires credentials: HTTP 40[13]/);
    expect(seen.exposed).toBeUndefined();
    expect(seen.protocol).toBeUndefined();
    expect(seen.steps.every((step) => !step.ok)).toBe(true);
  });

  it('tries once more where nobody listens, and no other address', async () => {
    const seen = await probeAt(NOBODY);
    expect(seen.health).toMatchObject({ online: false, errorClass: 'refused' });
    expect(seen.steps.map(({ step }) => step)).toEqual(['initialize', 'initialize']);
  });

  it.each<[string, RequestListener, Partial<Health>]>([
    [
      'an unknown Host header',
      (_request, response) =>
        void response.writeHead(403, { 'content-type': 'text/plain' }).end('Invalid Host header'),
      {
        ...{ online: true, errorClass: 'auth_required', status: 403, words: 'Invalid Host header' },
        error: 'the agent answers, but refuses the request: HTTP 403',
      },
    ],
    [
      'an unknown protocol version',
      (_request, response) =>
        json(
          response,
          rpcError({ id: null }, -32_000, 'Unsupported protocol version, supported: 2025-03-26'),
          400,
        ),
      {
        ...{ online: false, errorClass: 'http_error', status: 400, error: 'HTTP 400' },
        words: 'Unsupported protocol version, supported: 2025-03-26 (JSON-RPC error -32000)',
      },
    ],
  ])('quotes the agent, apart from our own sentence: %s', async (_name, agent, health) => {
    expect((await probeAt(await serve(agent))).health).toEqual(health);
  });

  it('does not ask an overloaded host again at each of its addresses', async () => {
    const seen = await probeAt(await serve(status(503)));
    const times = new Map<string, number>();
    for (const { step, url } of seen.steps)
      times.set(`${step} ${url}`, (times.get(`${step} ${url}`) ?? 0) + 1);
    expect([...times.values()]).toEqual([2, 1, 1, 1]);
  });

  it('tells that the guard refused the address', async () => {
    const seen = await probeAt('https://agent.example/');
    expect(seen.health).toMatchObject({ online: false, errorClass: 'blocked' });
  });

  it.each([
    ['120', NOW + 120_000],
    [new Date(NOW + 60_000).toUTCString(), NOW + 60_000],
    ['999999999', NOW + 86_400_000],
    [new Date(NOW - 60_000).toUTCString(), undefined],
    ['soon', undefined],
  ])('comes back when it is told to: %s', async (header, expected) => {
    const seen = await probeAt(
      await serve((_request, response) => html(response, 429, { 'retry-after': header })),
    );
    expect(seen.retryAt).toBe(expected);
  });
});
