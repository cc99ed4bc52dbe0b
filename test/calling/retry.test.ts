import { describe, expect, it } from 'vitest';
import { withConnection } from '../../src/calling/connect.ts';
import { CallFailure } from '../../src/calling/failure.ts';
import { a2aAgent } from './support/a2a-agent.ts';
import { answers, CUT, type Fault, RESET, withFaults } from './support/faults.ts';
import { mcpAgent } from './support/mcp-agent.ts';
import { serve } from './support/serve.ts';
import { guardedFetcher, loopbackFetcher } from './support/test-fetcher.ts';
import { visit } from './support/visit.ts';

const AGENT = {
  tools: ['get_products', 'create_media_buy'],
  answers: { get_products: result({ ok: true }), create_media_buy: result({ ok: true }) },
  resources: 2,
};

function result(structuredContent: object) {
  return { structuredContent, content: [] };
}

const PASSING: readonly (readonly [string, Fault])[] = [
  ['429', answers(429)],
  ['502', answers(502, '<title>Bad gateway</title>', { 'content-type': 'text/html' })],
  ['503', answers(503)],
  ['504', answers(504)],
  ['a reset connection', RESET],
  ['a connection that is cut in the answer', CUT],
];

describe.each(PASSING)('%s at the first request', (_name, fault) => {
  it.each(['initialize', 'tools/list', 'resources/list', 'get_products'])(
    'of %s is retried',
    async (kind) => {
      const seen: string[] = [];
      const url = await serve(withFaults(mcpAgent(AGENT), { [kind]: [fault] }, seen));
      const answer = await visit(
        url,
        async (agent) => {
          expect(await agent.listTools()).toHaveLength(2);
          expect(await agent.countResources()).toBe(2);
          return agent.callTask('get_products', {});
        },
        { fetcher: guardedFetcher(), openOrigin: url },
      );
      expect(answer).toMatchObject({ outcome: 'answered', data: { ok: true } });
      expect(seen.filter((one) => one === kind)).toHaveLength(2);
      expect(answer.retried).toBe(kind === 'get_products' ? true : undefined);
    },
  );

  it('of an agent card is retried', async () => {
    const card = '/.well-known/agent-card.json';
    const agent = a2aAgent({ version: '1.0', skills: ['get_products'], answers: {} });
    const url = `${await serve(withFaults(agent, { [`GET ${card}`]: [fault] }))}${card}`;
    const tools = await visit(url, (connection) => connection.listTools(), {
      ...{ protocols: ['a2a'], fetcher: guardedFetcher(), openOrigin: url },
    });
    expect(tools).toMatchObject([{ name: 'get_products' }]);
  });
});

it('each request of the handshake is retried', async () => {
  const busy = answers(503);
  const faults = { initialize: [busy], 'notifications/initialized': [busy], 'tools/list': [busy] };
  const url = await serve(withFaults(mcpAgent(AGENT), faults));
  expect(await visit(url, (agent) => agent.listTools(), { protocols: ['mcp'] })).toHaveLength(2);
});

describe('a call is sent again', () => {
  const busy = answers(503, 'busy');

  it.each<[string, string, object, number]>([
    ['when the task only reads', 'get_products', {}, 2],
    ['when an unknown task says that it reads', 'list_weather', {}, 2],
    ['when it has an idempotency key', 'create_media_buy', { idempotency_key: 'k-1' }, 2],
    ['not when it changes something', 'create_media_buy', {}, 1],
    ['not when an unknown task may change something', 'make_weather', {}, 1],
    ['not when its key is no text', 'create_media_buy', { idempotency_key: 7 }, 1],
  ])('%s', async (_name, task, payload, times) => {
    const seen: string[] = [];
    const url = await serve(withFaults(mcpAgent(AGENT), { [task]: [busy, busy, busy] }, seen));
    const answer = await visit(url, (agent) => agent.callTask(task, payload));
    expect(answer).toMatchObject({
      outcome: 'failed',
      failure: { status: 503, message: 'HTTP 503', words: 'busy' },
    });
    expect(seen.filter((one) => one === task)).toHaveLength(times);
    expect(answer.retried).toBe(times === 2 ? true : undefined);
  });

  it.each<[string, Fault]>([
    ['400', answers(400)],
    ['401', answers(401)],
    ['404', answers(404)],
    ['500', answers(500)],
    ['501', answers(501)],
  ])('not after %s', async (_name, fault) => {
    const seen: string[] = [];
    const url = await serve(withFaults(mcpAgent(AGENT), { get_products: [fault] }, seen));
    expect(await visit(url, (agent) => agent.callTask('get_products', {}))).toMatchObject({
      outcome: 'failed',
    });
    expect(seen.filter((one) => one === 'get_products')).toHaveLength(1);
  });
});

describe('the pause before a retry', () => {
  const paused = async (headers: Record<string, string>, more = {}) => {
    const pauses: number[] = [];
    const fault = answers(503, '', headers);
    const url = await serve(withFaults(mcpAgent(AGENT), { get_products: [fault] }));
    const pause = async (ms: number) => void pauses.push(ms);
    const answer = await visit(url, (agent) => agent.callTask('get_products', {}), { pause, ...more });
    return { pauses, outcome: answer.outcome };
  };
  const clock = { now: () => Date.UTC(2026, 10, 29, 12) };

  it.each<[string, Record<string, string>, number]>([
    ['is a second when the agent names no time', {}, 1_000],
    ['is as long as Retry-After says in seconds', { 'retry-after': '7' }, 7_000],
    ['lasts until the date of Retry-After', { 'retry-after': 'Sun, 29 Nov 2026 12:00:09 GMT' }, 9_000],
    ['is not made for a date in the past', { 'retry-after': 'Sun, 29 Nov 2026 11:00:00 GMT' }, 0],
  ])('%s', async (_name, headers, ms) => {
    expect(await paused(headers, { clock })).toEqual({ pauses: [ms], outcome: 'answered' });
  });

  it('is not made for more than a minute: the first answer stays', async () => {
    expect(await paused({ 'retry-after': '61' }, { deadlineMs: 300_000 })).toEqual({
      pauses: [],
      outcome: 'failed',
    });
  });

  it('is not longer than the rest of the visit', async () => {
    const fetcher = loopbackFetcher();
    const short = {
      ...fetcher,
      visit: ((options, work) =>
        fetcher.visit(options, (one) => work({ ...one, leftMs: () => 6_999 }))) as typeof fetcher.visit,
    };
    expect(await paused({ 'retry-after': '7' }, { fetcher: short })).toEqual({
      pauses: [],
      outcome: 'failed',
    });
  });

  it('ends with the visit', async () => {
    const seen: string[] = [];
    const pauses: number[] = [];
    const url = await serve(
      withFaults(mcpAgent(AGENT), { initialize: [answers(503, '', { 'retry-after': '30' })] }, seen),
    );
    const end = new AbortController();
    const pause = async (ms: number, signal: AbortSignal) => {
      pauses.push(ms);
      setImmediate(() => end.abort());
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    const fetcher = loopbackFetcher();
    const stopped = {
      ...fetcher,
      visit: ((options, work) =>
        fetcher.visit(options, (one) => work({ ...one, signal: end.signal }))) as typeof fetcher.visit,
    };
    const clock = { now: () => Date.now() };
    const options = { url, fetcher: stopped, clock, deadlineMs: 50_000, pause, protocols: ['mcp'] as const };
    const failure = await withConnection(options, async (connection) => connection);
    expect(failure).toBeInstanceOf(CallFailure);
    expect([pauses, seen]).toEqual([[30_000], ['initialize']]);
  });
});

describe('a refusal by the agent itself', () => {
  const refusing = (error: object, times = 1) => {
    let calls = 0;
    const refusal = { isError: true, structuredContent: error, content: [] };
    const answer = () => {
      calls += 1;
      return calls <= times ? refusal : result({ ok: true });
    };
    return { agent: mcpAgent({ tools: ['get_products'], answer }), calls: () => calls };
  };

  it.each<[string, object, number]>([
    ['that is transient', { code: 'X', message: 'later', recovery: 'transient' }, 1_000],
    ['RATE_LIMITED with retry_after', { code: 'RATE_LIMITED', message: 'slow down', retry_after: 3 }, 3_000],
    ['SERVICE_UNAVAILABLE', { code: 'SERVICE_UNAVAILABLE', message: 'restarting' }, 1_000],
  ])('%s is retried once', async (_name, error, ms) => {
    const { agent, calls } = refusing(error);
    const pauses: number[] = [];
    const pause = async (one: number) => void pauses.push(one);
    const answer = await visit(await serve(agent), (one) => one.callTask('get_products', {}), { pause });
    expect(answer).toMatchObject({ outcome: 'answered', retried: true });
    expect([calls(), pauses]).toEqual([2, [ms]]);
  });

  it('is not retried a second time', async () => {
    const { agent, calls } = refusing({ code: 'RATE_LIMITED', message: 'no' }, 5);
    const answer = await visit(await serve(agent), (one) => one.callTask('get_products', {}));
    expect(answer).toMatchObject({ outcome: 'refused', retried: true, error: { code: 'RATE_LIMITED' } });
    expect(calls()).toBe(2);
  });

  it.each<[string, object, object]>([
    [
      'is not retried when it is not transient',
      { code: 'INVALID_REQUEST', message: 'no', retry_after: 1 },
      {},
    ],
    [
      'is the answer where one is expected',
      { code: 'RATE_LIMITED', message: 'no' },
      { retryRefusals: false },
    ],
  ])('%s', async (_name, error, options) => {
    const { agent, calls } = refusing(error);
    const answer = await visit(await serve(agent), (one) => one.callTask('get_products', {}, options));
    expect(answer.outcome).toBe('refused');
    expect(calls()).toBe(1);
  });
});
