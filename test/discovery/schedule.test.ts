import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { absenceEnds, candidateVisit, nextVisit, type VisitHistory } from '../../src/discovery/schedule.ts';
import { OUTCOMES } from '../../src/domain/outcome.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 1);

/** Whole hours until the next visit; the jitter is less than one. */
function hours(history: Partial<VisitHistory>): number {
  const known = { kind: 'adagents', key: 'news.example', outcome: 'indexed', failures: 0, now: NOW } as const;
  return Math.floor((nextVisit({ ...known, ...history }).at - NOW) / HOUR);
}

describe('after a good visit', () => {
  test.each([
    ['a file', {}, 6],
    ['an unchanged file', { outcome: 'unchanged' }, 6],
    ['a brand file', { kind: 'brand' }, 6],
    ['an agent', { kind: 'agent' }, 1],
    [
      'an agent, whose Cache-Control says nothing',
      { kind: 'agent', headers: { 'cache-control': 'max-age=36000' } },
      1,
    ],
    ['Cache-Control', { headers: { 'cache-control': 'public, max-age=36000' } }, 10],
    ['Cache-Control less Age', { headers: { 'cache-control': 'max-age=36000', age: '14400' } }, 6],
    ['s-maxage before max-age', { headers: { 'cache-control': 'max-age=60, S-MaxAge=43200' } }, 12],
    ['a lifetime under an hour', { headers: { 'cache-control': 'max-age=60' } }, 1],
    ['no-cache', { headers: { 'cache-control': 'no-cache, max-age=36000' } }, 1],
    ['no-store', { headers: { 'cache-control': 'no-store' } }, 1],
    ['a lifetime over a day', { headers: { 'cache-control': 'max-age=31536000' } }, 24],
    ['a broken Cache-Control', { headers: { 'cache-control': 'max-age=soon' } }, 6],
    ['a tenth of the age of a file', { lastModified: new Date(NOW - 5 * DAY).toUTCString() }, 12],
    ['a young file', { lastModified: new Date(NOW - DAY).toUTCString() }, 6],
    ['an old file, unchanged', { outcome: 'unchanged', lastModified: 'Tue, 01 Jan 2019 00:00:00 GMT' }, 24],
    ['a file of tomorrow', { lastModified: new Date(NOW + DAY).toUTCString() }, 6],
    ['a broken Last-Modified', { lastModified: 'soon' }, 6],
    [
      'Cache-Control before the age',
      { headers: { 'cache-control': 'max-age=36000' }, lastModified: 'Tue, 01 Jan 2019 00:00:00 GMT' },
      10,
    ],
    [
      'an agent, whose Last-Modified says nothing',
      { kind: 'agent', lastModified: new Date(0).toUTCString() },
      1,
    ],
    ['x-max-age, which is another directive', { headers: { 'cache-control': 'x-max-age=36000' } }, 6],
  ] as const)('%s', (_name, history, expected) => {
    expect(hours(history)).toBe(expected);
    expect(
      nextVisit({ kind: 'adagents', key: '', outcome: 'indexed', failures: 7, now: NOW, ...history })
        .failures,
    ).toBe(0);
  });
});

describe('after a failure', () => {
  test.each([
    ['adagents', [6, 12, 24, 24]],
    ['agent', [1, 2, 4, 8, 16, 24]],
  ] as const)('%s: the interval doubles up to a day', (kind, expected) => {
    const found = expected.map((_, failures) => hours({ kind, outcome: 'unreachable', failures }));
    expect(found).toEqual(expected);
    expect(nextVisit({ kind, key: '', outcome: 'failed', failures: 3, now: NOW }).failures).toBe(4);
  });

  test.each([
    ['seconds', '36000', 10 * HOUR],
    ['a date', new Date(NOW + 9 * HOUR).toUTCString(), 9 * HOUR],
    ['more than a day', '999999', DAY],
  ])('Retry-After in %s is not undercut', (_name, value, wait) => {
    const { at } = nextVisit({
      kind: 'adagents',
      key: '',
      outcome: 'throttled',
      headers: { 'retry-after': value },
      failures: 0,
      now: NOW,
    });
    expect(at).toBe(NOW + wait);
  });

  test.each(['0', '-5', 'soon', '', new Date(NOW - HOUR).toUTCString()])(
    'Retry-After %j changes nothing',
    (value) => {
      expect(hours({ outcome: 'throttled', headers: { 'retry-after': value } })).toBe(6);
    },
  );

  test('an agent’s own wish to wait counts as Retry-After', () => {
    const { at } = nextVisit({
      kind: 'agent',
      key: '',
      outcome: 'throttled',
      retryAt: NOW + 5 * HOUR,
      failures: 0,
      now: NOW,
    });
    expect(at).toBe(NOW + 5 * HOUR);
  });

  test.each([
    ['absent', false],
    ['unreachable', false],
    ['refused', false],
    ['invalid', true],
  ] as const)(
    'a domain that never published (%s, a page: %s) is asked for daily for a week, then every 7 to 30 days',
    (outcome, isPage) => {
      const never = (failures: number) => hours({ outcome, failures, neverPublished: true, isPage });
      const week = [6, 12, 24, 24, 24, 24, 24, 24];
      expect(week.map((_, failures) => never(failures))).toEqual(week);
      const days = [8, 9, 10, 11, 12, 2_000].map((failures) => Math.floor(never(failures) / 24));
      expect(days).toEqual([7, 14, 28, 30, 30, 30]);
    },
  );

  test.each([
    [1, 7],
    [100_000, 7],
    [100_001, 14],
    [1_000_000, 14],
    [1_000_001, 30],
    [900_000_000, 30],
  ])('a candidate of rank %i that only its list names is asked for every %i days', (rank, days) => {
    const foundVia = candidateVisit({ key: 'news.example', rank }, 1e9, NOW)?.foundVia ?? '';
    const asked = [0, 3, 100].map((failures) =>
      Math.floor(hours({ outcome: 'absent', failures, neverPublished: true, foundVia }) / 24),
    );
    expect(asked).toEqual([days, days, days]);
    expect(hours({ outcome: 'absent', failures: 100, foundVia })).toBe(24); // it has published once
    expect(hours({ outcome: 'throttled', neverPublished: true, foundVia })).toBe(6);
  });

  test.each(['operator', 'rank.example adagents', 'news.example rank <=100000'])(
    'what %j names has its days, whatever it is called',
    (foundVia) => {
      expect(hours({ outcome: 'absent', failures: 3, neverPublished: true, foundVia })).toBe(24);
    },
  );

  test.each(['invalid', 'throttled', 'failed'] as const)('%s is no sign that nothing is there', (outcome) => {
    expect(hours({ outcome, failures: 100, neverPublished: true })).toBe(24);
  });

  test('a file that is gone is asked for again when its grace ends', () => {
    const gone = { outcome: 'absent', failures: 5 } as const;
    expect(hours({ ...gone, absentSince: NOW - 20 * HOUR })).toBe(4);
    expect(hours({ ...gone, absentSince: NOW - 40 * HOUR })).toBe(24);
  });

  test('a pointer to another site is asked for again when its wait ends, and then as any other', () => {
    const failed = { outcome: 'failed', failures: 5 } as const;
    expect(hours({ ...failed, movedSince: NOW - 20 * HOUR })).toBe(4);
    expect(hours({ ...failed, movedSince: NOW - 23.5 * HOUR })).toBe(1);
    expect(hours({ ...failed, movedSince: NOW - 30 * HOUR })).toBe(24);
  });
});

test.each([
  [1, 1_000, 0],
  [500, 1_000, 0.499],
  [29_001, 1_000, 29],
  [30_001, 1_000, undefined],
])('rank %i of %i first visits a day comes after %s days', (rank, perDay, days) => {
  const visit = candidateVisit({ key: 'news.example', rank }, perDay, NOW);
  expect(visit && ((visit.dueAt ?? 0) - NOW) / DAY).toBe(days);
});

test('what was found together is not due together', () => {
  const due = Array.from(
    { length: 1_000 },
    (_, i) =>
      nextVisit({ kind: 'adagents', key: `d${i}.example`, outcome: 'absent', failures: 0, now: NOW }).at,
  );
  expect(new Set(due).size).toBeGreaterThan(900);
  expect(Math.max(...due) - Math.min(...due)).toBeGreaterThan(0.2 * HOUR);
});

test('the next visit is always between one hour and one day away, or 30 where nothing was ever read, and the same for the same history', () => {
  const history = fc.record({
    kind: fc.constantFrom('adagents', 'brand', 'agent'),
    key: fc.string(),
    outcome: fc.constantFrom(...OUTCOMES),
    headers: fc.record({ 'cache-control': fc.string(), 'retry-after': fc.string(), age: fc.string() }),
    failures: fc.nat(2_000),
    neverPublished: fc.boolean(),
    now: fc.constant(NOW),
  } as const);
  fc.assert(
    fc.property(history, (input) => {
      const next = nextVisit(input);
      expect(next.at - NOW).toBeGreaterThanOrEqual(HOUR);
      expect(next.at - NOW).toBeLessThanOrEqual(input.neverPublished ? 30 * DAY : DAY);
      expect(nextVisit(input)).toEqual(next);
    }),
  );
});

test.each([
  [DAY, 2, true],
  [DAY, 1, false],
  [DAY - 1, 9, false],
  [3 * DAY, 3, true],
])('gone for %i ms over %i visits ends what the file said: %s', (gone, absentVisits, ends) => {
  expect(absenceEnds({ absentSince: NOW - gone, absentVisits, now: NOW })).toBe(ends);
});
