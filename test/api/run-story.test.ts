import { describe, expect, it } from 'vitest';
import { toldRun } from '../../src/api/pages/owner/run-story.ts';
import type { FinishedRun } from '../../src/compliance/run-result.ts';
import type { StepResult } from '../../src/compliance/step-result.ts';
import { of } from '../compliance/support/badge-story.ts';
import { board, judgedRun, START } from '../compliance/support/judged-runs.ts';
import { openBrowser } from './support/browser.ts';
import { refuseMarkup } from './support/naughty.ts';
import { PROBED_AT } from './support/registry.ts';
import { AGENT, tested } from './support/tested-agent.ts';

const HTML = { accept: 'text/html' };
const ID = '00000000-0000-4000-8000-00000000000a';
const step = (storyboard_id: string, title: string, result: StepResult['result'], duration_ms: number) => ({
  ...{ storyboard_id, phase_id: 'p', step_id: title, title, task: 'get_products', checks: [] },
  ...{ result, duration_ms },
});
const RUN: Partial<FinishedRun> = {
  run_id: ID,
  storyboards: [
    board('b', 'core', 'pass', { title: 'Hello', duration_ms: 1_234 }),
    board('a', 'core', 'pass', { title: 'Who are you', duration_ms: 77 }),
    board('c', 'products', 'pass', { title: 'What do you sell', duration_ms: 5 }),
    board('d', 'products', 'fail', { title: 'What does it cost', duration_ms: 55 }),
    board('e', 'products', 'fail', { title: 'And in dollars', duration_ms: 66 }),
    board('f', 'products', 'skipped', {
      title: 'Never begun',
      skip_detail: 'it builds on d',
      duration_ms: 0,
    }),
  ],
  steps: [
    step('b', '<b>Knock</b>', 'pass', 12),
    step('b', 'Enter', 'skipped', 0),
    step('d', 'Ask', 'fail', 41.6),
  ],
};

describe('a run that is over', () => {
  it('says beside its counts how many declared specialisms nothing tested, to everybody and to its owner', async () => {
    const run = of({ 'sales-guaranteed': 'pass', 'creative-template': 'none', 'sales-social': 'skipped' });
    const { server, owner, get } = await tested({ ...run, run_id: ID });
    const path = `/api/registry/agents/${encodeURIComponent(AGENT)}`;
    const counts = { storyboards_passing: 2, storyboards_total: 2, specialisms_untested: 2 };
    expect((await get(`${path}/compliance/runs/${ID}`)).json()).toMatchObject(counts);
    expect((await get(`${path}/compliance/history`)).json().runs).toMatchObject([counts]);
    expect((await get(`${path}/storyboard-status`)).json()).toMatchObject({ specialisms_untested: 2 });
    const { body } = await get(`/runs/${encodeURIComponent(AGENT)}/${ID}`, HTML);
    expect(body).toContain('2 specialisms untested');
    const browser = await openBrowser(server);
    await browser.post('/sign-in', { key: owner.authorization.slice('Bearer '.length), next: '/my' });
    for (const own of ['', `/runs/${ID}`]) {
      const page = await browser.get(`/my/agents/${encodeURIComponent(AGENT)}${own}`);
      expect(page.body).toContain('2 specialisms untested');
    }
  });

  it('is told to its owner storyboard by storyboard, step by step, in its order and with its times', async () => {
    const { server, owner } = await tested(RUN);
    const browser = await openBrowser(server);
    await browser.post('/sign-in', {
      key: owner.authorization.slice('Bearer '.length),
      next: '/my',
    });
    const { status, body } = await browser.get(`/my/agents/${encodeURIComponent(AGENT)}/runs/${ID}`);
    expect(status).toBe(200);
    const text = body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toMatch(
      /Storyboards Hello passed 1\.2 s ✓ passed: &lt;b&gt;Knock&lt;\/b&gt; 12 ms – skipped: Enter Who are you passed 77 ms/,
    );
    expect(text).toContain('What does it cost failed 55 ms ✗ failed: Ask 42 ms');
    expect(text).toContain('Never begun skipped it builds on d');
    refuseMarkup(body);
  });

  it('is told to everybody storyboard by storyboard, with what is public of each, as the operation tells it', async () => {
    const { get } = await tested(RUN);
    const path = `/api/registry/agents/${encodeURIComponent(AGENT)}/compliance/runs/${ID}`;
    const { storyboards } = (await get(path)).json();
    expect(
      storyboards.map(({ title, result }: { title: string; result: string }) => [title, result]),
    ).toEqual([
      ['Who are you', 'pass'],
      ['Hello', 'pass'],
      ['What do you sell', null],
      ['What does it cost', 'fail'],
      ['And in dollars', null],
      ['Never begun', null],
    ]);
    const { body } = await get(`/runs/${encodeURIComponent(AGENT)}/${ID}`, HTML);
    const text = body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain('Hello core Passing 1.2 s');
    expect(text).toContain('What does it cost products Failing 55 ms');
    expect(text).toContain('And in dollars products Owner only –');
    for (const secret of ['66 ms', 'Knock', 'it builds on d']) expect(text).not.toContain(secret);
  });

  it('keeps its storyboards with their times when its steps are gone', () => {
    const { storyboards, without_steps } = toldRun({ report: null, verdict: judgedRun(START, RUN).verdict });
    expect(without_steps).toBe(true);
    expect(storyboards.map(({ title, result, duration_ms: ms }) => [title, result, ms])).toEqual([
      ['Who are you', 'pass', 77],
      ['Hello', 'pass', 1_234],
      ['What do you sell', 'pass', 5],
      ['What does it cost', 'fail', 55],
      ['And in dollars', 'fail', 66],
      ['Never begun', 'skipped', 0],
    ]);
  });

  it('is bounded on the page, and says so', () => {
    const storyboards = Array.from({ length: 2_000 }, (_, at) => board(`s${at}`, 'core', 'pass'));
    const { verdict } = judgedRun(PROBED_AT);
    const told = toldRun({ report: { storyboards, steps: [] }, verdict });
    expect(told.is_cut).toBe(true);
    expect(JSON.stringify(told).length).toBeLessThan(50_000);
  });
});
