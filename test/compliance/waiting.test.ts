import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createWaitMeter } from '../../src/compliance/conversation/waiting.ts';
import { verdictOf } from '../../src/compliance/verdict/verdict.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { bodyOf, serve } from '../calling/support/serve.ts';
import { answered, OPEN, resultsOf, runAt, stepOf, withPhases } from './support/runs.ts';

const STEPS = ['a', 'b', 'c', 'd', 'e', 'f'];
const board = (more = '') =>
  withPhases(
    `  - {id: p${more}, steps: [${STEPS.map((id) => `{id: ${id}, task: get_products}`).join(', ')}]}\n`,
  );
const LIMITS = { stepMs: 5_000, runMs: 420 };

/** An agent that waits before it answers, by what it is asked. */
async function agentThatWaits(delayOf: (what: string, nth: number) => number): Promise<string> {
  const agent = mcpAgent({
    tools: ['get_proto_capabilities', 'get_products'],
    answer: (task) => answered(task === 'get_products' ? {} : OPEN),
  });
  const seen = new Map<string, number>();
  const listener: RequestListener = async (request, response) => {
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    const { name } = (body?.params ?? {}) as { name?: string };
    const what = name ?? String(body?.method);
    const nth = (seen.get(what) ?? 0) + 1;
    seen.set(what, nth);
    await sleep(delayOf(what, nth), undefined, { ref: false });
    await agent(request, response, body);
  };
  return `${await serve(listener)}/`;
}

describe('an agent that makes each call wait does not keep its verdict', () => {
  it.each([
    ['a step', board()],
    ['a step of an optional phase', board(', optional: true')],
  ])(
    '%s that waited fails with its time as evidence, and what had no time is not run',
    async (_name, one) => {
      const url = await agentThatWaits((what) => (what === 'get_products' ? 170 : 0));
      const run = await runAt(url, [one], { limits: LIMITS });
      expect(run.outcome).toBe('complete');
      expect(run.inconclusive).toBeUndefined();
      expect(run.totals.steps.failed).toBeGreaterThanOrEqual(1);
      const step = stepOf(run, 'a');
      expect(step).toMatchObject({ result: 'fail', evidence: { outcome: 'answered' } });
      expect(step.checks.at(-1)).toMatchObject({
        check: 'time_taken',
        result: 'fail',
        expected: 'at most 70 ms',
        actual: expect.stringMatching(/^\d{3} ms$/),
      });
      expect(stepOf(run, 'f')).toMatchObject({
        skip_reason: 'prerequisite_failed',
        skip_detail: expect.stringContaining('the agent has kept the run waiting for'),
      });
      expect(verdictOf(run).status).toBe('failing');
    },
  );

  it('one that hangs until the time is over fails there', async () => {
    const url = await agentThatWaits((what) => (what === 'get_products' ? 8_000 : 0));
    const run = await runAt(url, [board()], { limits: LIMITS });
    expect(run.outcome).toBe('complete');
    expect(stepOf(run, 'a').result).toBe('fail');
    expect(verdictOf(run).status).toBe('failing');
  });

  it('all storyboards are in the verdict, those without time too', async () => {
    const url = await agentThatWaits((what) => (what === 'get_products' ? 170 : 0));
    const other = { ...board(), id: 'another' };
    const run = await runAt(url, [board(), other], { limits: LIMITS });
    expect(run.storyboards.map(({ storyboard_id: id, result }) => [id, result])).toEqual([
      ['sample', 'fail'],
      ['another', 'skipped'],
    ]);
  });

  it('one that takes the time before the first step fails the first step', async () => {
    const url = await agentThatWaits((what) => (what === 'get_proto_capabilities' ? 450 : 0));
    const run = await runAt(url, [board()], { limits: LIMITS });
    expect(stepOf(run, 'a')).toMatchObject({ result: 'fail', checks: [{ check: 'time_taken' }] });
    expect(resultsOf(run).slice(1)).toEqual(STEPS.slice(1).map((id) => `${id}: prerequisite_failed`));
  });

  it('one that spreads its tool list over the whole time fails the first step', async () => {
    const agent = mcpAgent({
      ...{ tools: ['get_proto_capabilities', 'get_products'], pageSize: 1 },
      answer: () => answered(OPEN),
    });
    const url = await serve(async (request, response) => {
      const body = await bodyOf(request);
      if (body?.method === 'tools/list') await sleep(220, undefined, { ref: false });
      return agent(request, response, body);
    });
    const run = await runAt(`${url}/`, [board()], { limits: { stepMs: 400, runMs: 420 } });
    expect(run.outcome).toBe('complete');
    expect(stepOf(run, 'a').result).toBe('fail');
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
    const run = await runAt(url, [board()], { limits: { ...LIMITS, runMs: 20_000, requests: 20 } });
    expect(run.outcome).toBe('complete');
    expect(run.totals.steps.failed).toBeGreaterThan(0);
  });
});

describe('time that we used up ourselves stays ours', () => {
  it('where we were busy between the calls', async () => {
    const url = await agentThatWaits(() => 0);
    const run = await runAt(url, [board()], {
      limits: LIMITS,
      tell: ({ kind }) => {
        if (kind === 'storyboard') block(450);
      },
    });
    expect(run).toMatchObject({ outcome: 'inconclusive', inconclusive: { reason: 'own_deadline' } });
    expect(run.totals.steps.failed).toBe(0);
  });

  it('where we could not listen during a call, whose timeout is no failure of the agent', async () => {
    const url = await agentThatWaits((what) => {
      if (what === 'get_products') setTimeout(() => block(700), 10); // the same process: nobody hears the answer
      return what === 'get_products' ? 50 : 0;
    });
    const run = await runAt(url, [board()], { limits: { stepMs: 300, runMs: 20_000 } });
    expect(run).toMatchObject({ outcome: 'inconclusive', inconclusive: { reason: 'own_deadline' } });
    expect(run.totals.steps.failed).toBe(0);
  });

  it('is not counted as waiting: neither pauses of politeness nor a blocked process', async () => {
    let held = 0;
    const meter = createWaitMeter(() => held);
    const polite = await meter.around(async () => {
      await sleep(120);
      held += 110;
    });
    expect(polite.waitedMs).toBeLessThanOrEqual(polite.elapsedMs - 110);
    const busy = await meter.around(async () => {
      const answer = sleep(20);
      block(300);
      await answer;
    });
    expect(busy.waitedMs).toBeLessThanOrEqual(busy.elapsedMs - 190);
    const agent = await meter.around(() => sleep(150));
    expect(agent.waitedMs).toBeGreaterThan(100);
    expect(meter.totalMs).toBe(polite.waitedMs + busy.waitedMs + agent.waitedMs);
  });
});

/** Keeps this process from everything else. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
