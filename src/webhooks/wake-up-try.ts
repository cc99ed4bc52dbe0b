import { WAKE_EVERY_MS } from '../domain/webhook-url.ts';
import type { Subscription } from '../ports/subscriptions.ts';
import { nextTry, RETRIES } from './schedule.ts';
import type { DeliveryAnswer } from './send.ts';

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
  if (attempts >= RETRIES.tries) return dead(subscription, `given up after ${attempts} tries`, now);
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

/** As if the try had not been begun. */
export function untried(tried: Subscription, now: number): Subscription {
  return { ...tried, attempts: tried.attempts - 1, dueAt: now };
}

function dead({ dueAt: _due, ...subscription }: Subscription, lastError: string, now: number): Subscription {
  return { ...subscription, lastError, deadAt: now };
}
