import { backOffMs } from '../base/back-off.ts';
import type { DeliveryAnswer } from './send.ts';

/** The rule for retries. Times in milliseconds. */
export const RETRIES = {
  /** The longest wait after the first attempt; it doubles with each further attempt. */
  base: 5_000,
  /** The longest wait, also for a Retry-After. */
  cap: 2 * 3_600_000,
  /** The shortest wait. */
  floor: 1_000,
  /** Attempts in total: about half a day on average. */
  tries: 24,
  /** The wait after the first refusal is between half of this and this; it doubles with each further refusal. */
  refusedBase: 60_000,
  /** Attempts of a webhook that the receiver refuses: at least half an hour, longer than receivers cache keys. */
  refusedTries: 7,
  /** Attempts of a verification request. */
  verifyTries: 7,
  /** The age limit applies only after this many attempts. */
  triesBeforeAge: 4,
  /** Since it was added, or replayed. */
  age: 24 * 3_600_000,
} as const;

/** No wait or lease that was set with a correct clock is further ahead. */
const FURTHEST_AHEAD = RETRIES.cap + 60_000;

/**
 * Whether the time `at` has come. A time that is too far ahead for any wait was set with a wrong clock and counts as past.
 * Epoch milliseconds.
 */
export function hasCome(at: number, now: number): boolean {
  return at <= now || at >= tooFarAhead(now);
}

/** Times from here on are too far ahead to be correct, epoch milliseconds. */
export function tooFarAhead(now: number): number {
  return now + FURTHEST_AHEAD;
}

export interface Tried {
  /** Including the current one. */
  readonly attempts: number;
  /** Those of them that the receiver refused. Default 0. */
  readonly refusals?: number;
  /** Epoch milliseconds. */
  readonly since: number;
}

export type NextTry = { readonly at: number } | { readonly dead: string };

/**
 * When a webhook is retried, or why it is not: exponential backoff with jitter, or later if `Retry-After` says so. After a
 * failure the wait is random between zero and a ceiling that doubles; after a refusal at least half the ceiling, so that
 * every webhook outlasts a receiver with a stale copy of our keys. Only refusals count as refusals: a receiver that was
 * down may refuse for a while when it is back. The age limit applies only after a few attempts, so that a downtime of
 * this process stops nothing.
 *
 * @param random from 0 to 1, 1 excluded
 * @param now epoch milliseconds
 */
export function nextTry(
  { attempts, refusals = 0, since }: Tried,
  answer: Extract<DeliveryAnswer, { kind: 'refused' | 'failed' }>,
  random: number,
  now: number,
): NextTry {
  const over = attempts >= RETRIES.tries || (answer.kind === 'refused' && refusals >= RETRIES.refusedTries);
  if (over) return { dead: `${answer.reason}; stopped after ${attempts} attempts` };
  const at = now + retryDelayMs(answer, attempts, refusals, random);
  if (attempts < RETRIES.triesBeforeAge || at - since <= RETRIES.age) return { at };
  return {
    dead: `${answer.reason}; stopped after ${RETRIES.age / 3_600_000} hours and ${attempts} attempts`,
  };
}

function retryDelayMs(
  answer: Extract<DeliveryAnswer, { kind: 'refused' | 'failed' }>,
  attempts: number,
  refusals: number,
  random: number,
): number {
  if (answer.kind === 'refused')
    return Math.floor(((1 + random) / 2) * ceilingAfter(RETRIES.refusedBase, refusals));
  const backoff = Math.max(RETRIES.floor, Math.floor(random * ceilingAfter(RETRIES.base, attempts)));
  return Math.max(backoff, Math.min(answer.retryAfterMs ?? 0, RETRIES.cap));
}

function ceilingAfter(base: number, times: number): number {
  return backOffMs(Math.max(1, times), base, RETRIES.cap);
}
