import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { withFaults } from '../calling/support/faults.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { rpcAgent } from '../calling/support/rpc.ts';
import { html, serve } from '../calling/support/serve.ts';
import { loopbackFetcher } from '../calling/support/test-fetcher.ts';
import { patientTime } from '../support/patient-time.ts';
import { probeAt } from './support/probe-at.ts';

const listing = (...names: string[]) => ({
  'tools/list': () => ({ tools: names.map((name) => ({ name })) }),
});
const codes = (seen: { findings: readonly { code: string }[] }) =>
  seen.findings.map((finding) => finding.code);

describe('capabilities that bring no answer of the protocol', () => {
  const agentWith = (raw: (response: ServerResponse) => void) =>
    rpcAgent({ ...listing('get_adcp_capabilities', 'get_products'), 'tools/call': { raw } });

  it.each<[string, (response: ServerResponse) => void, object]>([
    ['an HTTP error', (response) => html(response, 500), { errorClass: 'http_error', status: 500 }],
    ['a wrong path', (response) => html(response, 404), { errorClass: 'wrong_path', status: 404 }],
    ['a web page', (response) => html(response, 200), { errorClass: 'not_protocol' }],
    [
      'a stream without an answer',
      (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
      { errorClass: 'not_protocol' },
    ],
    [
      'broken JSON',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      { errorClass: 'not_protocol' },
    ],
  ])('were not read: %s', async (_name, raw, health) => {
    const seen = await probeAt(await serve(agentWith(raw)));
    expect(seen.health).toMatchObject({ online: true, toolsCount: 2, ...health });
    expect(seen.health.error).toMatch(/^the agent answers, but its capabilities could not be read: /);
    expect(seen.exposed).toBeUndefined();
  });

  it('are read after one passing trouble', async () => {
    let calls = 0;
    const agent = mcpAgent({
      tools: ['get_adcp_capabilities'],
      answers: {
        get_adcp_capabilities: { structuredContent: { adcp: {}, supported_protocols: ['signals'] } },
      },
    });
    const busy = (response: ServerResponse) => {
      calls += 1;
      response.writeHead(429, { 'retry-after': '1' }).end();
    };
    const seen = await probeAt(await serve(withFaults(agent, { get_adcp_capabilities: [busy] })));
    expect(calls).toBe(1);
    expect(seen.exposed?.supportedProtocols).toEqual(['signals']);
    expect(seen.steps.map(({ step, ok, detail }) => [step, ok, detail])).toEqual([
      ['initialize', true, undefined],
      ['tools/list', true, undefined],
      ['get_adcp_capabilities', false, 'HTTP 429'],
      ['get_adcp_capabilities', true, undefined],
    ]);
    expect(seen.retryAt).toBeUndefined();
  });

  it('are a warning where no tool has them', async () => {
    const seen = await probeAt(await serve(mcpAgent({ tools: ['get_products'] })));
    expect(seen.exposed?.inferredType).toBe('sales');
    expect(seen.findings).toMatchObject([
      { severity: 'warning', code: 'output_schema_missing' },
      {
        severity: 'warning',
        code: 'capabilities_task_missing',
        message:
          'missing tool: get_proto_capabilities or get_adcp_capabilities; tests for protocols and specialisms are skipped, no metrics are shown, and no badge can be earned',
        hint: 'add one of the two tools, and answer it without credentials',
      },
    ]);
  });

  it('are a warning where they come as text without structuredContent', async () => {
    const text = { content: [{ type: 'text', text: '{"proto":{},"supported_protocols":["signals"]}' }] };
    const agent = mcpAgent({
      tools: ['get_proto_capabilities'],
      answers: { get_proto_capabilities: text },
    });
    const seen = await probeAt(await serve(agent));
    expect(seen.exposed?.supportedProtocols).toEqual(['signals']);
    expect(seen.findings).toMatchObject([
      {
        ...{ severity: 'warning', code: 'output_unstructured' },
        message: 'unstructured output: get_proto_capabilities returned text instead of structuredContent',
      },
    ]);
  });

  it.each([
    [
      [{ name: 'get_products', outputSchema: { properties: { result: { type: 'string' } } } }],
      ['output_unstructured', 'unstructured output: get_products declares a text as the result'],
    ],
    [
      [{ name: 'get_products' }],
      [
        'output_schema_missing',
        'the tools declare no outputSchema, so their output may be unstructured text',
      ],
    ],
    [[{ name: 'get_products', outputSchema: { type: 'object' } }], undefined],
    [[{ name: 'get_weather' }], undefined],
  ])('are missed beside tools whose output may be text: %j', async (tools, expected) => {
    const seen = await probeAt(await serve(rpcAgent({ 'tools/list': () => ({ tools }) })));
    const found = seen.findings.find(({ code }) => code.startsWith('output_'));
    expect(found && [found.code, found.message]).toEqual(expected);
  });
});

describe('a hostile or broken agent', () => {
  it('has its endless cursors cut off', async () => {
    let page = 0;
    const agent = rpcAgent({
      'tools/list': () => ({ tools: [{ name: `t${page}` }], nextCursor: String(page++) }),
    });
    const seen = await probeAt(await serve(agent));
    expect(seen.health.toolsCount).toBe(50);
    expect(codes(seen)).toEqual(['list_incomplete', 'capabilities_task_missing']);
  });

  it('has its circling cursors cut off', async () => {
    const agent = rpcAgent({ 'tools/list': () => ({ tools: [{ name: 'a' }], nextCursor: 'again' }) });
    const seen = await probeAt(await serve(agent));
    expect(seen.health.toolsCount).toBe(1);
    expect(codes(seen)).toContain('list_incomplete');
  });

  it('keeps 1,000 tools and counts them all', async () => {
    const seen = await probeAt(
      await serve(rpcAgent(listing(...Array.from({ length: 1_500 }, (_, i) => `t${i}`)))),
    );
    expect(seen.exposed?.capabilities.tools).toHaveLength(1_000);
    expect(seen.exposed?.capabilities.tools_count).toBe(1_500);
  });

  it('costs its neighbours nothing with bad tools, of which it tells at most a hundred', async () => {
    const bad = [null, 7, {}, { name: '' }, { name: 'x'.repeat(600) }, { name: 'good' }, { name: ['no'] }];
    const tools = [
      ...bad,
      { name: 'ok\u0000\u202e', description: 'a\u0007b\nc' },
      ...Array(300).fill(0),
      { name: 'last' },
    ];
    const seen = await probeAt(await serve(rpcAgent({ 'tools/list': () => ({ tools }) })));
    expect(seen.exposed?.capabilities.tools).toEqual([
      { name: 'good', description: '' },
      { name: 'ok', description: 'ab c' },
      { name: 'last', description: '' },
    ]);
    expect(seen.findings).toHaveLength(101);
  });

  it('exposes nothing with a tool list of 5 MB, and stays online', async () => {
    const tools = [{ name: 'a', description: 'x'.repeat(5_000_000) }];
    const seen = await probeAt(await serve(rpcAgent({ 'tools/list': () => ({ tools }) })));
    expect(seen.health).toMatchObject({ online: true, errorClass: 'too_large' });
    expect(seen.exposed).toBeUndefined();
  });

  it('is described by its tools when its capabilities are larger than 1 MiB', async () => {
    const huge = { structuredContent: { proto: {}, filler: 'x'.repeat(1_100_000) } };
    const agent = rpcAgent({ ...listing('get_proto_capabilities', 'get_signals'), 'tools/call': () => huge });
    const seen = await probeAt(await serve(agent));
    expect(seen.exposed?.inferredType).toBe('signals');
    expect(codes(seen)).toEqual(['capabilities_unreadable']);
  });

  it.each([
    [
      'an error',
      { isError: true, structuredContent: { code: 'BROKEN', message: 'no luck' } },
      'get_proto_capabilities: the agent refused the task with BROKEN',
    ],
    [
      'an error as text',
      { isError: true, content: [{ type: 'text', text: 'oops' }] },
      'get_proto_capabilities: the agent refused the task',
    ],
    ['a list', { structuredContent: [1] }, 'get_proto_capabilities: the answer is not a JSON object'],
    [
      'prose',
      { content: [{ type: 'text', text: 'I can do a lot' }] },
      'get_proto_capabilities: the answer is not a JSON object',
    ],
    [
      'something else',
      { structuredContent: { weather: {} } },
      'get_proto_capabilities: the answer has no known section, such as media_buy or supported_protocols',
    ],
  ])('is described by its tools when the capabilities task answers %s', async (_name, result, message) => {
    const agent = rpcAgent({
      ...listing('get_proto_capabilities', 'get_products'),
      'tools/call': () => result,
    });
    const seen = await probeAt(await serve(agent));
    expect(seen.exposed?.inferredType).toBe('sales');
    expect(seen.exposed?.vocabulary).toBeUndefined();
    expect(seen.findings).toMatchObject([{ code: 'capabilities_unreadable', message }]);
  });

  it.each([
    ['fails for now', (response: never) => html(response, 502), 'http_error'],
    ['hangs', () => undefined, 'timeout'],
  ])(
    'exposes nothing when an offered capabilities task %s, so that the last good answer stays',
    async (_name, raw, errorClass) => {
      patientTime();
      const agent = rpcAgent({ ...listing('get_proto_capabilities'), 'tools/call': { raw: raw as never } });
      const seen = await probeAt(await serve(agent), { callMs: 1_500 });
      expect(seen.health).toMatchObject({ online: true, toolsCount: 1, errorClass });
      expect(seen.exposed).toBeUndefined();
    },
  );

  it('is online and wants credentials when only its tasks do', async () => {
    const agent = rpcAgent({
      ...listing('get_proto_capabilities', 'get_products'),
      'tools/call': { raw: (response) => html(response, 401) },
    });
    const seen = await probeAt(await serve(agent));
    expect(seen.health).toMatchObject({ online: true, errorClass: 'auth_required' });
    expect(seen.exposed?.inferredType).toBe('sales');
  });

  it('has no tools when it does not know the method', async () => {
    const seen = await probeAt(await serve(rpcAgent({})));
    expect(seen.exposed?.capabilities).toMatchObject({ tools_count: 0, tools: [] });
    expect(seen.exposed?.inferredType).toBe('unknown');
  });

  it('is not believed when its keys reach for prototypes', async () => {
    const raw =
      '{"tools":[{"name":"constructor"},{"name":"__proto__"},{"__proto__":{"name":"inherited"}}],"__proto__":{"nextCursor":"x"}}';
    const agent = rpcAgent({
      'tools/list': {
        raw: (response, call) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(`{"jsonrpc":"2.0","id":${String(call.id)},"result":${raw}}`);
        },
      },
    });
    const seen = await probeAt(await serve(agent));
    expect(seen.exposed?.capabilities.tools.map((tool) => tool.name)).toEqual(['constructor', '__proto__']);
    expect(codes(seen)).toEqual(['tool_invalid', 'capabilities_task_missing']);
    expect(({} as Record<string, unknown>).name).toBeUndefined();
  });

  it('cannot make the probe ask on and on', async () => {
    patientTime();
    const pings = Array.from(
      { length: 500 },
      (_, id) => `data: {"jsonrpc":"2.0","id":"p${id}","method":"ping"}\n\n`,
    ).join('');
    const agent = rpcAgent({
      'tools/list': {
        raw: (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(pings),
      },
    });
    const fetcher = loopbackFetcher();
    const seen = await probeAt(await serve(agent), { fetcher, callMs: 1_500 });
    expect(seen.health).toMatchObject({ online: true, errorClass: 'timeout' });
    expect(fetcher.seen.length).toBeLessThanOrEqual(100);
  });
});
