import { webhookUrlFault } from '../domain/webhook-url.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher, Visit } from '../ports/fetcher.ts';
import type { Attempts, Settled } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import { hasCome, RETRIES } from './schedule.ts';
import { type DeliveryAnswer, sendOnce, type WebhookSigning } from './send.ts';

export interface ReceiverVisitOptions {
  readonly attempts: Attempts;
  readonly fetcher: Fetcher;
  readonly signing: WebhookSigning;
  readonly clock: Clock;
  readonly tryMs?: number;
  readonly allowHttp?: (url: URL) => boolean;
  readonly onSettled?: (settled: Settled) => void;
}

/** Receivers with running deliveries. */
export interface ReceiverVisits {
  /** Whether an origin has no running delivery and no Retry-After. */
  isFree(origin: string, now: number): boolean;
  /** Sends the due webhooks of one origin, one after another, until the receiver fails. */
  open(origin: string, due: readonly Delivery[], signal: AbortSignal | undefined): void;
  running(): readonly Promise<void>[];
  /** When the first Retry-After of a receiver ends; 0 if there is none. */
  restsUntil(now: number): number;
}

/** Webhooks of one visit, over its connection: the pause between visits applies once. */
const TRIES_IN_A_VISIT = 50;
const DEFAULT_TRY_MS = 10_000;
/** This long after its deadline, an attempt is finished or its process was killed. */
const LEASE_SLACK_MS = 20_000;

export function originOf(url: string): string {
  return URL.parse(url)?.origin ?? '';
}

export function createReceiverVisits(options: ReceiverVisitOptions): ReceiverVisits {
  const { attempts, clock, fetcher, tryMs = DEFAULT_TRY_MS, onSettled } = options;
  const running = new Map<string, Promise<void>>();
  const rests = new Map<string, number>();

  /** One attempt, with its result stored. True if the receiver can get more. */
  async function tried(
    due: Delivery,
    send: (delivery: Delivery) => Promise<DeliveryAnswer>,
    signal?: AbortSignal,
  ) {
    const taken = attempts.take(due, clock.now(), tryMs + LEASE_SLACK_MS);
    if (taken === undefined) return true;
    const answer = await send(taken);
    const now = clock.now();
    if (signal?.aborted && answer.kind === 'failed' && answer.status === undefined) {
      attempts.release(taken, now);
      return false;
    }
    const settled = attempts.settle(taken, answer, now);
    if (settled !== undefined) onSettled?.(settled);
    return goesOn(originOf(due.url), answer, now);
  }

  function goesOn(origin: string, answer: DeliveryAnswer, now: number): boolean {
    if (answer.kind !== 'failed') return true;
    if (answer.retryAfterMs !== undefined)
      rests.set(origin, now + Math.min(answer.retryAfterMs, RETRIES.cap));
    return answer.status !== undefined && answer.retryAfterMs === undefined;
  }

  async function visitReceiver(
    host: string,
    due: readonly Delivery[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const batch = due.slice(0, TRIES_IN_A_VISIT);
    const deadlineMs = (batch.length + 1) * (tryMs + 1_000);
    await fetcher.visit({ host, deadlineMs, ...(signal && { signal }) }, async (visit: Visit) => {
      for (const delivery of batch) {
        if (signal?.aborted) return;
        const send = (taken: Delivery) => sendOnce(visit, taken, { ...options, tryMs });
        if (!(await tried(delivery, send, signal))) return;
      }
    });
  }

  async function serve(due: readonly Delivery[], signal: AbortSignal | undefined): Promise<void> {
    for (const delivery of due) {
      const fault = webhookUrlFault(delivery.url, options.allowHttp);
      if (fault !== undefined)
        await tried(delivery, async () => ({ kind: 'never', reason: `blocked: ${fault}` }));
    }
    const good = due.filter(({ url }) => webhookUrlFault(url, options.allowHttp) === undefined);
    const [first] = good;
    if (first !== undefined) await visitReceiver(new URL(first.url).hostname, good, signal);
  }

  return {
    isFree: (origin, now) => !running.has(origin) && hasCome(rests.get(origin) ?? 0, now),
    open(origin, due, signal) {
      rests.delete(origin);
      running.set(
        origin,
        serve(due, signal).finally(() => running.delete(origin)),
      );
    },
    running: () => [...running.values()],
    restsUntil(now) {
      for (const [origin, until] of rests) if (hasCome(until, now)) rests.delete(origin);
      return rests.size === 0 ? 0 : Math.min(...rests.values());
    },
  };
}
