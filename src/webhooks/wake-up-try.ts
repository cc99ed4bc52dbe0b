import { WAKE_EVERY_MS } from '../domain/webhook-url.ts';
import type { Subscription } from '../records/owners/subscriptions.ts';
import { nextTry, RETRIES } from './schedule.ts';
import type { DeliveryAnswer } from './send.ts';
import { HOW_TO_AGREE } from './verification.ts';

/** Delay between a change and its webhook, so that changes at the same time share one, milliseconds. */
const GATHER_MS = 1_000;

/** With a change to report: the first one after its position was at `at`. */
export function withChange(subscription: Subscription, at: number, now: number): Subscription {
  const dueAt = Math.max(now + GATHER_MS, (subscription.deliveredAt ?? 0) + WAKE_EVERY_MS);
  return { ...subscription, firstChangeAt: at, since: now, dueAt };
}

/** With one more attempt, which counts as lost at `until`; dead if all attempts ended with their processes. */
export function withTry(subscription: Subscription, now: number, until: number): Subscription {
  const { attempts } = subscription;
  if (attempts >= triesOf(subscription)) return dead(subscription, `stopped after ${attempts} attempts`, now);
  return { ...subscription, attempts: attempts + 1, dueAt: until };
}

/** After an attempt; `told` is the position up to which the receiver can read if it was delivered. */
export function withAnswer(
  tried: Subscription,
  answer: DeliveryAnswer,
  told: Subscription['place'],
  random: number,
  now: number,
): Subscription {
  if (answer.kind === 'delivered') {
    const { firstChangeAt: _first, since: _since, dueAt: _due, lastError: _error, ...rest } = tried;
    return { ...rest, place: told, attempts: 0, refusals: 0, deliveredAt: now };
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

/** After a verification request. An unreachable receiver is retried like one that refuses. */
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

/** Without the current attempt. */
export function untried(tried: Subscription, now: number): Subscription {
  return { ...tried, attempts: tried.attempts - 1, dueAt: now };
}

/** Postponed, because a budget of its receiver is used up. */
export function postponed(tried: Subscription, waitMs: number, now: number): Subscription {
  return untried(tried, now + Math.min(waitMs, RETRIES.cap));
}

function dead({ dueAt: _due, ...subscription }: Subscription, lastError: string, now: number): Subscription {
  return { ...subscription, lastError, deadAt: now };
}
