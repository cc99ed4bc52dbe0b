import { beforeEach, describe, expect, it } from 'vitest';
import { decideRun } from '../../src/compliance/decide.ts';
import type { FinishedRun } from '../../src/compliance/run-result.ts';
import type { StepResult } from '../../src/compliance/step-result.ts';
import { judgeRun } from '../../src/compliance/verdict/verdict.ts';
import type { Records } from '../../src/ports/records.ts';
import { of } from '../compliance/support/badge-story.ts';
import { run as finished } from '../compliance/support/judged-runs.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { AGENT, MINUTE, type OwnedStore, ownedStore } from './support/owned-store.ts';
import { follows } from './support/schemas.ts';

let good: OwnedStore['good'];
let elsewhere: OwnedStore['elsewhere'];
let records: Records;

beforeEach(async () => {
  ({ good, elsewhere } = await ownedStore());
  records = await elsewhere();
});

const HOUR = 60 * MINUTE;
const SOLD: StepResult = {
  ...{ storyboard_id: 'sales_guaranteed', phase_id: 'sell', step_id: 'buy', title: 'Buy' },
  ...{ task: 'create_media_buy', result: 'pass', duration_ms: 5, checks: [] },
};
/** HTML instead of an answer, which earlier rules took for advice. */
const NOT_REPORTED: StepResult = {
  ...SOLD,
  ...{ step_id: 'report', task: 'get_media_buy_delivery', result: 'skipped', advice: true },
  ...{ skip_reason: 'not_applicable', skip_detail: 'it failed, and is advice', coverage_gap: false },
  evidence: {
    ...{ task: 'get_media_buy_delivery', request: {}, outcome: 'failed', http_status: 500 },
    response: { error_class: 'http_error', message: 'HTTP 500', body: '\u001b[2J<h1>' },
  },
};
const LENIENT: Partial<FinishedRun> = {
  ...of({ 'sales-guaranteed': 'pass' }),
  steps: [SOLD, NOT_REPORTED],
};

/** Keeps a run as algorithm version 3 judged it. */
async function keepOld(at: number, more: Partial<FinishedRun>): Promise<void> {
  const report = finished(at, { run_id: 'old', ...more });
  const judged = judgeRun(report);
  const old = { ...judged, verdict: { ...judged.verdict, algorithm_version: '3' } };
  const wanted = { agent: AGENT, run: { ...old, started_at: report.started_at }, report };
  expect(await records.compliance.saveRun(wanted, decideRun(old, { now: at }), at)).toBe('saved');
}

interface Rejudgement {
  readonly agents: number;
  readonly changes: readonly object[];
  readonly cannot_be_told: readonly object[];
}

const rejudge = async () =>
  follows<Rejudgement>(await good('runs', 'rejudge', '--json'), 'cli/runs-rejudge.json');
const badges = async () =>
  (await records.compliance.state(AGENT))?.badges.map(({ role, graceSince, revokedAt }) => [
    role,
    graceSince !== null,
    revokedAt !== null,
  ]);

describe('agent-registry runs rejudge', () => {
  it('says which agents would change, why, and which badges would enter their grace period', async () => {
    await keepOld(Date.now() - HOUR, LENIENT);
    expect(await rejudge()).toEqual({
      ...{ algorithm_version: '4', agents: 1, cannot_be_told: [] },
      changes: [
        {
          ...{ agent_url: AGENT, run_id: 'old', finished_at: expect.any(String), algorithm_version: '3' },
          ...{ status_before: 'passing', status_after: 'degraded', outcome_after: 'complete' },
          headline_after: expect.stringContaining('1 of 2 storyboards passes'),
          reasons: [
            'sales_guaranteed/sell/report: get_media_buy_delivery gave no valid answer (HTTP 500), which did not count before',
          ],
          badges: [{ role: 'media-buy', protocol_line: '3.0' }],
        },
      ],
    });
    const text = await good('runs', 'rejudge');
    expect(text).toContain(`${AGENT}: passing → degraded`);
    expect(text).toContain('badge media-buy 3.0: enters its grace period of 48 hours');
    expect(text).toContain('1 would change under the rules of version 4, 0 unknown. Nothing was changed.');
  });

  it('changes nothing, and the first run that fails under the new rules begins a grace period', async () => {
    const now = Date.now();
    await keepOld(now - 90 * 24 * HOUR, LENIENT);
    await rejudge();
    expect(await badges()).toEqual([['media-buy', false, false]]);
    const fails = of({ 'sales-guaranteed': 'fail' });
    await keepRun(records, now - 72 * HOUR, fails, { agent: AGENT });
    expect(await badges()).toEqual([['media-buy', true, false]]);
    await keepRun(records, now - 25 * HOUR, { ...fails, run_id: 'second' }, { agent: AGENT });
    expect(await badges()).toEqual([['media-buy', true, false]]);
    await keepRun(records, now - 23 * HOUR, { ...fails, run_id: 'third' }, { agent: AGENT });
    expect(await badges()).toEqual([['media-buy', true, true]]);
  });

  it('says that an incomplete specialism puts its badge into grace, too', async () => {
    const gap = { ...SOLD, step_id: 'cancel', result: 'skipped', skip_reason: 'missing_tool' } as const;
    const steps = [SOLD, { ...gap, coverage_gap: true }];
    const [core, board] = of({ 'sales-guaranteed': 'pass' }).storyboards ?? [];
    const storyboards = [core, { ...board, coverage_gap: true, steps_passed: 1, steps_skipped: 1 }];
    await keepOld(Date.now() - HOUR, { ...LENIENT, steps, storyboards } as Partial<FinishedRun>);
    expect((await rejudge()).changes).toMatchObject([
      {
        ...{ status_before: 'degraded', status_after: 'degraded', badges: [{ role: 'media-buy' }] },
        reasons: ['sales_guaranteed: incomplete, 1 of 2 steps ran; it used to count as passing'],
      },
    ]);
  });

  it('leaves out agents that stay as they are', async () => {
    await keepOld(Date.now() - HOUR, { ...LENIENT, steps: [SOLD] });
    expect(await rejudge()).toMatchObject({ agents: 1, changes: [], cannot_be_told: [] });
  });

  it('cannot tell what becomes of a run whose steps were too large to be kept', async () => {
    const body = 'x'.repeat(5_000_000);
    const steps = [SOLD, { ...NOT_REPORTED, title: body }];
    await keepOld(Date.now() - HOUR, { ...LENIENT, steps });
    expect(await rejudge()).toMatchObject({
      changes: [],
      cannot_be_told: [
        { agent_url: AGENT, run_id: 'old', why: 'the run was too large to be stored completely' },
      ],
    });
    expect(await good('runs', 'rejudge')).toContain('unknown until the next run');
  });

  it('knows no agent in a store without runs', async () => {
    expect(await rejudge()).toMatchObject({ agents: 0, changes: [], cannot_be_told: [] });
  });
});
