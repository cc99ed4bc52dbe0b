import { describe, expect, it } from 'vitest';
import { of, shown, tell, timeline } from './support/badge-story.ts';
import { DAY, HOUR, INCONCLUSIVE, MINUTE, START, TIMED_OUT } from './support/judged-runs.ts';

const PASS = of({ 'sales-guaranteed': 'pass' });

describe('the story of one agent', () => {
  it('goes from its badge through an outage and back, and each run says when the next one comes', () => {
    const earned = tell([0, PASS]);
    expect(shown(earned)).toEqual(['media-buy 3.0']);
    expect(earned.due).toBeGreaterThan(START + 11 * HOUR);
    expect(earned.due).toBeLessThanOrEqual(START + 12 * HOUR);

    const away = tell([0, PASS], [DAY, TIMED_OUT]);
    expect([shown(away), away.due]).toEqual([['media-buy 3.0'], START + DAY + 10 * MINUTE]);

    const down = tell([0, PASS], [DAY, TIMED_OUT], [DAY + 10 * MINUTE, TIMED_OUT]);
    expect([shown(down), down.standing.status]).toEqual([['media-buy 3.0 in grace'], 'failing']);

    const ourFault = tell(
      [0, PASS],
      [DAY, TIMED_OUT],
      [DAY + 10 * MINUTE, TIMED_OUT],
      [4 * DAY, INCONCLUSIVE],
    );
    expect([shown(ourFault), ourFault.due]).toEqual([['media-buy 3.0 in grace'], START + 4 * DAY + HOUR]);

    const back = tell(
      [0, PASS],
      [DAY, TIMED_OUT],
      [DAY + 10 * MINUTE, TIMED_OUT],
      [4 * DAY, INCONCLUSIVE],
      [4 * DAY + HOUR, PASS],
    );
    expect([shown(back), back.standing.status]).toEqual([['media-buy 3.0'], 'passing']);
    expect(timeline(back)).toEqual(['earned', 'grace', 'recovered']);
  });
});
