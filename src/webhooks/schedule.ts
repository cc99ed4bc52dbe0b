import type { Answer } from './answer.ts';

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
  /** Of a webhook that the receiver refuses; no webhook is given up for its age with fewer. */
  refusedTries: 4,
  /** Since it was added, or replayed. */
  age: 24 * 3_600_000,
} as const;

export interface Tried {
  /** Including the one just made. */
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly since: number;
}

export type NextTry = { readonly at: number } | { readonly dead: string };

/**
 * When a webhook is tried again, or why it never is: exponential backoff with full jitter (the wait is drawn evenly
 * from zero to a ceiling that doubles, so that receivers that come back are not met by all senders at once), and a
 * later time when the receiver names one in `Retry-After`. Ages count only after a few tries, so that a night in which
 * this process was off gives up nothing.
 *
 * @param random from 0 to 1, 1 excluded
 * @param now epoch milliseconds
 */
export function nextTry(
  { attempts, since }: Tried,
  answer: Extract<Answer, { kind: 'refused' | 'failed' }>,
  random: number,
  now: number,
): NextTry {
  const tries = answer.kind === 'refused' ? RETRIES.refusedTries : RETRIES.tries;
  if (attempts >= tries) return { dead: `${answer.reason}; given up after ${attempts} tries` };
  const at = now + Math.max(backoff(attempts, random), retryAfter(answer));
  if (attempts < RETRIES.refusedTries || at - since <= RETRIES.age) return { at };
  return { dead: `${answer.reason}; given up after ${RETRIES.age / 3_600_000} hours and ${attempts} tries` };
}

function backoff(attempts: number, random: number): number {
  const ceiling = Math.min(RETRIES.cap, RETRIES.base * 2 ** (attempts - 1));
  return Math.max(RETRIES.floor, Math.floor(random * ceiling));
}

function retryAfter(answer: Extract<Answer, { kind: 'refused' | 'failed' }>): number {
  return answer.kind === 'failed' ? Math.min(answer.retryAfterMs ?? 0, RETRIES.cap) : 0;
}
