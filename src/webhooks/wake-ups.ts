import { stableUuid } from '../base/stable-uuid.ts';
import { BudgetExceeded, type Budgets, partyOfMember } from '../budgets/budgets.ts';
import { registrableDomainOf } from '../domain/domain-name.ts';
import { webhookUrlFault } from '../domain/webhook-url.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { FeedPlace, FeedView, Subscription, SubscriptionStore } from '../ports/subscriptions.ts';
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
  /** Counts each request; one that is beyond a budget is put off. */
  readonly budgets: Pick<Budgets, 'spend'>;
  /** From 0 to 1, 1 excluded. Default Math.random. */
  readonly random?: () => number;
  /** Hears of a subscription that was given up. Must not throw. */
  readonly onDead?: (subscription: Subscription) => void;
  /** Hears of a try whose outcome could not be kept; it is made again. Must not throw. */
  readonly onFault: (error: unknown) => void;
}

export interface WakeUps {
  /** Notes for whom there is something new, and begins to send what is due. Rejects when the records cannot be read. */
  look(): Promise<void>;
  /** Resolves when nothing is being sent any more. */
  idle(): Promise<void>;
  /** What is under way is given back; nothing is begun any more. */
  stop(): Promise<void>;
}

/** Origins that are sent to at the same time, those of them for one member, and subscriptions of one of them in one visit. */
const [RECEIVERS, OF_MEMBER, IN_A_VISIT] = [16, 4, 20];
const TRY_MS = 10_000;
/** A try is over, or its process has been killed, this long after its deadline. */
const LEASE_SLACK_MS = 20_000;
/** A subscription that is made or revived is seen within this time, milliseconds. */
const READ_MS = 5_000;

type Send = (body: string, readAnswer?: ReadAnswer) => Promise<DeliveryAnswer>;

/**
 * Wakes those who subscribed to the feed, at least once for each change, and asks the receivers of new subscriptions whether
 * they agree to that: before, nothing else is sent to them. Any number of processes may do it: who sends takes the
 * row for the length of a try, and nobody else sends it meanwhile.
 */
export function createWakeUps(options: WakeUpOptions): WakeUps {
  const { subscriptions, feed, fetcher, clock, random = Math.random } = options;
  const running = new Map<string, { readonly member: string | undefined; readonly visit: Promise<void> }>();
  /** Of the last look, by origin: those whose turn has not come, who waits longest first. */
  const waiting = new Map<string, readonly Subscription[]>();
  const stopped = new AbortController();
  const { signal } = stopped;
  let read: { end: FeedPlace; at: number; nextDue: number } | undefined;

  /** Those with something new get a due time; for the others it is kept how far was looked. */
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

  /** One try, written down. True when the receiver can be sent more. */
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

  /** Counts a message to a receiver, once the process has taken its row. Throws BudgetExceeded. */
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

  /** The next one begins as soon as another ends. A member whose receivers are slow holds nobody else up. */
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

/** Those who are at one place and want the same are looked for once. */
function viewOf({ place, types }: Subscription): string {
  return `${place.agents} ${place.edges} ${types}`;
}
