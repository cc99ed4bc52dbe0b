import { describe, expect, it } from 'vitest';
import { freshnessOf, isStale } from '../../../src/api/render/agent-list.ts';

const NOON = Date.UTC(2026, 0, 6, 12);
const HOUR = 3_600_000;

describe('the freshness', () => {
  it.each([
    ['never known to the records', undefined, true],
    ['found a minute ago and never probed', { firstSeenAt: NOON - 60_000 }, false],
    ['found long ago and never reached', { firstSeenAt: NOON - 3 * HOUR }, true],
    ['reached within two intervals', { firstSeenAt: 0, lastSeenAt: NOON - 2 * HOUR }, false],
    ['last reached before that', { firstSeenAt: 0, lastSeenAt: NOON - 2 * HOUR - 1 }, true],
    [
      'reached in a year, by a clock that was ahead',
      { firstSeenAt: 0, lastSeenAt: NOON + 8_760 * HOUR },
      true,
    ],
    ['found in a year, by such a clock', { firstSeenAt: NOON + 8_760 * HOUR }, true],
    ['checked now, but last reached long ago', { firstSeenAt: 0, lastSeenAt: 0, lastCheckedAt: NOON }, true],
  ])('of an agent %s: stale is %s', (_which, live, stale) => {
    const state = live === undefined ? undefined : { agent: 'https://a.example/', ...live };
    expect(freshnessOf(state, NOON).stale).toBe(stale);
    expect(isStale(state, NOON)).toBe(stale);
  });

  it('shows times in UTC with milliseconds and leaves out the unknown ones', () => {
    const state = { agent: 'https://a.example/', firstSeenAt: NOON, nextCheckAt: NOON + 1 };
    expect(freshnessOf(state, NOON)).toEqual({
      first_seen_at: '2026-01-06T12:00:00.000Z',
      next_check_at: '2026-01-06T12:00:00.001Z',
      stale: false,
    });
  });
});
