import { WAKE_EVERY_MS } from '../domain/webhook-url.ts';
import type { Subscription } from '../ports/subscriptions.ts';
import { nextTry, RETRIES } from './schedule.ts';
import type { DeliveryAnswer } from './send.ts';
import { HOW_TO_AGREE } from './verification.ts';

/** Between a change and the wake-up, so that changes that come together are told together, milliseconds. */
const GATHER_MS = 1_000;

/** With something to tell: the first change behind its place was at `at`. */
export function withChange(subscription: Subscription, at: number, now: number): Subscription {
  const dueAt = Math.max(now + GATHER_MS, (subscription.toldAt ?? 0) + WAKE_EVERY_MS);
  return { ...subscription, firstChangeAt: at, since: now, dueAt };
}

/** With one more try, which counts as lost at `until`; dead when all of its tries ended with their processes. */
export function withTry(subscription: Subscription, now: number, until: number): Subscription {
  const { attempts } = subscription;
  if (attempts >= triesOf(subscription)) return dead(subscription, `given up after ${attempts} tries`, now);
  return { ...subscription, attempts: attempts + 1, dueAt: until };
}

/** What a try came to; `told` is what the receiver can read by now when it was delivered. */
export function withAnswer(
  tried: Subscription,
  answer: DeliveryAnswer,
  told: Subscription['place'],
  random: number,
  now: number,
): Subscription {
  if (answer.kind === 'delivered') {
    const { firstChangeAt: _first, since: _since, dueAt: _due, lastError: _error, ...rest } = tried;
    return { ...rest, place: told, attempts: 0, refusals: 0, toldAt: now };
  }
  if (answer.kind === 'ended' || answer.kind === 'never') return dead(tried, answer.reason, now);
  const refusals = tried.refusals + (answer.kind === 'refused' ? 1 : 0);
  const next = nextTry(
    { attempts: tried.attempts, refusals, since: tried.since ?? now },
    answer,
    random,
    now,
  );
  if ('dead' in next) return dead({ ...tried, refusals }, next.dead, now);
  return { ...tried, refusals, dueAt: next.at, lastError: answer.reason };
}

/** What a verification came to. A receiver that cannot be reached has the waits of one that refuses. */
export function withVerification(
  tried: Subscription,
  answer: DeliveryAnswer,
  random: number,
  now: number,
): Subscription {
  if (answer.kind === 'delivered') {
    const { since: _since, dueAt: _due, lastError: _error, ...rest } = tried;
    return { ...rest, attempts: 0, refusals: 0, verifiedAt: now };
  }
  const lastError = `${answer.reason}; ${HOW_TO_AGREE}`;
  const isOver = tried.attempts >= triesOf(tried);
  if (isOver || answer.kind === 'ended' || answer.kind === 'never') return dead(tried, lastError, now);
  const refused = { kind: 'refused', reason: lastError } as const;
  const next = nextTry({ attempts: 0, refusals: tried.attempts, since: now }, refused, random, now);
  return 'dead' in next ? dead(tried, next.dead, now) : { ...tried, dueAt: next.at, lastError };
}

function triesOf({ verifiedAt }: Subscription): number {
  return verifiedAt === undefined ? RETRIES.verifyTries : RETRIES.tries;
}

/** As if the try had not been begun. */
export function untried(tried: Subscription, now: number): Subscription {
  return { ...tried, attempts: tried.attempts - 1, dueAt: now };
}

/** The same, put off as its receiver has been sent enough for now. */
export function postponed(tried: Subscription, waitMs: number, now: number): Subscription {
  return untried(tried, now + Math.min(waitMs, RETRIES.cap));
}

function dead({ dueAt: _due, ...subscription }: Subscription, lastError: string, now: number): Subscription {
  return { ...subscription, lastError, deadAt: now };
}
