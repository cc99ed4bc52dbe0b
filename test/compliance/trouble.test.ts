import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { bodyOf, html, json, NOBODY, serve } from '../calling/support/serve.ts';
import { patientTime } from '../support/patient-time.ts';
import { answered, OPEN, resultsOf, runAt, startAgent, stepOf, withPhases } from './support/runs.ts';

const ask = withPhases('  - {id: p, steps: [{id: s, task: get_products}]}\n');
const askOften = (seconds = 10) =>
  withPhases(
    `  - id: p\n    steps:\n${[1, 2, 3, 4, 5, 6].map((n) => `      - {id: s${n}, task: get_products, timeout_seconds: ${seconds}}\n`).join('')}`,
  );

/** A real agent whose answers to one task go wrong on the wire. */
async function agentWith(
  task: string,
  trouble: RequestListener,
  capabilities: object = OPEN,
): Promise<string> {
  const well = mcpAgent({
    tools: ['get_proto_capabilities', 'get_products', 'create_media_buy', 'update_media_buy'],
    answer: (name) => answered(name === 'get_proto_capabilities' ? capabilities : { media_buy_id: 'mb-1' }),
  });
  return serve(async (request, response) => {
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    const called = body?.method === 'tools/call' && (body.params as { name?: string }).name === task;
    if (called) trouble(request, response);
    else await well(request, response, body);
  });
}

describe('an agent in trouble fails for what it does, and only there', () => {
  it('that hangs is left after a few calls', async () => {
    patientTime();
    const url = await agentWith('get_products', () => undefined);
    const run = await runAt(`${url}/`, [askOften(0.15)]);
    expect(run.outcome).toBe('complete');
    expect(resultsOf(run)).toEqual([
      's1: fail',
      's2: fail',
      's3: fail',
      's4: prerequisite_failed',
      's5: prerequisite_failed',
      's6: prerequisite_failed',
    ]);
    expect(stepOf(run, 's1').checks[0]).toMatchObject({
      check: 'expect_success',
      message: expect.stringContaining('timeout'),
    });
  });

  it.each<[string, RequestListener, string]>([
    ['answers garbage', (_request, response) => html(response, 200), 'not_protocol'],
    ['answers 500', (_request, response) => html(response, 500), 'http_error'],
    ['breaks off', (request) => void request.socket.destroy(), 'refused'],
    [
      'answers 10 MB',
      (_request, response) =>
        json(response, {
          jsonrpc: '2.0',
          id: 1,
          result: { structuredContent: { text: 'x'.repeat(10_000_000) } },
        }),
      'too_large',
    ],
  ])('that %s is told why', async (_name, trouble, errorClass) => {
    const url = await agentWith('get_products', trouble);
    const run = await runAt(`${url}/`, [ask]);
    expect(run.outcome).toBe('complete');
    const { evidence, result } = stepOf(run, 's');
    expect(result).toBe('fail');
    expect(evidence).toMatchObject({ outcome: 'failed', response: { error_class: errorClass } });
    expect(JSON.stringify(run).length).toBeLessThan(100_000);
  });

  it('that answers script and control characters has them kept as data', async () => {
    const nasty = '<script>alert(1)</script>\u001b[2J\u202e';
    const { url } = await startAgent({ answer: () => answered({ message: nasty }) });
    const run = await runAt(url, [
      withPhases(
        '  - {id: p, steps: [{id: s, task: get_products, validations: [{check: field_absent, path: message}]}]}\n',
      ),
    ]);
    expect(stepOf(run, 's')).toMatchObject({
      checks: [{}, { actual: nasty }],
      evidence: { response: { message: nasty } },
    });
    expect(
      stepOf(run, 's')
        .checks.map(({ message }) => message)
        .join(),
    ).not.toContain('script');
  });

  it('that changes between steps fails the step in which that shows', async () => {
    let count = 0;
    const { url } = await startAgent({ answer: () => answered({ id: `p-${++count}` }) });
    const run = await runAt(url, [
      withPhases(
        `  - id: p
    steps:
      - {id: a, task: get_products, context_outputs: [{path: id, name: id}]}
      - {id: b, task: get_products, validations: [{check: field_equals_context, path: id, context_key: id}]}
`,
      ),
    ]);
    expect(resultsOf(run)).toEqual(['a: pass', 'b: fail']);
    expect(stepOf(run, 'b').checks[1]).toMatchObject({ pointer: '/id', expected: 'p-1', actual: 'p-2' });
  });

  it('that calls back is told no more than that there is nothing to call', async () => {
    const heard: unknown[] = [];
    const well = mcpAgent({ tools: ['get_products'], answers: { get_proto_capabilities: answered(OPEN) } });
    const url = await serve(async (request, response) => {
      const body = request.method === 'POST' ? await bodyOf(request) : undefined;
      if (body?.id === 'from-agent') heard.push(body.error ?? body.result);
      if (body?.method !== 'tools/call' || (body.params as { name?: string }).name !== 'get_products')
        return well(request, response, body);
      const ask = {
        jsonrpc: '2.0',
        id: 'from-agent',
        method: 'sampling/createMessage',
        params: { messages: [], maxTokens: 1 },
      };
      const answer = { jsonrpc: '2.0', id: body.id, result: answered({ products: [] }) };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        [ask, answer].map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join(''),
      );
    });
    expect(resultsOf(await runAt(`${url}/`, [ask]))).toEqual(['s: pass']);
    // the answer ends the call, maybe before ours to the agent is out; it is never anything but a no
    for (const reply of heard) expect(reply).toMatchObject({ code: -32_601 });
  });

  it('where nobody listens is unreachable, and has no steps', async () => {
    expect(await runAt(`${NOBODY}/`, [ask])).toMatchObject({
      outcome: 'unreachable',
      unreachable: { error_class: 'refused' },
      agent: null,
      steps: [],
    });
  });

  it('whose capabilities cannot be read is not judged, and the run says why', async () => {
    const url = await agentWith('get_proto_capabilities', (_request, response) => html(response, 500));
    expect(await runAt(`${url}/`, [ask])).toMatchObject({
      outcome: 'inconclusive',
      inconclusive: {
        reason: 'declaration_unread',
        detail:
          'get_proto_capabilities gave no valid answer (HTTP 500 text/html), so no storyboard could be selected',
      },
      unread: {
        ...{ request: 'get_proto_capabilities', error_class: 'http_error', http_status: 500 },
        content_type: 'text/html',
      },
      steps: [],
    });
  });
});

describe('a fault of ours is never the agent’s', () => {
  it('when somebody stops it', async () => {
    const stop = new AbortController();
    const url = await agentWith('get_products', () => stop.abort());
    const run = await runAt(`${url}/`, [askOften()], { signal: stop.signal });
    expect(run).toMatchObject({ inconclusive: { reason: 'interrupted' }, totals: { steps: { failed: 0 } } });
  });

  it('when the requests for one agent are used up', async () => {
    const { url } = await startAgent({});
    const run = await runAt(url, [askOften()], { limits: { requests: 6 } });
    expect(run).toMatchObject({
      inconclusive: { reason: 'request_budget' },
      requests: 6,
      totals: { steps: { failed: 0 } },
    });
  });

  it('when our own way to the network does not work either', async () => {
    const dead = `${NOBODY}/`;
    expect(await runAt(dead, [ask], { control: async () => false })).toMatchObject({
      inconclusive: { reason: 'own_network' },
    });
    expect(await runAt(dead, [ask], { control: async () => true })).toMatchObject({ outcome: 'unreachable' });
    const url = await agentWith('get_products', (request) => void request.socket.destroy());
    const run = await runAt(`${url}/`, [askOften()], { control: async () => false });
    expect(run).toMatchObject({ inconclusive: { reason: 'own_network' }, totals: { steps: { failed: 0 } } });
  });

  it('when credentials are wanted that we do not have', async () => {
    const closed: RequestListener = (_request, response) => html(response, 401);
    const url = `${await agentWith('get_products', closed)}/`;
    const run = await runAt(url, [ask]);
    expect(run).toMatchObject({
      inconclusive: {
        ...{ reason: 'auth_required', lacks: 'credential' },
        detail: 'the agent requires a credential, and the run had none; blocked step: sample/p/s',
      },
      notices: [{ code: 'credential_missing' }],
      totals: { steps: { failed: 0 } },
    });
    expect(resultsOf(run)).toEqual(['s: requirement_unmet']);
    expect(await runAt(url, [ask], { auth: 'a-token-of-ours' })).toMatchObject({
      outcome: 'complete',
      totals: { steps: { failed: 1 } },
    });
  });

  it('when credentials are wanted before anything is said, with a key of ours that signs or without', async () => {
    const url = `${await serve((_request, response) => html(response, 401))}/`;
    const inconclusive = {
      outcome: 'inconclusive',
      inconclusive: { reason: 'auth_required', lacks: 'credential' },
    };
    expect(await runAt(url, [ask])).toMatchObject(inconclusive);
    expect(await runAt(url, [ask], { sign: (fetch) => fetch })).toMatchObject(inconclusive);
    const refused = await runAt(url, [ask], { auth: 'a-token-of-ours' });
    expect(refused).toMatchObject({ outcome: 'unreachable', unreachable: { error_class: 'auth_required' } });
  });

  it('when there is an error in the runner itself', async () => {
    const { url } = await startAgent({});
    const tell = ({ kind }: { kind: string }) => {
      if (kind === 'step') throw new Error('a bug');
    };
    expect(await runAt(url, [ask], { tell })).toMatchObject({
      inconclusive: { reason: 'own_fault', detail: expect.stringContaining('a bug') },
    });
  });
});

describe('credentials', () => {
  const token = 'very-secret-token-of-ours';

  it('stand nowhere in a run, in whatever form the agent echoes them', async () => {
    const echo = [
      token,
      encodeURIComponent(`${token}`),
      Buffer.from(token).toString('base64'),
      `Bearer ${token}`,
    ];
    const { url } = await startAgent({
      answer: () => answered({ echo, [token]: 1, password: 'hunter2', authorization: 'abc' }),
    });
    const run = await runAt(
      url,
      [
        withPhases(
          '  - {id: p, steps: [{id: s, task: get_products, validations: [{check: field_absent, path: echo}]}]}\n',
        ),
      ],
      { auth: token },
    );
    const text = JSON.stringify({ ...run, seen: [] });
    expect(stepOf(run, 's').evidence?.response).toMatchObject({
      password: '[redacted]',
      authorization: '[redacted]',
    });
    for (const form of [...echo, 'hunter2', Buffer.from(token).toString('base64url')])
      expect(text).not.toContain(form);
  });

  it('are left away, or made up, where a step says so', async () => {
    const { url } = await startAgent({});
    const step = (id: string, auth: string) => `{id: ${id}, task: get_products, auth: ${auth}}`;
    const { seen } = await runAt(
      url,
      [
        withPhases(
          `  - {id: p, steps: [${step('a', 'none')}, ${step('b', 'invalid')}, ${step('c', '{type: oauth_bearer, value_strategy: random_invalid_jwt}')}, {id: d, task: get_products}]}\n`,
        ),
      ],
      { auth: token },
    );
    const sent = new Set(seen.map(({ authorization }) => authorization));
    expect(sent.size).toBe(4);
    expect([...sent]).toEqual([
      `Bearer ${token}`,
      null,
      expect.stringMatching(/^Bearer invalid-[0-9a-f]{48}$/),
      expect.stringMatching(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/),
    ]);
  });
});
