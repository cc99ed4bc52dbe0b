import { stableUuid } from '../base/stable-uuid.ts';
import { BudgetExceeded, type Budgets, partyOfMember } from '../budgets/budgets.ts';
import { registrableDomainOf } from '../domain/domain-name.ts';
import { webhookUrlFault } from '../domain/webhook-url.ts';
import type { Clock } from '../ports/clock.ts';
import type { FeedPlace, FeedView } from '../ports/feed-view.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { Subscription, SubscriptionStore } from '../records/owners/subscriptions.ts';
import { originOf } from './receiver-visits.ts';
import { hasCome } from './schedule.ts';
import { type DeliveryAnswer, type ReadAnswer, sendOnce, type WebhookSigning } from './send.ts';
import { createVerification } from './verification.ts';
import type { WakeUp } from './wake-up.ts';
import { postponed, untried, withAnswer, withChange, withTry, withVerification } from './wake-up-try.ts';

export interface WakeUpOptions {
  readonly subscriptions: Pick<SubscriptionStore, 'active' | 'keep'>;
  readonly feed: FeedView;
  /** The guarded one: nothing goes to an address that it refuses. */
  readonly fetcher: Fetcher;
  readonly signing: WebhookSigning;
  readonly clock: Clock;
  /** Counts each request; one above its budget is postponed. */
  readonly budgets: Pick<Budgets, 'spend'>;
  /** From 0 to 1, 1 excluded. Default Math.random. */
  readonly random?: () => number;
  /** Called for a subscription that was stopped. Must not throw. */
  readonly onDead?: (subscription: Subscription) => void;
  /** Called for an attempt whose result could not be stored; it is repeated. Must not throw. */
  readonly onFault: (error: unknown) => void;
}

export interface WakeUps {
  /** Finds subscriptions with new changes and starts due deliveries. Rejects if the records cannot be read. */
  look(): Promise<void>;
  /** Resolves when no delivery is running. */
  idle(): Promise<void>;
  /** Releases running deliveries and starts no more. */
  stop(): Promise<void>;
}

/** Concurrent origins in total, concurrent origins of one member, and subscriptions of one origin in one visit. */
const [RECEIVERS, OF_MEMBER, IN_A_VISIT] = [16, 4, 20];
const TRY_MS = 10_000;
/** This long after its deadline, an attempt is finished or its process was killed. */
const LEASE_SLACK_MS = 20_000;
/** A new or restarted subscription is seen within this time, milliseconds. */
const READ_MS = 5_000;

type Send = (body: string, readAnswer?: ReadAnswer) => Promise<DeliveryAnswer>;

/**
 * Sends webhooks to the subscribers of the feed, at least one for each change, and verifies the receivers of new
 * subscriptions, which get nothing else before. Any number of processes may do it: the sender leases the row for one
 * attempt.
 */
export function createWakeUps(options: WakeUpOptions): WakeUps {
  const { subscriptions, feed, fetcher, clock, random = Math.random } = options;
  const running = new Map<string, { readonly member: string | undefined; readonly visit: Promise<void> }>();
  /** Due subscriptions of the last look by origin, the longest waiting first. */
  const waiting = new Map<string, readonly Subscription[]>();
  const stopped = new AbortController();
  const { signal } = stopped;
  let read: { end: FeedPlace; at: number; nextDue: number } | undefined;

  /** Sets a due time where something is new, and the position that was read elsewhere. */
  async function noteChanges(quiet: readonly Subscription[], now: number): Promise<readonly Subscription[]> {
    const noted: Subscription[] = [];
    for (const group of Map.groupBy(quiet, viewOf).values()) {
      const [one] = group;
      if (one === undefined) continue;
      const { at, place } = await feed.next(one.place, one.types);
      noted.push(...group.map((each) => (at === undefined ? { ...each, place } : withChange(each, at, now))));
    }
    return subscriptions.keep(noted);
  }

  async function keep(next: Subscription): Promise<Subscription | undefined> {
    const [kept] = await subscriptions.keep([next]);
    if (kept?.deadAt !== undefined) options.onDead?.(kept);
    return kept;
  }

  /** One attempt, with its result stored. True if the receiver can get more. */
  async function tell(due: Subscription, send: Send): Promise<boolean> {
    const now = clock.now();
    const taken = await keep(withTry(due, now, now + TRY_MS + LEASE_SLACK_MS));
    if (taken === undefined || taken.deadAt !== undefined) return true;
    try {
      const { answer, after } = await (taken.verifiedAt === undefined ? verify : wake)(taken, send);
      const hasStatus = 'status' in answer && answer.status !== undefined;
      const isCut = signal.aborted && answer.kind === 'failed' && !hasStatus;
      await keep(isCut ? untried(taken, clock.now()) : after);
      return answer.kind !== 'failed' || hasStatus;
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      await keep(postponed(taken, error.waitMs, clock.now()));
      return true;
    }
  }

  async function wake(taken: Subscription, send: Send) {
    const told = await feed.end();
    const answer = await send(bodyOf(taken));
    return { answer, after: withAnswer(taken, answer, told, random(), clock.now()) };
  }

  async function verify(taken: Subscription, send: Send) {
    const { body, readAnswer } = createVerification(taken.id);
    const answer = await send(body, readAnswer);
    return { answer, after: withVerification(taken, answer, random(), clock.now()) };
  }

  /** Counts a message to a receiver, after its row is leased. Throws BudgetExceeded. */
  async function count({ url, member, verifiedAt }: Subscription): Promise<void> {
    const budget = verifiedAt === undefined ? 'subscriptionVerifications' : 'wakeUps';
    await options.budgets.spend(budget, { party: partyOfMember(member), site: registrableDomainOf(url) });
  }

  function bodyOf({ id, place, types, firstChangeAt = 0 }: Subscription): string {
    const cursor = feed.cursor(place, firstChangeAt);
    const wakeUp: WakeUp = {
      idempotency_key: stableUuid('wake-up', id, cursor),
      subscription_id: id,
      cursor,
      feed_url: feed.address(cursor, types),
      first_change_at: new Date(firstChangeAt).toISOString(),
    };
    return JSON.stringify(wakeUp);
  }

  async function visitReceiver(due: readonly Subscription[]): Promise<void> {
    const { hostname: host } = new URL(due[0]?.url ?? '');
    const deadlineMs = (due.length + 1) * (TRY_MS + 1_000);
    await fetcher.visit({ host, deadlineMs, signal }, async (visit) => {
      for (const one of due) {
        const to = { signing: options.signing, clock, tryMs: TRY_MS };
        const send: Send = async (body, readAnswer) => {
          await count(one);
          return sendOnce(visit, { url: one.url, body }, to, readAnswer);
        };
        if (signal.aborted || !(await tell(one, send))) return;
      }
    });
  }

  async function serve(due: readonly Subscription[]): Promise<void> {
    const [good, bad] = [due.filter(isSendable), due.filter((one) => !isSendable(one))];
    for (const one of bad)
      await tell(one, async () => ({ kind: 'never', reason: `blocked: ${webhookUrlFault(one.url)}` }));
    if (good.length > 0) await visitReceiver(good.slice(0, IN_A_VISIT));
  }

  function queueVisits(active: readonly Subscription[], now: number): void {
    const due = active
      .filter(({ dueAt }) => dueAt !== undefined && hasCome(dueAt, now))
      .toSorted((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0));
    waiting.clear();
    for (const [origin, of] of Map.groupBy(due, ({ url }) => originOf(url))) waiting.set(origin, of);
    startVisits();
  }

  /** Starts the next one as soon as another ends. Slow receivers of one member do not delay those of others. */
  function startVisits(): void {
    for (const [origin, due] of waiting) {
      if (signal.aborted || running.size >= RECEIVERS) return;
      const member = due[0]?.member;
      const ofMember = [...running.values()].filter((one) => one.member === member);
      if (running.has(origin) || ofMember.length >= OF_MEMBER) continue;
      waiting.delete(origin);
      const visit = serve(due)
        .catch((error: unknown) => {
          if (!signal.aborted) options.onFault(error);
        })
        .finally(() => {
          running.delete(origin);
          read = undefined;
          startVisits();
        });
      running.set(origin, { member, visit });
    }
  }

  async function look(): Promise<void> {
    const now = clock.now();
    const end = await feed.end();
    const isSame = read?.end.agents === end.agents && read.end.edges === end.edges;
    if (read && isSame && now < read.nextDue && Math.abs(now - read.at) < READ_MS) return;
    const active = await subscriptions.active();
    const isQuiet = ({ dueAt, place, verifiedAt }: Subscription) =>
      dueAt === undefined &&
      verifiedAt !== undefined &&
      (place.agents < end.agents || place.edges < end.edges);
    const noted = await noteChanges(active.filter(isQuiet), now);
    const told = [...active.filter((one) => !isQuiet(one)), ...noted];
    const nextDue = Math.min(...told.map(({ dueAt = Number.POSITIVE_INFINITY }) => dueAt));
    read = { end, at: now, nextDue };
    queueVisits(told, now);
  }

  async function idle(): Promise<void> {
    while (running.size > 0) await Promise.all([...running.values()].map(({ visit }) => visit));
  }
  return {
    look,
    idle,
    async stop() {
      stopped.abort();
      await idle();
    },
  };
}

function isSendable({ url }: Subscription): boolean {
  return webhookUrlFault(url) === undefined;
}

/** Subscriptions with the same position and types share one look-up. */
function viewOf({ place, types }: Subscription): string {
  return `${place.agents} ${place.edges} ${types}`;
}
