import { beforeAll, describe, expect, it } from 'vitest';
import type { StoryLine } from '../../src/demo/story/story-line.ts';
import { type StoryTotals, tellStory } from '../../src/demo/story/tell-story.ts';

const HOUR = 3_600_000;

const lines: StoryLine[] = [];
let totals: StoryTotals;

beforeAll(async () => {
  totals = await tellStory((line) => void lines.push(line), {
    signal: new AbortController().signal,
    probeEveryMs: 4 * HOUR,
  });
}, 180_000);

/** The line of the nth such event. */
function line(event: StoryLine['event'], nth = 1): StoryLine {
  const found = lines.filter((one) => one.event === event)[nth - 1];
  if (found === undefined) throw new Error(`there is no ${event} number ${nth}`);
  return found;
}

/** What a stranger was shown at that moment: status and the picture of the badge. */
const shown = (event: StoryLine['event'], nth = 1) => {
  const { status, picture } = line(event, nth).shown;
  return `${status}; ${picture}`;
};

describe('one agent over 17 days, tested by the real heartbeat over loopback', () => {
  it('goes from the first crawl to a badge, into grace and out, and loses it and earns it anew', () => {
    expect(lines.map(({ event }) => event)).toEqual([
      'crawled',
      'proven',
      'inconclusive',
      'credential',
      'earned',
      'live',
      'broken',
      'grace',
      'mended',
      'away',
      'inconclusive',
      'recovered',
      'broken',
      'grace',
      'revoked',
      'mended',
      'earned',
    ]);
  });

  it('is not tested before its owner is known, and not judged without a credential', () => {
    expect(shown('crawled')).toBe('unknown; not verified');
    expect(shown('inconclusive')).toBe('unknown; not verified');
    expect(line('inconclusive').text).toContain('auth_required');
    expect(line('inconclusive').at - line('proven').at).toBeLessThan(HOUR);
  });

  it('shows the badge when it is earned, and both axes after 7 days', () => {
    expect(shown('earned')).toBe('passing; signals 3.0 · spec');
    expect(shown('live')).toBe('passing; signals 3.0 · spec, live');
    expect(line('live').shown).toMatchObject({ badges: ['signals 3.0 spec, live'] });
    expect(line('live').shown.streakDays).toBeGreaterThanOrEqual(7);
    expect(line('live').at - line('earned').at).toBeGreaterThanOrEqual(7 * 24 * HOUR);
  });

  it('keeps the badge in grace, without the live axis, and says what failed', () => {
    expect(shown('broken')).toBe('passing; signals 3.0 · spec, live');
    expect(shown('grace')).toBe('degraded; signals 3.0 · spec');
    expect(line('grace').text).toContain(
      'signal_marketplace/activation/unknown_platform expected "failed", received "pending"',
    );
  });

  it('holds nothing against the agent when our own network is away', () => {
    expect(line('inconclusive', 2).text).toContain('own_network');
    expect(line('inconclusive', 2).shown).toEqual(line('grace').shown);
    expect(shown('recovered')).toBe('passing; signals 3.0 · spec');
    expect(line('recovered').at - line('grace').at).toBeLessThan(48 * HOUR);
  });

  it('takes the badge away by the first failing run after 48 hours of grace', () => {
    expect(shown('grace', 2)).toBe('degraded; signals 3.0 · spec');
    expect(shown('revoked')).toBe('degraded; not verified');
    expect(line('revoked').at - line('grace', 2).at).toBeGreaterThanOrEqual(48 * HOUR);
    expect(line('revoked').shown.badges).toEqual([]);
    expect(shown('earned', 2)).toBe('passing; signals 3.0 · spec');
  });

  it('made every run and every probe for real', () => {
    expect(totals.runs).toBeGreaterThanOrEqual(15);
    expect(totals.probes).toBeGreaterThanOrEqual(80);
  });
});
