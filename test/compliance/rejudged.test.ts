import { describe, expect, it } from 'vitest';
import type { ComplianceRun } from '../../src/compliance/run-result.ts';
import type { StepEvidence, StepResult } from '../../src/compliance/step-result.ts';
import { rejudged } from '../../src/compliance/verdict/rejudged.ts';
import { judgeRun } from '../../src/compliance/verdict/verdict.ts';
import { board, declaring, run, START } from './support/judged-runs.ts';

const HTML_PAGE: StepEvidence = {
  ...{ task: 'get_media_buy_delivery', request: {}, outcome: 'failed', http_status: 500 },
  response: { error_class: 'http_error', message: 'HTTP 500', body: '<h1>Oh no</h1>' },
};

function step(storyboard_id: string, step_id: string, more: Partial<StepResult>): StepResult {
  return {
    ...{ storyboard_id, phase_id: 'p', step_id, title: step_id, task: 'get_media_buy_delivery' },
    ...{ result: 'pass', duration_ms: 5, checks: [] },
    ...more,
  };
}

/** As earlier rules left a failed step that did not count. */
const uncounted = (more: Partial<StepResult>): Partial<StepResult> => ({
  ...{ result: 'skipped', skip_reason: 'not_applicable', skip_detail: 'it failed', coverage_gap: false },
  ...{ advice: true, evidence: HTML_PAGE },
  ...more,
});

/** A run as algorithm version 3 kept it: one storyboard of reports, beside one that passes. */
function reportOf(steps: readonly StepResult[], more: Partial<ComplianceRun> = {}) {
  const passed = steps.filter(({ result }) => result === 'pass').length;
  const counts = { steps_total: steps.length, steps_passed: passed, steps_failed: 0 };
  const storyboards = [
    board('core', 'core', 'pass'),
    board('reports', 'reporting', 'pass', { ...counts, steps_skipped: steps.length - passed }),
  ];
  return { ...run(START, { storyboards, steps, ...more }) } as unknown as Record<string, unknown>;
}

const statusOf = (report: Record<string, unknown>) => {
  const again = rejudged(report);
  return again === undefined ? undefined : [judgeRun(again.run).verdict.status, again.reasons];
};

describe('a run of earlier rules, under the current ones', () => {
  it('fails where no valid answer did not count', () => {
    const report = reportOf([step('reports', 'a', {}), step('reports', 'b', uncounted({}))]);
    expect(judgeRun(report as unknown as ComplianceRun).verdict.status).toBe('passing');
    expect(statusOf(report)).toEqual([
      'degraded',
      ['reports/p/b: get_media_buy_delivery gave no valid answer (HTTP 500), which did not count before'],
    ]);
    expect(rejudged(report)?.run.totals.steps).toEqual({ total: 2, passed: 1, failed: 1, skipped: 0 });
  });

  it('fails in an optional phase, too, and says where a retry may help', () => {
    const tried = { advice: undefined, tried: true, evidence: { ...HTML_PAGE, http_status: 503 } } as const;
    const [status, reasons] = statusOf(
      reportOf([step('reports', 'a', {}), step('reports', 'b', uncounted(tried as object))]),
    ) as [string, string[]];
    expect([status, reasons[0]]).toEqual([
      'degraded',
      expect.stringContaining('the next run tries once more'),
    ]);
  });

  it.each<readonly [string, Partial<StepResult>]>([
    ['advice about a valid answer', { evidence: { ...HTML_PAGE, outcome: 'answered' } }],
    [
      'an expected refusal',
      {
        evidence: { ...HTML_PAGE, http_status: 400 },
        checks: [{ check: 'expect_error', result: 'fail', message: 'another code' }],
      },
    ],
    ['a document that is not served', { task: 'oauth_auth_server_metadata' }],
  ])('is the same after %s', (_what, more) => {
    const report = reportOf([step('reports', 'a', {}), step('reports', 'b', uncounted(more))]);
    expect(statusOf(report)).toEqual(['passing', []]);
  });

  it('is incomplete where a skipped step is a coverage gap, and not where it does not apply', () => {
    const gap = { result: 'skipped', skip_reason: 'missing_tool', coverage_gap: true } as const;
    const of = (more: Partial<StepResult>) => {
      const report = reportOf([step('reports', 'a', {}), step('reports', 'b', { ...gap, ...more })]);
      const [core, reports] = report.storyboards as ComplianceRun['storyboards'];
      return { ...report, storyboards: [core, { ...reports, coverage_gap: true }] };
    };
    expect(statusOf(of({}))).toEqual([
      'degraded',
      ['reports: incomplete, 1 of 2 steps ran; it used to count as passing'],
    ]);
    expect(statusOf(of({ skip_reason: 'not_applicable' }))).toEqual(['passing', []]);
  });

  describe('whose capabilities were not read', () => {
    const agent = { ...declaring(), capabilities_unread: true } as const;
    const CAPABILITIES = 'get_adcp_capabilities';
    const failed = { ...HTML_PAGE, task: CAPABILITIES };
    const asked = (more: Partial<StepResult>) =>
      reportOf([step('core', 'capabilities', { task: CAPABILITIES, ...more })], { agent });

    it.each<readonly [string, Partial<StepResult>]>([
      ['were answered later', {}],
      ['were never answered', { result: 'fail', evidence: failed }],
    ])('is inconclusive when they %s', (_when, more) => {
      const again = rejudged(asked(more));
      expect(again?.run).toMatchObject({
        outcome: 'inconclusive',
        inconclusive: { reason: 'declaration_unread' },
      });
      expect(again?.reasons).toEqual([expect.stringContaining(`${CAPABILITIES} was not answered`)]);
    });

    it.each<readonly [string, Partial<StepResult>]>([
      [
        'the agent lists no such task',
        { result: 'skipped', skip_reason: 'missing_tool', coverage_gap: true },
      ],
      [
        'it wants a credential first',
        {
          result: 'fail',
          evidence: { ...failed, http_status: 401, response: { error_class: 'auth_required' } },
        },
      ],
    ])('is complete when %s', (_when, more) => {
      expect(rejudged(asked(more))?.run.outcome).toBe('complete');
    });
  });

  it('cannot be told without the steps, or without the evidence of those that did not count', () => {
    const steps = [
      step('reports', 'a', {}),
      step('reports', 'b', uncounted({ evidence: undefined as never })),
    ];
    expect(rejudged({ ...reportOf(steps), shortened: 'evidence' })).toBeUndefined();
    expect(rejudged({ ...reportOf([]), shortened: 'steps' })).toBeUndefined();
    expect(rejudged({})).toBeUndefined();
  });

  it('that was rejudged before is the same', () => {
    const report = reportOf([step('reports', 'a', {}), step('reports', 'b', uncounted({}))]);
    const once = rejudged(report)?.run;
    expect(once).toBeDefined();
    expect(rejudged({ ...once })).toEqual({ run: once, reasons: [] });
  });
});
