import { describe, expect, it, test } from 'vitest';
import { of, type Scene, tell } from './support/badge-story.ts';
import { board, DAY, HOUR, INCONCLUSIVE } from './support/judged-runs.ts';

const PASS = of({ 'sales-guaranteed': 'pass' });
const FAIL = of({ 'sales-guaranteed': 'fail' });

function axes(...scenes: readonly Scene[]): readonly string[] {
  return tell(...scenes).badges.at(-1)?.axes ?? [];
}

describe('the live axis', () => {
  const covered: readonly (readonly [string, Scene])[] = [
    ['after passing for 7 days', [7 * DAY, PASS]],
    ['when 95 % of the probes found it healthy', [7 * DAY, PASS, { probes: { total: 200, healthy: 190 } }]],
    ['after 7 days without another run', [7 * DAY, null]],
    ['after an inconclusive run', [7 * DAY, INCONCLUSIVE]],
  ];
  test.each(covered)('is there %s', (_rule, scene) => {
    expect(axes([0, PASS], [6 * DAY, PASS], scene)).toEqual(['spec', 'live']);
  });

  const missing: readonly (readonly [string, Scene])[] = [
    ['just before 7 days', [7 * DAY - 1, PASS]],
    [
      'when fewer than 95 % of the probes found it healthy',
      [7 * DAY, PASS, { probes: { total: 19, healthy: 18 } }],
    ],
    ['when nobody probed it', [7 * DAY, PASS, { probes: { total: 0, healthy: 0 } }]],
    ['in testing', [7 * DAY, PASS, { settings: { lifecycleStage: 'testing' } }]],
    ['in development', [7 * DAY, PASS, { settings: { lifecycleStage: 'development' } }]],
    ['when deprecated', [7 * DAY, PASS, { settings: { lifecycleStage: 'deprecated' } }]],
    [
      'when another track fails',
      [
        7 * DAY,
        of(
          { 'sales-guaranteed': 'pass' },
          { storyboards: [board('core', 'core', 'fail'), board('sales_guaranteed', 'media_buy', 'pass')] },
        ),
      ],
    ],
    ['when the last run is older than 8 days', [15 * DAY, null]],
  ];
  test.each(missing)('is not there %s', (_rule, scene) => {
    expect(axes([0, PASS], [6 * DAY, PASS], scene)).toEqual(['spec']);
  });

  it('is there from the first day for who has been passing without a badge', () => {
    expect(axes([0, PASS, { member: null }], [8 * DAY, PASS])).toEqual(['spec', 'live']);
  });

  it('goes with the first failing run, while grace keeps the badge; and takes 7 days to come back', () => {
    const start: readonly Scene[] = [
      [0, PASS],
      [8 * DAY, PASS],
      [9 * DAY, FAIL],
    ];
    expect(axes(...start)).toEqual(['spec']);
    expect(axes(...start, [10 * DAY, PASS])).toEqual(['spec']);
    expect(axes(...start, [10 * DAY, PASS], [16 * DAY, PASS])).toEqual(['spec']);
    expect(axes(...start, [10 * DAY, PASS], [17 * DAY, PASS])).toEqual(['spec', 'live']);
  });

  it('says why it came and why it went', () => {
    const told = tell(
      [0, PASS],
      [7 * DAY, PASS],
      [7 * DAY + HOUR, null, { probes: { total: 168, healthy: 100 } }],
    );
    expect(told.events.slice(1).map(({ kind, reason }) => [kind, reason])).toEqual([
      ['changed', 'Live axis added: in production, healthy and passing for 7 days.'],
      ['changed', 'Live axis removed: 100 of 168 probes of the last 7 days succeeded, fewer than 95%.'],
    ]);
  });
});
