import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HealthSeen, healthHistory } from '../../src/domain/health-history.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FROM = Date.UTC(2026, 0, 5);
const up = (hour: number, responseTimeMs = 100): HealthSeen => ({
  at: FROM + hour * HOUR,
  online: true,
  responseTimeMs,
});
const down = (hour: number): HealthSeen => ({ at: FROM + hour * HOUR, online: false, errorClass: 'timeout' });
const fold = (probes: readonly HealthSeen[], hours = 48, stepMs = DAY) =>
  healthHistory(probes, { from: FROM, now: FROM + hours * HOUR - 1, stepMs });
const shares = (probes: readonly HealthSeen[], hours?: number) =>
  fold(probes, hours).parts.map(({ uptime }) => uptime && Math.round(uptime * 1_000) / 1_000);

describe('the health history of an agent', () => {
  it.each<[string, HealthSeen[], (number | undefined)[]]>([
    ['nothing was seen', [], [undefined, undefined]],
    ['one probe holds for 25 hours', [up(0)], [1, 1]],
    ['and for the time after the last day before', [up(-2), down(6), up(12)], [0.75, 1]],
    ['half a day down', [up(0), down(12), up(24)], [0.5, 1]],
    [
      'away, and asked less and less often',
      [up(0), down(6), down(8), down(12), down(20), up(36)],
      [0.25, 0.5],
    ],
    ['a registry that was off is no downtime', [up(0), up(47)], [1, 1]],
  ])('tells the share of the time that is known: %s', (_, probes, wanted) => {
    expect(shares(probes)).toEqual(wanted);
  });

  it('counts probes and latencies where they were made, those of before not at all', () => {
    const many = Array.from({ length: 100 }, (_, n) => up(n / 10, n + 1));
    const { whole, parts } = fold([up(-1, 9_999), ...many, down(30)]);
    expect(parts.map(({ probes, answered }) => [probes, answered])).toEqual([
      [100, 100],
      [1, 0],
    ]);
    expect([whole.latency, parts[1]?.latency]).toEqual([{ p50: 50, p95: 95, p99: 99 }, undefined]);
  });

  it('has an incident for each time that the agent was away, newest first; the last one may last', () => {
    expect(fold([up(0), down(2), down(3), up(5), down(40)]).incidents).toEqual([
      { from: FROM + 40 * HOUR, lastGoodAt: FROM + 5 * HOUR, errorClass: 'timeout', probes: 1 },
      {
        ...{ from: FROM + 2 * HOUR, until: FROM + 5 * HOUR, lastGoodAt: FROM },
        ...{ errorClass: 'timeout', probes: 2 },
      },
    ]);
    expect(fold([down(-20), up(-10), up(1)]).incidents).toEqual([]);
    expect(fold([down(-2), up(1)]).incidents).toMatchObject([{ from: FROM - 2 * HOUR }]);
  });

  it('agrees with itself by day and by hour, whatever was seen', () => {
    const probe = fc.record({ hour: fc.integer({ min: -1_500, max: 4_799 }), online: fc.boolean() });
    fc.assert(
      fc.property(fc.uniqueArray(probe, { selector: ({ hour }) => hour, maxLength: 60 }), (drawn) => {
        const probes = drawn
          .sort((a, b) => a.hour - b.hour)
          .map(({ hour, online }) => (online ? up(hour / 100) : down(hour / 100)));
        const [daily, hourly] = [fold(probes), fold(probes, 48, HOUR)];
        expect(hourly.whole).toEqual(daily.whole);
        expect(hourly.parts).toHaveLength(48);
        for (const { parts, whole } of [daily, hourly]) {
          expect(parts.reduce((sum, part) => sum + part.probes, 0)).toBe(whole.probes);
          for (const { uptime = 0 } of [whole, ...parts]) expect(uptime >= 0 && uptime <= 1).toBe(true);
        }
        const away = probes.some(({ online, at }) => !online && at >= FROM);
        expect(!away || daily.incidents.length > 0).toBe(true);
      }),
    );
  });
});
