import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../src/domain/text.ts';
import { nextTry, RETRIES } from '../../src/webhooks/schedule.ts';
import { answerOfError, answerOfStatus, type DeliveryAnswer } from '../../src/webhooks/send.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const failed = { kind: 'failed', reason: 'the receiver answered 500', status: 500 } as const;
const refused = { kind: 'refused', reason: 'the receiver answered 404', status: 404 } as const;

describe('the next try', () => {
  it.each([
    ['after the first, at most 5 s', 1, 0.999_999, failed, 4_999],
    ['after the second, at most 10 s', 2, 0.999_999, failed, 9_999],
    ['after the fifth, evenly drawn below 80 s', 5, 0.5, failed, 40_000],
    ['never sooner than a second', 8, 0, failed, 1_000],
    ['never later than two hours', 23, 0.999_999_999, failed, 2 * HOUR - 1],
    ['when the receiver says', 1, 0.5, { ...failed, retryAfterMs: 5 * MINUTE }, 5 * MINUTE],
    ['by the backoff, when the receiver says sooner', 10, 0.5, { ...failed, retryAfterMs: 10 }, 1_280_000],
    [
      'in two hours, when the receiver says next year',
      1,
      0.5,
      { ...failed, retryAfterMs: 9_000 * HOUR },
      2 * HOUR,
    ],
  ])('is %s', (_name, attempts, random, answer, waitMs) => {
    expect(nextTry({ attempts, since: NOW }, answer, random, NOW)).toEqual({ at: NOW + waitMs });
  });

  it.each([
    ['the 24th try', 24, 0, failed, 'the receiver answered 500; stopped after 24 attempts'],
    ['a day', 9, 25 * HOUR, failed, 'the receiver answered 500; stopped after 24 hours and 9 attempts'],
  ])('is none after %s', (_name, attempts, age, answer, dead) => {
    expect(nextTry({ attempts, since: NOW - age }, answer, 0.5, NOW)).toEqual({ dead });
  });

  it.each([
    ['after the first refusal, half a minute at least', 1, 0, 30_000],
    ['after the first refusal, a minute at most', 1, 0.999_999, 59_999],
    ['after the sixth, about half an hour', 6, 0.5, 24 * MINUTE],
  ])('is %s', (_name, refusals, random, waitMs) => {
    const tried = { attempts: refusals, refusals, since: NOW };
    expect(nextTry(tried, refused, random, NOW)).toEqual({ at: NOW + waitMs });
  });

  it('is none after the seventh refusal, whatever else went wrong before', () => {
    const dead = 'the receiver answered 404; stopped after 12 attempts';
    expect(nextTry({ attempts: 12, refusals: 7, since: NOW }, refused, 0, NOW)).toEqual({ dead });
    expect(nextTry({ attempts: 12, refusals: 6, since: NOW }, refused, 0, NOW)).toHaveProperty('at');
  });

  it('outlasts a receiver that keeps keys for a quarter of an hour, with the shortest waits', () => {
    let at = NOW;
    for (let n = 1; n < RETRIES.refusedTries; n += 1) {
      const next = nextTry({ attempts: n, refusals: n, since: NOW }, refused, 0, at);
      if ('at' in next) at = next.at;
    }
    expect(at - NOW).toBeGreaterThan(30 * MINUTE);
  });

  it('is there for one that is old because this process was off', () => {
    expect(nextTry({ attempts: 1, since: NOW - 99 * HOUR }, failed, 0, NOW)).toEqual({ at: NOW + 1_000 });
  });

  it('lies within the bounds, whatever the receiver says', () => {
    fc.assert(
      fc.property(
        fc.nat(30),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        fc.nat(),
        (n, random, ms) => {
          const next = nextTry({ attempts: n + 1, since: NOW }, { ...failed, retryAfterMs: ms }, random, NOW);
          if ('dead' in next) return n + 1 >= RETRIES.tries;
          return next.at >= NOW + RETRIES.floor && next.at <= NOW + RETRIES.cap;
        },
      ),
    );
  });
});

describe('an answer', () => {
  it.each<[number, string | null, DeliveryAnswer['kind'], number?]>([
    [200, null, 'delivered'],
    [204, null, 'delivered'],
    [299, null, 'delivered'],
    [410, null, 'ended'],
    [301, null, 'refused'],
    [304, null, 'refused'],
    [400, null, 'refused'],
    [401, null, 'refused'],
    [404, '60', 'refused'],
    [408, null, 'failed'],
    [425, null, 'failed'],
    [429, '60', 'failed', 60_000],
    [500, '60', 'failed'],
    [503, 'Sat, 21 Nov 2026 12:00:30 GMT', 'failed', 30_000],
    [503, 'soon', 'failed'],
  ])('of %i (Retry-After: %s) is %s', (status, retryAfter, kind, retryAfterMs) => {
    const answer = answerOfStatus(status, retryAfter, NOW);
    expect(answer).toMatchObject({ kind, status });
    expect('retryAfterMs' in answer ? answer.retryAfterMs : undefined).toBe(retryAfterMs);
  });

  it.each([
    ['0', 0],
    ['120', 120_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['2026-11-21 12:01', undefined],
    ['-5', undefined],
    ['1e9', undefined],
    ['99999999999', undefined],
    [null, undefined],
  ])('that says %s to come back', (text, ms) => {
    expect(retryAfterMs(text, NOW)).toBe(ms);
  });

  it('that is an error of the guard tells why', () => {
    const guarded = (code: string) => Object.assign(new Error(), { failure: { code, detail: 'so it is' } });
    expect(answerOfError(guarded('blocked'))).toEqual({ kind: 'never', reason: 'blocked: so it is' });
    expect(answerOfError(guarded('redirect'))).toEqual({ kind: 'refused', reason: 'so it is' });
    expect(answerOfError(guarded('dns'))).toEqual({ kind: 'failed', reason: 'so it is' });
    expect(answerOfError('odd')).toEqual({ kind: 'failed', reason: 'the request failed: odd' });
  });
});
