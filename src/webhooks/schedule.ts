import { backOffMs } from '../base/back-off.ts';
import type { DeliveryAnswer } from './send.ts';

/** The rule for retries. Times in milliseconds. */
export const RETRIES = {
  /** The wait after the first try is at most this; it doubles with each further try. */
  base: 5_000,
  /** No wait is longer, whatever the receiver asks for. */
  cap: 2 * 3_600_000,
  /** No wait is shorter. */
  floor: 1_000,
  /** Tries in all: about half a day on average. */
  tries: 24,
  /** The wait after the first refusal is between half of this and this; it doubles with each further refusal. */
  refusedBase: 60_000,
  /** Of a webhook that the receiver refuses: half an hour at least, which outlasts the copies of keys that receivers keep. */
  refusedTries: 7,
  /** Of a verification, whatever it was answered. */
  verifyTries: 7,
  /** No webhook is given up for its age with fewer tries. */
  triesBeforeAge: 4,
  /** Since it was added, or replayed. */
  age: 24 * 3_600_000,
} as const;

/** No moment that was set with a right clock lies further ahead: a wait, or the lease of a try. */
const FURTHEST_AHEAD = RETRIES.cap + 60_000;

/**
 * Whether the moment `at` has come. One that is too far ahead for any of our waits was set while the clock was wrong,
 * and nobody waits for it. Epoch milliseconds.
 */
export function hasCome(at: number, now: number): boolean {
  return at <= now || at >= tooFarAhead(now);
}

/** From here on a moment is too far ahead to be right, epoch milliseconds. */
export function tooFarAhead(now: number): number {
  return now + FURTHEST_AHEAD;
}

export interface Tried {
  /** Including the one just made. */
  readonly attempts: number;
  /** Those of them that the receiver refused. Default 0. */
  readonly refusals?: number;
  /** Epoch milliseconds. */
  readonly since: number;
}

export type NextTry = { readonly at: number } | { readonly dead: string };

/**
 * When a webhook is tried again, or why it never is: exponential backoff with jitter, so that receivers that come back
 * are not met by all senders at once, and a later time when the receiver names one in `Retry-After`. After a failure
 * the wait is drawn evenly from zero to a ceiling that doubles; after a refusal from half the ceiling, so that even
 * the luckiest webhook outlasts a receiver with an old copy of our keys. Only refusals count as such: a receiver that
 * was down for long may be mistaken for a while when it comes back. Ages count only after a few tries, so that a night
 * in which this process was off gives up nothing.
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
  if (over) return { dead: `${answer.reason}; given up after ${attempts} tries` };
  const at = now + retryDelayMs(answer, attempts, refusals, random);
  if (attempts < RETRIES.triesBeforeAge || at - since <= RETRIES.age) return { at };
  return { dead: `${answer.reason}; given up after ${RETRIES.age / 3_600_000} hours and ${attempts} tries` };
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
