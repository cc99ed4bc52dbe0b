import type { ServerResponse } from 'node:http';
import { TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor } from '@a2a-js/sdk/server';
import { describe, expect, it } from 'vitest';
import { a2aAgent } from '../calling/support/a2a-agent.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { rpcAgent } from '../calling/support/rpc.ts';
import { bodyOf, json, serve } from '../calling/support/serve.ts';
import { patientTime } from '../support/patient-time.ts';
import { type ByHand, data, startByHand } from './support/agent-by-hand.ts';
import { answered, OPEN, resultsOf, runAt, startAgent, stepOf, withPhases } from './support/runs.ts';

const steps = (...lines: readonly string[]) =>
  withPhases(`  - id: p\n    steps:\n${lines.map((line) => `      - {${line}}\n`).join('')}`);
const THREE = steps('id: a, task: get_products', 'id: b, task: get_products', 'id: c, task: get_products');
const SHOP = { tools: ['get_proto_capabilities', 'get_products'] };
const fine = data('{"products":[]}');

/** Answers in turn; the last one for ever. */
function inTurn(...answers: readonly ByHand[]): ByHand {
  let turn = 0;
  return (...call) => answers[Math.min(turn++, answers.length - 1)]?.(...call);
}

describe('an agent that changes in the middle of a run', () => {
  it('and takes a tool away fails the steps that need it, by what it says then', async () => {
    const gone: ByHand = (response, id) =>
      json(response, { jsonrpc: '2.0', id, error: { code: -32_602, message: 'Unknown tool: get_products' } });
    const run = await runAt(await startByHand({ answer: inTurn(fine, gone) }), [THREE]);
    expect(resultsOf(run)).toEqual(['a: pass', 'b: fail', 'c: fail']);
    expect(stepOf(run, 'b').checks).toMatchObject([
      {
        message: 'the agent refused',
        expected: 'an answer',
        actual: { message: 'Unknown tool: get_products' },
      },
    ]);
  });

  it('and is no sandbox any more gets nothing else that changes it; what was made before is ended', async () => {
    let asked = 0;
    const { url, calls } = await startAgent({
      tools: ['create_media_buy', 'update_media_buy', 'get_products'],
      answer: (task) => answered(task === 'create_media_buy' ? { media_buy_id: 'mb-1' } : {}),
    });
    const closing = await serve(async (request, response) => {
      const body = await bodyOf(request);
      const isQuestion = (body?.params as { name?: string } | undefined)?.name === 'get_proto_capabilities';
      if (isQuestion && ++asked > 1)
        return json(response, {
          jsonrpc: '2.0',
          id: body?.id,
          result: answered({ ...OPEN, account: { sandbox: false } }),
        });
      const passed = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify(body),
      });
      response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text());
    });
    const board = steps(
      'id: make, task: create_media_buy',
      'id: ask, task: get_proto_capabilities',
      'id: more, task: create_media_buy',
      'id: look, task: get_products',
    );
    const run = await runAt(`${closing}/`, [board]);
    expect(resultsOf(run)).toEqual([
      'make: pass',
      'ask: pass',
      'more: missing_test_controller',
      'look: pass',
    ]);
    expect(stepOf(run, 'more')).toMatchObject({
      coverage_gap: true,
      skip_detail: expect.stringContaining('has neither a sandbox nor'),
    });
    expect(run.made).toMatchObject([{ id: 'mb-1', cancelled: 'yes' }]);
    expect(calls.filter(([task]) => task === 'create_media_buy')).toHaveLength(1);
  });

  it('and speaks another protocol fails from there on, and is not tried in that one', async () => {
    const mcp = mcpAgent({ ...SHOP, answer: (task) => answered(task === 'get_products' ? {} : OPEN) });
    const a2a = a2aAgent({ version: '1.0', skills: SHOP.tools, answers: { get_products: {} } });
    let calls = 0;
    const url = await serve(async (request, response) => {
      const body = request.method === 'POST' ? await bodyOf(request) : undefined;
      if ((body?.params as { name?: string } | undefined)?.name === 'get_products') calls += 1;
      return calls > 1 ? a2a(request, response, body) : mcp(request, response, body);
    });
    const run = await runAt(`${url}/`, [THREE], { protocols: ['mcp', 'a2a'] });
    expect(run.agent).toMatchObject({ protocol: 'mcp' });
    expect(resultsOf(run)).toEqual(['a: pass', 'b: fail', 'c: fail']);
    expect(stepOf(run, 'b').checks[0]).toMatchObject({
      message: 'no valid protocol answer: wrong_path',
      actual: 'HTTP 404 text/html',
    });
  });
});

/** An agent with sessions, which it forgets before it does the calls for which that is said. */
async function startForgetful(
  forgets: (call: number) => boolean,
): Promise<{ readonly url: string; readonly sessions: () => number }> {
  let session = 0;
  let calls = 0;
  const notFound = (response: ServerResponse, id: unknown) =>
    json(response, { jsonrpc: '2.0', id, error: { code: -32_001, message: 'Session not found' } }, 404);
  const agent = rpcAgent({
    initialize: {
      raw: (response, { id }) =>
        json(response, { jsonrpc: '2.0', id, result: HELLO }, 200, { 'mcp-session-id': `s${++session}` }),
    },
    'tools/list': () => ({ tools: SHOP.tools.map((name) => ({ name })) }),
    'tools/call': {
      raw: (response, { id, params }) => {
        if (params?.name === 'get_products' && forgets(++calls)) return notFound(response, id);
        return json(response, {
          jsonrpc: '2.0',
          id,
          result: answered(params?.name === 'get_products' ? {} : OPEN),
        });
      },
    },
  });
  const url = await serve((request, response) => {
    const known = request.headers['mcp-session-id'];
    return known === undefined || known === `s${session}`
      ? agent(request, response)
      : notFound(response, null);
  });
  return { url: `${url}/`, sessions: () => session };
}

const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'shop', version: '1' },
};

describe('an agent with sessions', () => {
  it('that is started again in the middle is spoken to in a new session, as the protocol asks', async () => {
    const { url, sessions } = await startForgetful((call) => call === 2);
    expect(resultsOf(await runAt(url, [THREE]))).toEqual(['a: pass', 'b: pass', 'c: pass']);
    expect(sessions()).toBe(2);
  });

  it('that forgets each of them fails, after two tries for each step', async () => {
    const { url, sessions } = await startForgetful(() => true);
    const run = await runAt(url, [THREE]);
    expect(resultsOf(run)).toEqual(['a: fail', 'b: fail', 'c: fail']);
    expect(stepOf(run, 'a').checks[0]).toMatchObject({
      actual: 'HTTP 404: Session not found (JSON-RPC error -32001)',
    });
    expect(stepOf(run, 'a').evidence).toMatchObject({
      response: { body: expect.stringContaining('Session not found') },
    });
    expect(sessions()).toBe(4);
  });
});

describe('an agent that turns the conversation round', () => {
  it('and asks its caller on and on loses the call', async () => {
    patientTime();
    const url = await startByHand({
      answer: (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (let id = 0; id < 200; id += 1)
          response.write(`data: {"jsonrpc":"2.0","id":"ask-${id}","method":"ping"}\n\n`);
      },
    });
    const run = await runAt(url, [
      steps('id: s, task: get_products, timeout_seconds: 0.5', 'id: t, task: get_proto_capabilities'),
    ]);
    expect(resultsOf(run)).toEqual(['s: fail', 't: pass']);
    expect(run.requests).toBeLessThan(40);
  });

  it.each(['sampling/createMessage', 'elicitation/create', 'roots/list', 'tools/call'])(
    'with %s is told that there is nothing to call',
    async (method) => {
      const { promise: replied, resolve } = Promise.withResolvers<unknown>();
      const well = rpcAgent({
        'tools/list': () => ({ tools: SHOP.tools.map((name) => ({ name })) }),
        // a message without a method is an answer to ours
        undefined: {
          raw: (response, reply) => {
            resolve(reply);
            response.writeHead(202).end();
          },
        },
        'tools/call': {
          raw: (response, { id, params }) => {
            if (params?.name !== 'get_products')
              return json(response, { jsonrpc: '2.0', id, result: answered(OPEN) });
            response.writeHead(200, { 'content-type': 'text/event-stream' });
            response.write(
              `data: ${JSON.stringify({ jsonrpc: '2.0', id: 'from-agent', method, params: {} })}\n\n`,
            );
            // it answers only after it was answered
            void replied.then(() =>
              response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: answered({}) })}\n\n`),
            );
          },
        },
      });
      const url = await serve(well);
      expect(resultsOf(await runAt(`${url}/`, [steps('id: s, task: get_products')]))).toEqual(['s: pass']);
      expect(await replied).toMatchObject({ error: { code: -32_601 } });
    },
  );
});

describe('an agent over A2A', () => {
  const executor = (state: TaskState): AgentExecutor => ({
    async execute({ taskId, contextId, userMessage }, bus) {
      const content = userMessage.parts[0]?.content;
      const asked = content?.$case === 'data' ? (content.value as { skill?: string }) : {};
      const isQuestion = asked.skill === 'get_proto_capabilities';
      const status = {
        state: isQuestion ? TaskState.TASK_STATE_COMPLETED : state,
        message: undefined,
        timestamp: undefined,
      };
      const part = {
        content: { $case: 'data' as const, value: OPEN },
        metadata: undefined,
        filename: '',
        mediaType: 'application/json',
      };
      const artifacts = isQuestion
        ? [{ artifactId: 'r', name: '', description: '', parts: [part], metadata: undefined, extensions: [] }]
        : [];
      bus.publish(
        AgentEvent.task({ id: taskId, contextId, status, artifacts, history: [], metadata: undefined }),
      );
      bus.finished();
    },
    cancelTask: async () => undefined,
  });

  it.each([
    [
      TaskState.TASK_STATE_WORKING,
      'not_protocol',
      'the task is still working, and tasks/get returned JSON-RPC error -32001',
    ],
    [
      TaskState.TASK_STATE_SUBMITTED,
      'not_protocol',
      'the task is still submitted and has not started; it may be waiting for a person, and tasks/get returned JSON-RPC error -32001',
    ],
    [TaskState.TASK_STATE_INPUT_REQUIRED, 'input_required', 'the task is waiting for input'],
  ])(
    'that keeps no task to be looked at, or asks for input, fails the step (%#)',
    async (state, errorClass, actual) => {
      const agent = a2aAgent({ version: '1.0', skills: SHOP.tools, answers: {}, executor: executor(state) });
      const url = await serve((request, response) => void agent(request, response));
      const run = await runAt(`${url}/`, [THREE], { protocols: ['a2a'] });
      expect(resultsOf(run)).toEqual(['a: fail', 'b: fail', 'c: fail']);
      expect(stepOf(run, 'a').checks[0]).toMatchObject({
        message: `no valid protocol answer: ${errorClass}`,
        actual: expect.stringContaining(actual),
      });
    },
  );

  it('with a card of 5,000 skills is tested by the ones that count', async () => {
    const skills = [...Array.from({ length: 5_000 }, (_, i) => `skill_${i}`), ...SHOP.tools];
    const agent = a2aAgent({
      version: '1.0',
      skills,
      answers: { get_proto_capabilities: OPEN, get_products: {} },
    });
    const url = await serve((request, response) => void agent(request, response));
    const run = await runAt(`${url}/`, [THREE], { protocols: ['a2a'] });
    expect(run).toMatchObject({ agent: { tools_count: 5_002 }, totals: { steps: { passed: 3 } } });
  });
});
