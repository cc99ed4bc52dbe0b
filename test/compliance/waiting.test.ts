import type { RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import type { TaskContent } from '../../src/calling/connection.ts';
import { failedContent } from '../../src/calling/task-answer.ts';
import type { Conversation } from '../../src/compliance/conversation/conversation.ts';
import { createWaitMeter, withWaiting } from '../../src/compliance/conversation/conversation.ts';
import { runBundle } from '../../src/compliance/run/run-bundle.ts';
import type { RunFacts } from '../../src/compliance/run/run-state.ts';
import type { AgentUnderTest, ComplianceRun } from '../../src/compliance/run-result.ts';
import { awaitWebhooks } from '../../src/compliance/special/live-special.ts';
import type { WebhookExpectation } from '../../src/compliance/special/webhook-expectation.ts';
import type { Storyboard } from '../../src/compliance/storyboard.ts';
import { verdictOf } from '../../src/compliance/verdict/verdict.ts';
import type { HeardWebhook, WebhookListener } from '../../src/ports/webhook-listener.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { bodyOf, serve } from '../calling/support/serve.ts';
import { patientTime } from '../support/patient-time.ts';
import { answered, bundleOf, OPEN, resultsOf, runAt, stepOf, withPhases } from './support/runs.ts';

const STEPS = ['a', 'b', 'c', 'd', 'e', 'f'];
const board = (more = '') =>
  withPhases(
    `  - {id: p${more}, steps: [${STEPS.map((id) => `{id: ${id}, task: get_products}`).join(', ')}]}\n`,
  );
const RUN_MS = 600_000;
const STEP_MS = 30_000;

interface Times {
  /** What the agent takes before the first step, and for a call; milliseconds. */
  readonly introduction?: number;
  readonly call?: number;
  /** What we take after each call. */
  readonly own?: number;
  /** Of each window for webhooks, in which none comes. */
  readonly window?: number;
  readonly boards?: readonly Storyboard[];
}

/** A run in which time passes as it is told, by a clock of its own. */
function runIn({
  introduction = 0,
  call = 0,
  own = 0,
  window = 0,
  boards = [board()],
}: Times): Promise<ComplianceRun> {
  let now = introduction;
  let waitedMs = introduction;
  const conversation: Conversation = {
    agent: { ...AGENT, sandbox: true },
    capabilities: OPEN,
    tools: ['get_proto_capabilities', 'get_products', 'create_media_buy'],
    async call({ task, callMs, webhooks }) {
      const took = Math.min(webhooks === undefined ? call : window, callMs);
      now += took + own;
      waitedMs += took;
      const content: TaskContent =
        call > callMs
          ? failedContent('timeout', `no answer within ${callMs} ms`)
          : { outcome: 'answered', data: webhooks ? { deliveries: [] } : { status: 'submitted' } };
      const answer = { ...content, durationMs: took, raw: '' };
      return { name: task, answer, waited: { elapsedMs: took, waitedMs: took } };
    },
  };
  const facts: RunFacts = {
    ...{
      bundle: bundleOf(...boards),
      clock: { now: () => now },
      trigger: null,
      target: '3.0',
      version: '3.0.0',
    },
    ...{ dryRun: false, only: [], tracks: [], hasCredential: false, canSign: false, stepMs: STEP_MS },
    ...{ beganAt: 0, endsAt: RUN_MS, tell: () => undefined },
    values: {
      ...{ seed: 's', runId: 'r', startedAt: 0, agentUrl: 'https://a.example/', testKit: {} },
      webhookBase: 'http://127.0.0.1/hooks',
    },
    waits: {
      get totalMs() {
        return waitedMs;
      },
    },
  };
  return runBundle(facts, conversation);
}

const AGENT: AgentUnderTest = {
  ...{
    protocol: 'mcp',
    endpoint: 'https://a.example/',
    sandbox: true,
    test_controller: false,
    tools_count: 2,
  },
  ...{ supported_protocols: [], specialisms: [], supported_versions: ['3.0'] },
};

describe('an agent that makes each call wait does not keep its verdict', () => {
  it.each([
    ['a step', board()],
    ['a step of an optional phase', board(', optional: true')],
  ])(
    '%s that waited fails with its time as evidence, and what had no time is not run',
    async (_name, one) => {
      const other = { ...board(), id: 'another' };
      const run = await runIn({
        introduction: 300_000,
        call: STEP_MS,
        boards: [one, other, { ...other, id: 'third' }],
      });
      expect(run.outcome).toBe('complete');
      expect(run.inconclusive).toBeUndefined();
      // 18 steps have 33,333 ms each, so none of these alone took too long: the first that was not sent fails
      expect(run.steps.filter(({ result }) => result === 'fail')).toHaveLength(1);
      const slow = await runIn({
        call: 29_500,
        boards: Array.from({ length: 4 }, (_, n) => ({ ...one, id: `b${n}` })),
      });
      expect(slow.outcome).toBe('complete');
      expect(slow.totals.steps.passed).toBe(0);
      expect(slow.totals.steps.failed).toBeGreaterThanOrEqual(20); // 20 had time, and the next one was cut
      const step = stepOf(slow, 'a');
      expect(step).toMatchObject({ result: 'fail', evidence: { outcome: 'answered' } });
      expect(step.checks.at(-1)).toMatchObject({
        ...{ check: 'time_taken', result: 'fail', expected: 'at most 25,000 ms', actual: '29,500 ms' },
      });
      expect(slow.steps.at(-1)).toMatchObject({
        skip_reason: 'prerequisite_failed',
        skip_detail: 'the run waited for the agent for 600,000 ms of its 600,000 ms',
      });
      expect(slow.storyboards.map(({ result }) => result)).toEqual(['fail', 'fail', 'fail', 'fail']);
      expect(verdictOf(slow).status).toBe('failing');
    },
  );

  it('all storyboards are in the verdict, those without time too', async () => {
    const boards = Array.from({ length: 8 }, (_, n) => ({ ...board(), id: `b${n}` }));
    const run = await runIn({ call: 29_500, boards });
    expect(run.storyboards).toHaveLength(8);
    expect(run.storyboards.at(-1)?.result).toBe('skipped');
  });

  it('one that takes the time before the first step fails the first step', async () => {
    const run = await runIn({ introduction: RUN_MS });
    expect(stepOf(run, 'a')).toMatchObject({ result: 'fail', checks: [{ check: 'time_taken' }] });
    expect(resultsOf(run).slice(1)).toEqual(STEPS.slice(1).map((id) => `${id}: prerequisite_failed`));
    expect(verdictOf(run).status).toBe('failing');
  });

  it('one that is slow and ends in time loses nothing', async () => {
    const run = await runIn({ call: 29_900 });
    expect(run.totals.steps).toMatchObject({ passed: 6, failed: 0 });
    expect(verdictOf(run).status).toBe('passing');
  });

  it('one that hangs until the time is over fails there', async () => {
    const agent = mcpAgent({
      tools: ['get_proto_capabilities', 'get_products'],
      answer: () => answered(OPEN),
    });
    const url = await serve(async (request, response) => {
      const body = request.method === 'POST' ? await bodyOf(request) : undefined;
      const { name } = (body?.params ?? {}) as { name?: string };
      if (name !== 'get_products') await agent(request, response, body);
    });
    patientTime();
    const run = await runAt(`${url}/`, [board()], { limits: { stepMs: 60_000, runMs: 1_000 } });
    expect(run.outcome).toBe('complete');
    expect(run.totals.steps.failed).toBe(1);
    expect(verdictOf(run).status).toBe('failing');
  });

  it('one that makes each call cost many requests fails, though they are used up', async () => {
    const agent = mcpAgent({
      tools: ['get_proto_capabilities', 'get_products'],
      answer: () => answered(OPEN),
    });
    const forgetful: RequestListener = async (request, response) => {
      const body = request.method === 'POST' ? await bodyOf(request) : undefined;
      const { name } = (body?.params ?? {}) as { name?: string };
      // forgets its session at each call, so that another one is begun and the call repeated
      if (name === 'get_products' || request.method === 'DELETE') return void response.writeHead(404).end();
      if (body?.method === 'initialize') response.setHeader('mcp-session-id', 's');
      await agent(request, response, body);
    };
    const url = `${await serve(forgetful)}/`;
    const run = await runAt(url, [board()], { limits: { stepMs: 5_000, runMs: 20_000, requests: 20 } });
    expect(run.outcome).toBe('complete');
    expect(run.totals.steps.failed).toBeGreaterThan(0);
  });
});

describe('of a window for webhooks the agent has used', () => {
  const body = { idempotency_key: 'key-0123456789abcdef' };
  const webhook = { at: 0, status: 200, body, signature: { state: 'none' } } as const;
  const WINDOW_MS = 30_000;
  test.each<[string, Partial<WebhookExpectation>, boolean, number, number]>([
    ['all of it when what it owes does not come', {}, true, 0, WINDOW_MS],
    ['nothing of it when it owes nothing, and nothing comes', {}, false, 0, 0],
    ['the time until what it owes came', {}, true, 1, 4_000],
    ['the time until something came that it owed nobody', {}, false, 1, 4_000],
    ['the time until all came that is waited for', { atLeast: 3 }, true, 3, 12_000],
    ['all of it when some does not come', { atLeast: 3 }, true, 2, WINDOW_MS],
    ['no more when we wait for what must not come', { wholeWindow: true }, true, 2, 4_000],
  ])('%s', async (_name, more, isOwed, count, agentMs) => {
    const time = ownTime();
    const listener: WebhookListener = {
      base: 'http://127.0.0.1/',
      refuseFirst: () => undefined,
      async heard(_operation, isEnough, waitMs) {
        const heard: HeardWebhook[] = [];
        for (let passed = 0; passed < waitMs; passed += 1_000) {
          if (isEnough(heard)) return heard;
          time.pass(1_000);
          if (passed % 4_000 === 3_000 && heard.length < count) heard.push(webhook);
        }
        return heard;
      },
    };
    const expectation = {
      task: 'expect_webhook',
      filter: {},
      atLeast: 1,
      wholeWindow: false,
      ...more,
    } as const;
    const webhooks = { operation: 'op', expectation, isOwed, waitMs: WINDOW_MS };
    const conversation: Conversation = {
      ...{ agent: AGENT, capabilities: OPEN, tools: [] },
      call: async () => ({
        name: 'expect_webhook',
        answer: await awaitWebhooks(webhooks, listener, new AbortController().signal),
      }),
    };
    const meter = createWaitMeter();
    const call = { key: 'k', task: 'expect_webhook', payload: {}, auth: 'given', callMs: WINDOW_MS } as const;
    const { waited } = await withWaiting(conversation, meter).call({ ...call, webhooks });
    expect(waited?.waitedMs).toBe(agentMs);
    expect(meter.totalMs).toBe(agentMs);
  });

  it('the time of the whole run, when it owes webhooks in each step and sends none: the steps that waited fail', async () => {
    const hooks = STEPS.map(
      (id) =>
        `{id: ask_${id}, task: create_media_buy, sample_request: {push_notification_config: {url: "{{runner.webhook_url:ask_${id}}}"}}}, {id: ${id}, task: expect_webhook, triggered_by: ask_${id}}`,
    );
    const boards = Array.from({ length: 4 }, (_, n) => ({
      ...withPhases(`  - {id: p, steps: [${hooks.join(', ')}]}\n`),
      id: `b${n}`,
    }));
    const run = await runIn({ boards, window: 29_500 });
    expect(run.outcome).toBe('complete');
    expect(stepOf(run, 'a')).toMatchObject({ result: 'fail', evidence: { task: 'expect_webhook' } });
    expect(stepOf(run, 'a').checks.at(-1)).toMatchObject({ check: 'time_taken', actual: '29,500 ms' });
  });
});

describe('time that we used up ourselves stays ours', () => {
  it('where we were busy between the calls', async () => {
    const run = await runIn({ call: 20_000, own: 110_000 });
    expect(run).toMatchObject({ outcome: 'inconclusive', inconclusive: { reason: 'own_deadline' } });
    expect(run.totals.steps.failed).toBe(0);
  });

  it('where we could not listen during a call, whose timeout is no failure of the agent', async () => {
    const agent = mcpAgent({
      tools: ['get_proto_capabilities', 'get_products'],
      answer: () => answered(OPEN),
    });
    const url = await serve(async (request, response) => {
      const body = request.method === 'POST' ? await bodyOf(request) : undefined;
      const { name } = (body?.params ?? {}) as { name?: string };
      if (name === 'get_products') {
        time.block(700); // the same process: nobody hears the answer before its time is over
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await agent(request, response, body);
    });
    const time = patientTime();
    const run = await runAt(`${url}/`, [board()], { limits: { stepMs: 300, runMs: 20_000 } });
    expect(run).toMatchObject({ outcome: 'inconclusive', inconclusive: { reason: 'own_deadline' } });
    expect(run.totals.steps.failed).toBe(0);
  });

  it('is not counted as waiting: neither pauses of politeness nor a blocked process', async () => {
    let held = 0;
    const meter = createWaitMeter(() => held);
    const time = ownTime();
    const polite = await meter.around(async () => {
      time.pass(120);
      held += 110;
    });
    expect(polite).toMatchObject({ elapsedMs: 120, waitedMs: 10 });
    // it is seen at the next tick, a tenth of a second after the one before
    const busy = await meter.around(async () => time.block(300));
    expect(busy).toMatchObject({ elapsedMs: 300, waitedMs: 100 });
    const agent = await meter.around(async () => time.pass(150));
    expect(agent).toMatchObject({ elapsedMs: 150, waitedMs: 150 });
    expect(meter.totalMs).toBe(10 + 100 + 150);
  });

  it('but what the answers of the agent cost us to read is its time', async () => {
    const meter = createWaitMeter();
    const time = ownTime();
    await meter.around(async () => {
      time.pass(5);
      meter.reading(() => time.block(250));
    });
    expect(meter.totalMs).toBeGreaterThanOrEqual(250);
  });
});

/** Time that passes when the test says so; the timers of what runs meanwhile with it. */
function ownTime() {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
    clock.mockRestore();
  });
  return {
    pass(ms: number) {
      for (const end = now + ms; now < end; vi.advanceTimersByTime(1)) now += 1;
    },
    /** This process is kept from everything else: its timers come late. */
    block(ms: number) {
      now += ms;
      vi.advanceTimersByTime(ms);
    },
  };
}
