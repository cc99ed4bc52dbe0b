import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type FinishedRun, type StoryboardResult, TRACKS } from '../../src/compliance/run-result.ts';
import type { StepResult } from '../../src/compliance/step-result.ts';
import { ALGORITHM_VERSION, verdictOf } from '../../src/compliance/verdict/verdict.ts';
import { storyboardOf } from '../../src/domain/badge.ts';
import type { Result } from '../../src/domain/judged-run.ts';
import { board, declaring, INCONCLUSIVE, NO_PROTOCOL, run, START, TIMED_OUT } from './support/judged-runs.ts';

const GAP = { coverage_gap: true } as const;

describe('the status that a run gives', () => {
  test.each([
    ['every active track passes', [board('a', 'core', 'pass'), board('b', 'products', 'pass')], 'passing'],
    ['a track does not apply', [board('a', 'core', 'pass'), board('b', 'products', 'skipped')], 'passing'],
    [
      'a skipped track is a coverage gap',
      [board('a', 'core', 'pass'), board('b', 'products', 'skipped', GAP)],
      'degraded',
    ],
    ['a passing track has a gap in it', [board('a', 'core', 'pass', GAP)], 'degraded'],
    [
      'some track fails, others pass',
      [board('a', 'core', 'pass'), board('b', 'products', 'fail')],
      'degraded',
    ],
    [
      'a track fails in part, others pass',
      [board('a', 'core', 'pass'), board('b', 'products', 'pass'), board('c', 'products', 'fail')],
      'degraded',
    ],
    ['every active track fails', [board('a', 'core', 'fail'), board('b', 'products', 'fail')], 'failing'],
    [
      'the only active track fails in part',
      [board('a', 'core', 'pass'), board('b', 'core', 'fail')],
      'failing',
    ],
    [
      'all fail and one is a gap',
      [board('a', 'core', 'fail'), board('b', 'products', 'skipped', GAP)],
      'failing',
    ],
    ['nothing ran', [board('a', 'core', 'skipped')], 'unknown'],
    ['nothing ran, for a gap', [board('a', 'core', 'skipped', GAP)], 'degraded'],
    ['nothing was selected', [], 'unknown'],
    ['a foreign track fails', [board('a', 'core', 'pass'), board('b', 'elsewhere', 'fail')], 'degraded'],
  ] as const)('%s', (_rule, storyboards, status) => {
    expect(verdictOf(run(START, { storyboards })).status).toBe(status);
  });

  test.each([
    ['an agent that does not answer', TIMED_OUT, 'failing'],
    ['an agent that answers no protocol', NO_PROTOCOL, 'failing'],
    ['a run that we could not finish', INCONCLUSIVE, 'unknown'],
  ] as const)('%s', (_rule, more, status) => {
    expect(verdictOf(run(START, more)).status).toBe(status);
  });
});

describe('tracks', () => {
  const storyboards = [
    board('d', 'elsewhere', 'pass'),
    board('c', 'security', 'skipped', GAP),
    board('b', 'core', 'fail'),
    board('a', 'core', 'pass'),
  ];
  const verdict = verdictOf(run(START, { storyboards }));

  it('are only those of the closed list, in its order', () => {
    expect(Object.entries(verdict.tracks)).toEqual([
      ['core', 'fail'],
      ['security', 'skipped'],
    ]);
  });

  it('count selected storyboards as scenarios, and tell a gap from what does not apply', () => {
    expect(verdict.track_details).toEqual([
      {
        track: 'core',
        status: 'fail',
        scenario_count: 2,
        passed_count: 1,
        duration_ms: 20,
        has_coverage_gap_skip: false,
      },
      {
        track: 'security',
        status: 'skipped',
        scenario_count: 1,
        passed_count: 0,
        duration_ms: 10,
        has_coverage_gap_skip: true,
      },
    ]);
  });

  it('leave the total to the storyboards with a step that ran', () => {
    expect([verdict.storyboards_passing, verdict.storyboards_total]).toEqual([2, 3]);
  });

  it('do not take a member of every object for a track', () => {
    const odd = verdictOf(run(START, { storyboards: [board('a', 'constructor', 'fail')] }));
    expect(odd).toMatchObject({ tracks: {}, status: 'failing' });
  });
});

describe('specialisms', () => {
  test.each([
    ['its storyboard passes', [board('sales_guaranteed', 'media_buy', 'pass')], 'pass'],
    ['its storyboard fails', [board('sales_guaranteed', 'media_buy', 'fail')], 'fail'],
    ['its storyboard was skipped', [board('sales_guaranteed', 'media_buy', 'skipped')], 'untested'],
    ['its storyboard is incomplete', [board('sales_guaranteed', 'media_buy', 'incomplete', GAP)], 'untested'],
    [
      'this runner cannot evaluate its storyboard in full',
      [board('sales_guaranteed', 'media_buy', 'pass', { limited: true })],
      'untested',
    ],
    [
      'part of it could not be run, and another part fails',
      [board('sales_guaranteed', 'media_buy', 'fail', GAP)],
      'fail',
    ],
    ['there is no such storyboard', [board('sales_social', 'media_buy', 'pass')], 'untested'],
  ] as const)('%s', (_rule, storyboards, status) => {
    const verdict = verdictOf(run(START, { agent: declaring('sales-guaranteed'), storyboards }));
    expect(verdict.specialism_status).toEqual({ 'sales-guaranteed': status });
  });

  it('keep their names, each once, whatever the names are', () => {
    const verdict = verdictOf(run(START, { agent: declaring('__proto__', 'x', 'x', 'Sales-Guaranteed') }));
    expect(verdict.declared_specialisms).toEqual(['__proto__', 'x', 'Sales-Guaranteed']);
    expect(JSON.stringify(verdict.specialism_status)).toBe(
      '{"__proto__":"untested","x":"untested","Sales-Guaranteed":"untested"}',
    );
  });

  it('tell those that we cannot test from those that the agent gave no way to test', () => {
    const verdict = verdictOf(
      run(START, {
        agent: declaring('sales-social', 'sales-guaranteed'),
        not_selected: [
          { storyboard_id: 'sales_social', skip_reason: 'missing_tool', skip_detail: 'no create_media_buy' },
        ],
      }),
    );
    expect(verdict.without_storyboard).toEqual(['sales-guaranteed']);
  });

  it('are unknown, and not none, when the agent could not be asked', () => {
    expect(verdictOf(run(START, TIMED_OUT)).declaration_read).toBe(false);
    const unread = { ...declaring(), capabilities_unread: true } as const;
    expect(verdictOf(run(START, { agent: unread })).declaration_read).toBe(false);
    expect(verdictOf(run(START)).declaration_read).toBe(true);
  });
});

describe('a declared specialism that nothing could test', () => {
  const untested = {
    agent: declaring('sales-guaranteed'),
    storyboards: [board('a', 'core', 'pass'), board('sales_guaranteed', 'media_buy', 'skipped')],
  };

  it('keeps the agent from passing', () => {
    expect(verdictOf(run(START, untested))).toMatchObject({
      status: 'degraded',
      specialism_status: { 'sales-guaranteed': 'untested' },
    });
  });

  it('costs nothing where our bundle has no storyboard for it, and is silent where others were not asked for', () => {
    const foreign = { ...untested, storyboards: [board('a', 'core', 'pass')] };
    expect(verdictOf(run(START, foreign)).status).toBe('passing');
    expect(verdictOf(run(START, { ...untested, partial: true }))).toMatchObject({
      status: 'passing',
      headline: 'The only storyboard passes.',
    });
  });
});

it('the steps of a storyboard are those that ran; what was skipped is counted apart', () => {
  const counts = { steps_total: 6, steps_passed: 3, steps_failed: 1, steps_skipped: 2 };
  const { storyboard_statuses } = verdictOf(
    run(START, { storyboards: [board('a', 'core', 'fail', counts)] }),
  );
  expect(storyboard_statuses).toMatchObject([{ steps_passed: 3, steps_total: 4, steps_skipped: 2 }]);
});

describe('the headline', () => {
  const step: StepResult = {
    ...{ storyboard_id: 'b', phase_id: 'p', step_id: 's', title: 'Buy it', task: 'create_media_buy' },
    ...{ result: 'fail', duration_ms: 1, checks: [] },
  };
  test.each<readonly [string, Partial<FinishedRun>, string]>([
    [
      'all pass',
      { storyboards: [board('a', 'core', 'pass'), board('b', 'core', 'pass')] },
      'All 2 storyboards pass.',
    ],
    ['one alone', { storyboards: [board('a', 'core', 'pass')] }, 'The only storyboard passes.'],
    [
      'one fails',
      { storyboards: [board('b', 'core', 'fail'), board('a', 'core', 'pass')], steps: [step] },
      '1 of 2 storyboards passes; first failure: step “Buy it” (create_media_buy) of “The b”.',
    ],
    [
      'a gap',
      { storyboards: [board('a', 'core', 'pass'), board('b', 'media_buy', 'skipped', GAP)] },
      'The only storyboard passes; not tested, because the agent does not offer the required tools: media_buy.',
    ],
    [
      'a gap inside a track that passes',
      { storyboards: [board('a', 'core', 'pass', GAP)] },
      'The only storyboard passes; partly tested, because the agent does not offer the required tools: core.',
    ],
    [
      'a declared specialism that nothing could test, and one that nobody here knows',
      {
        agent: declaring('sales-guaranteed', '<b>own</b>'),
        storyboards: [board('a', 'core', 'pass'), board('sales_guaranteed', 'media_buy', 'skipped')],
      },
      'The only storyboard passes; 0 of 2 declared specialisms tested (not tested: sales-guaranteed; no storyboard for 1).',
    ],
    ['nothing applies', { storyboards: [] }, 'No storyboard applies to this agent.'],
    ['away', TIMED_OUT, 'The agent could not be tested: no response within the time limit.'],
    [
      'no protocol',
      NO_PROTOCOL,
      'The agent could not be tested: the response is neither MCP nor A2A (HTTP 200).',
    ],
    [
      'our fault',
      INCONCLUSIVE,
      'Inconclusive: the network of the test runner failed. The status of the agent is unchanged.',
    ],
  ])('%s', (_rule, more, headline) => {
    expect(verdictOf(run(START, more)).headline).toBe(headline);
  });

  it('is one line of bounded length, whatever a storyboard is called', () => {
    const title = `a\n\u202e${'x'.repeat(9_999)}`;
    const { headline } = verdictOf(run(START, { storyboards: [board('a', 'core', 'fail', { title })] }));
    expect(headline).toHaveLength('The only storyboard fails; first failure: “”.'.length + 120);
  });
});

describe('what the run says besides', () => {
  it('keeps notices as they are, unknown codes, severities and members too', () => {
    const notices = [
      { code: 'new_one', severity: 'purple', message: ' <b>as is</b> ', extra: { deep: [1] } },
    ];
    expect(verdictOf(run(START, { notices })).notices).toEqual(notices);
  });

  it('shows of an observation what is for the public', () => {
    const observations = [
      { category: 'latency', severity: 'info', message: 'slow\u0000', evidence: 'secret' },
    ];
    expect(verdictOf(run(START, { observations })).observations).toEqual([
      { category: 'latency', severity: 'info', message: 'slow' },
    ]);
  });

  it('says of each selected storyboard when it was tested, and under which version', () => {
    const storyboards = [board('b', 'core', 'skipped'), board('a', 'core', 'fail')];
    const at = new Date(START).toISOString();
    expect(verdictOf(run(START, { storyboards })).storyboard_statuses).toMatchObject([
      {
        storyboard_id: 'a',
        steps_passed: 1,
        steps_total: 2,
        last_tested_at: at,
        last_passed_at: null,
        proto_version: '3.0.0',
      },
      { storyboard_id: 'b', last_tested_at: null, last_passed_at: null, requested_compliance_target: '3.0' },
    ]);
  });

  it('names the algorithm that judged', () => {
    expect(verdictOf(run(START)).algorithm_version).toBe(ALGORITHM_VERSION);
  });
});

describe('for any run', () => {
  const result = fc.constantFrom<Result>('pass', 'fail', 'skipped');
  const storyboards = fc.uniqueArray(
    fc
      .tuple(fc.stringMatching(/^[a-z]{1,3}$/), fc.constantFrom(...TRACKS, 'foreign'), result, fc.boolean())
      .map(([id, track, value, coverage_gap]): StoryboardResult => board(id, track, value, { coverage_gap })),
    { selector: ({ storyboard_id }) => storyboard_id, maxLength: 12 },
  );
  const shuffled = storyboards.chain((boards) =>
    fc.tuple(fc.constant(boards), fc.shuffledSubarray(boards, { minLength: boards.length })),
  );

  it('the order of storyboards makes no difference', () => {
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        expect(verdictOf(run(START, { storyboards: other }))).toEqual(
          verdictOf(run(START, { storyboards: one })),
        );
      }),
    );
  });

  it('passing means that something passed and nothing failed', () => {
    fc.assert(
      fc.property(storyboards, (boards) => {
        const verdict = verdictOf(run(START, { storyboards: boards }));
        const results = boards.map((one) => one.result);
        if (verdict.status === 'passing')
          expect(results.includes('pass') && !results.includes('fail')).toBe(true);
        else if (verdict.status === 'failing') expect(results).toContain('fail');
      }),
    );
  });

  it('counts agree with each other', () => {
    fc.assert(
      fc.property(storyboards, (boards) => {
        const verdict = verdictOf(run(START, { storyboards: boards }));
        const known = boards.filter(({ track }) => track !== 'foreign');
        const scenarios = verdict.track_details.reduce((sum, one) => sum + one.scenario_count, 0);
        expect(scenarios).toBe(known.length);
        expect(verdict.storyboards_passing).toBeLessThanOrEqual(verdict.storyboards_total);
      }),
    );
  });

  it('a specialism is tested by the storyboard of its name in snake case', () => {
    expect(storyboardOf('creative-ad-server')).toBe('creative_ad_server');
  });
});
