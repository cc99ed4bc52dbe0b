import { describe, expect, it, test } from 'vitest';
import { check, refuses, says } from '../support/check.ts';

const FIRST = {
  media_buy_id: 'mb_1',
  packages: [{ package_id: 'p_1', budget: 100 }],
  status: 'pending_start',
};
const replay = (answer: object) =>
  check({ check: 'replay_equals', step: 'create' }, says({ ...FIRST, ...answer }), {
    prior: { create: { ...FIRST, timestamp: '2026-03-01T00:00:00Z' } },
  });

describe('a replay', () => {
  test.each<[string, object]>([
    ['equals the first answer', {}],
    ['is marked as one', { replayed: true }],
    [
      'has a time, a message and a context of its own',
      { timestamp: '2026-03-02T00:00:00Z', message: 'Again.', context: { a: 1 } },
    ],
  ])('passes when it %s', (_name, answer) => {
    expect(replay(answer).result).toBe('pass');
  });

  test.each<[string, object, object]>([
    [
      'budget',
      { packages: [{ package_id: 'p_1', budget: 101 }] },
      { pointer: '/packages/0/budget', expected: 100, actual: 101 },
    ],
    ['package', { packages: [{ package_id: 'p_2', budget: 100 }] }, { pointer: '/packages/0/package_id' }],
    [
      'number of packages',
      { packages: [...FIRST.packages, { package_id: 'p_2' }] },
      { pointer: '/packages/1', expected: 'nothing' },
    ],
    ['media buy', { media_buy_id: 'mb_2' }, { pointer: '/media_buy_id', expected: 'mb_1', actual: 'mb_2' }],
    ['field more', { version: 2 }, { pointer: '/version', expected: 'nothing', actual: 2 }],
    ['type', { media_buy_id: 1 }, { pointer: '/media_buy_id', actual: 1 }],
  ])('fails at the first difference when it has another %s', (_name, answer, expected) => {
    expect(replay(answer)).toMatchObject({ result: 'fail', ...expected });
  });

  it('fails when a field of the first answer is missing', () => {
    const { status: _, ...rest } = FIRST;
    const result = check({ check: 'replay_equals', step: 'create' }, says(rest), {
      prior: { create: FIRST },
    });
    expect(result).toMatchObject({ result: 'fail', pointer: '/status', expected: 'pending_start' });
    expect(Object.hasOwn(result, 'actual')).toBe(false);
  });

  it('fails when it is refused', () => {
    const result = check({ check: 'replay_equals', step: 'create' }, refuses({ code: 'CONFLICT' }), {
      prior: { create: FIRST },
    });
    expect(result.result).toBe('fail');
  });

  it('is not judged when the first step did not pass', () => {
    expect(check({ check: 'replay_equals', step: 'create' }, says(FIRST)).result).toBe('not_applicable');
  });
});
