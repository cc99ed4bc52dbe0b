import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fetcher } from '../../src/ports/fetcher.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { serve } from '../calling/support/serve.ts';
import { fetcherFor } from '../crawl/fetch/web.ts';
import { patientTime } from '../support/patient-time.ts';
import { type ByHand, data, sendText, startByHand } from './support/agent-by-hand.ts';
import { answered, OPEN, resultsOf, runAt, stepOf, withPhases } from './support/runs.ts';

const ask = (seconds: number) =>
  withPhases(`  - id: p
    steps:
      - id: s
        task: get_products
        timeout_seconds: ${seconds}
        context_outputs: [{path: products, name: all, default: none}]
        validations:
          - {check: response_schema}
          - {check: field_present, path: "products[*].product_id"}
          - {check: field_contains, path: products, value: {product_id: p-1}}
      - {id: after, task: get_products, sample_request: {all: $context.all}, validations: [{check: http_status, value: 200}]}
`);

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const repeated = (times: number, text: (index: number) => string) =>
  Array.from({ length: times }, (_, i) => text(i)).join(',');
const head =
  (status: number, headers: Record<string, string>, body: string | Buffer = ''): ByHand =>
  (response) =>
    void response.writeHead(status, headers).end(body);
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };
const BOMB = gzipSync(Buffer.alloc(50_000_000, 0x20));

/** Sends a little for ever. */
function dripping(type: Record<string, string>, drop: string): ByHand {
  return (response) => {
    response.writeHead(200, type);
    const timer = setInterval(() => response.write(drop), 20);
    response.once('close', () => clearInterval(timer));
  };
}

const LATE = String.raw`; received \d+ bytes that do not answer this call`;

let fetcher: Fetcher;

beforeAll(() => {
  fetcher = fetcherFor();
});

afterAll(() => fetcher.close());

/** Runs the storyboard over the guarded fetcher; what it came to has to stay small whatever the agent sends. */
async function runOf(answer: ByHand, seconds = 30) {
  const url = await startByHand({ answer });
  const openOrigin = new URL(url).origin;
  const run = await runAt(url, [ask(seconds)], { fetcher, openOrigin });
  expect(run.outcome).toBe('complete');
  expect(JSON.stringify(run).length).toBeLessThan(100_000);
  return run;
}

describe('an answer that is no answer fails the step, which says what came', () => {
  it.each<[string, ByHand, string]>([
    ['10,000 levels', data(nested(10_000)), 'the answer is nested more than 256 deep'],
    [
      '10,000 lists in each other',
      data(`{"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
      'the answer is nested more than 256 deep',
    ],
    [
      'a refusal of 10,000 levels',
      (response, id) =>
        sendText(
          response,
          id,
          `{"isError":true,"structuredContent":{"code":"NO","details":${nested(10_000)}}}`,
        ),
      'the answer is nested more than 256 deep',
    ],
    [
      '1,000,000 keys',
      data(`{${repeated(1_000_000, (i) => `"${i}":0`)}}`),
      'the answer is larger than the limit of 2,048 KiB',
    ],
    [
      '150,000 keys',
      data(`{${repeated(150_000, (i) => `"${i}":0`)}}`),
      'the answer holds more than 100,000 values',
    ],
    [
      '600,000 products',
      data(`{"products":[${repeated(600_000, () => '{}')}]}`),
      'the answer holds more than 100,000 values',
    ],
    [
      '50 MB in 50 KB of gzip',
      head(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }, BOMB),
      'the answer is larger than the limit of 2,048 KiB',
    ],
    [
      'a stream of events that say nothing',
      head(200, EVENTS, 'data:{}\n\n'.repeat(100_000)),
      'the stream has more than 5000 events',
    ],
    ['null', head(200, JSON_TYPE, 'null'), 'the answer is not a valid protocol message'],
    ['nothing', head(200, JSON_TYPE), 'the answer is not valid JSON'],
    [
      'a stream that ends too soon',
      head(200, EVENTS, 'id: 1\nretry: 1\ndata: \n\n'),
      'the stream ended without an answer',
    ],
    [
      'half an answer',
      head(200, JSON_TYPE, '{"jsonrpc":"2.0","id":3,"result":{"struct'),
      expect.stringContaining('JSON') as never,
    ],
    [
      'prose',
      (response, id) => sendText(response, id, '{"content":[{"type":"text","text":"Hello!"}]}'),
      'the answer is not a JSON object',
    ],
    ['a status that is none', head(599, {}, 'x'.repeat(100_000)), `HTTP 599: ${'x'.repeat(300)}`],
    ['a redirect to itself', head(307, { location: '/' }), 'redirect loop'],
    [
      'a redirect to a private address',
      head(307, { location: 'http://10.0.0.1/mcp' }),
      expect.stringContaining('the redirect leads to http://10.0.0.1, which is outside'),
    ],
    [
      'a redirect to a file',
      head(307, { location: 'file:///etc/passwd' }),
      expect.stringContaining('the redirect leads to file://, which is outside'),
    ],
  ])('%s', async (_name, answer, message) => {
    const run = await runOf(answer);
    expect(stepOf(run, 's')).toMatchObject({ result: 'fail', evidence: { outcome: 'failed' } });
    expect(stepOf(run, 's').checks[0]).toMatchObject({
      check: 'expect_success',
      message: expect.stringMatching(/^no valid protocol answer: \w+$/),
      expected: 'an answer',
      actual: message,
    });
  });

  it.each<[string, ByHand, string]>([
    ['nothing at all', () => undefined, ''],
    ['comments of an event stream', dripping(EVENTS, ': still here\n\n'), LATE],
    ['white space', dripping(JSON_TYPE, ' '), LATE],
    [
      'an answer to another call',
      (response) => sendText(response, 'another', '{}'),
      '; received 44 bytes that do not answer this call',
    ],
    ['a list', head(200, JSON_TYPE, '[]'), '; received 2 bytes that do not answer this call'],
  ])('%s, for as long as a step may take', async (_name, answer, message) => {
    patientTime();
    const run = await runOf(answer, 0.3);
    expect(resultsOf(run)).toEqual(['s: fail', 'after: prerequisite_failed']);
    expect(stepOf(run, 's').checks[0]).toMatchObject({
      message: 'no valid protocol answer: timeout',
      actual: expect.stringMatching(new RegExp(`^no answer within 300 ms${message}$`)),
    });
  });
});

describe('an answer that is odd is judged as it is', () => {
  it.each<[string, string, string, object]>([
    [
      'a number beyond every double',
      '{"products":[{"product_id":1e999}]}',
      'response_schema',
      {
        message: '/products/0/product_id cannot be read: a number outside the range of a double',
        pointer: '/products/0/product_id',
      },
    ],
    [
      'half a character',
      '{"products":[{"product_id":"\\ud800"}]}',
      'response_schema',
      { message: '/products/0/product_id cannot be read: a string with an unpaired surrogate' },
    ],
    [
      'a name of 1 MB',
      `{"products":[{"${'k'.repeat(1_000_000)}":1}]}`,
      'response_schema',
      { message: '/products/0 cannot be read: a field name of more than 255 characters' },
    ],
    [
      'more levels than a payload has',
      `{"products":[${nested(100)}]}`,
      'response_schema',
      { message: expect.stringMatching(/^\/products\/0(\/a)+ cannot be read: nested more than 32 deep$/) },
    ],
    [
      'a prototype',
      '{"__proto__":{"products":[{"product_id":"p-1"}]},"constructor":{"prototype":{"products":[]}}}',
      'field_present',
      { message: '/products is missing' },
    ],
    [
      'one key twice: the last one counts',
      '{"products":[{"product_id":"p-1"}],"products":[]}',
      'field_present',
      { message: '/products/0 is missing' },
    ],
    [
      'a path into text',
      '{"products":"[{\\"product_id\\":\\"p-1\\"}]"}',
      'field_present',
      { message: '/products/0 is missing' },
    ],
  ])('%s', async (_name, text, check, told) => {
    const run = await runOf(data(text));
    expect(stepOf(run, 's').checks.find((one) => one.check === check)).toMatchObject({
      result: 'fail',
      ...told,
    });
    expect(({} as Record<string, unknown>).products).toBeUndefined();
  });

  it('a refusal with a code and a message of a megabyte each is cut wherever it is kept', async () => {
    const error = { code: 'C'.repeat(1_000_000), message: 'm'.repeat(700_000) };
    const run = await runOf((response, id) =>
      sendText(response, id, JSON.stringify({ isError: true, structuredContent: { error } })),
    );
    const [check] = stepOf(run, 's').checks;
    expect(check).toMatchObject({
      message: 'the agent refused',
      actual: expect.stringMatching(/… \(\d+ characters\)$/),
    });
  });
});

describe('a list of what an agent offers', () => {
  const fine = data('{"products":[{"product_id":"p-1"}]}');
  const only = withPhases('  - {id: p, steps: [{id: s, task: get_products}]}\n');

  it.each<[string, readonly unknown[], object]>([
    [
      '100,000 tools',
      [{ name: 'get_products' }, ...Array.from({ length: 100_000 }, (_, i) => ({ name: `t${i}` }))],
      { agent: { tools_count: 100_002 }, totals: { steps: { passed: 1 } } },
    ],
    [
      'a name of 1 MB',
      [{ name: 'x'.repeat(1_000_000) }, { name: 'get_products' }],
      { agent: { tools_count: 2 }, totals: { steps: { passed: 1 } } },
    ],
    [
      'prototypes',
      [{ name: '__proto__' }, { name: 'constructor' }, { name: 'get_products' }],
      { agent: { tools_count: 4 }, totals: { steps: { passed: 1 } } },
    ],
    [
      'entries that are none',
      [null, 7, [], { name: {} }, { name: '' }],
      { agent: { tools_count: 1 }, totals: { steps: { skipped: 1 } } },
    ],
  ])('with %s is read', async (_name, tools, expected) => {
    expect(await runAt(await startByHand({ tools, answer: fine }), [only])).toMatchObject({
      outcome: 'complete',
      ...expected,
    });
  });

  it('on 45 pages is read to its end', async () => {
    const tools = [
      ...Array.from({ length: 44 }, (_, i) => `t${i}`),
      'get_proto_capabilities',
      'get_products',
    ];
    const answer = (task: string) => answered(task === 'get_products' ? {} : OPEN);
    const agent = mcpAgent({ tools, pageSize: 1, answer });
    const url = await serve((request, response) => void agent(request, response));
    const board = withPhases(
      '  - {id: p, steps: [{id: s, task: get_products}, {id: t, task: get_adcp_capabilities, auth: none}]}\n',
    );
    expect(await runAt(`${url}/`, [board])).toMatchObject({
      agent: { tools_count: 46, sandbox: true },
      totals: { steps: { passed: 2 } },
    });
  });

  it('of more than 4 MiB is no list: the agent cannot be spoken to', async () => {
    const tools = [{ name: 'get_products', description: 'x'.repeat(4_300_000) }];
    expect(await runAt(await startByHand({ tools, answer: fine }), [only])).toMatchObject({
      outcome: 'unreachable',
      unreachable: { error_class: 'too_large', message: 'the answer is larger than the limit of 4,096 KiB' },
    });
  });
});
