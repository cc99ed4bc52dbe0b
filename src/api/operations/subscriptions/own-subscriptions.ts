import { randomBytes } from 'node:crypto';
import { type Budgets, partyOfMember } from '../../../budgets/budgets.ts';
import { registrableDomainOf } from '../../../domain/domain-name.ts';
import { MAX_WEBHOOK_URL, webhookUrlFault } from '../../../domain/webhook-url.ts';
import type { FeedView } from '../../../ports/feed-view.ts';
import type { Subscription, SubscriptionStore } from '../../../records/owners/subscriptions.ts';
import { readMembers } from '../../body.ts';
import { invalidKey, type MemberViewer } from '../../callers.ts';
import { keyActor } from '../../owner-only.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import { wantedTypes } from '../feed/asked.ts';
import { EVENT_TYPES } from '../feed/events.ts';
import type { AddressParts } from '../own-agent.ts';

/** Of one member. */
export const MOST_SUBSCRIPTIONS = 20;
/** Characters. */
const MAX_TYPES = 500;

interface SubscriptionParts extends AddressParts {
  readonly subscriptions: SubscriptionStore;
  readonly feed: FeedView;
  readonly budgets: Budgets;
}

/** The subscriptions of a member, oldest first. */
export async function subscriptionsOfMember(
  { subscriptions, feed }: SubscriptionParts,
  { member }: MemberViewer,
): Promise<{ readonly subscriptions: readonly SubscriptionRecord[]; readonly count: number }> {
  const own = await subscriptions.list(member);
  return { subscriptions: own.map((one) => subscriptionRecord(feed, one)), count: own.length };
}

/** Subscribes the member of a key to changes from now on, once the receiver is verified. Throws HttpProblems. */
export async function subscribe(
  { subscriptions, feed, urlFault, budgets }: SubscriptionParts,
  viewer: MemberViewer,
  body: unknown,
  now: number,
): Promise<SubscriptionRecord> {
  const id = `sub_${randomBytes(8).toString('hex')}`;
  const wanted = { id, ...readRequest(body, urlFault), place: await feed.end() };
  await countChange(budgets, viewer, wanted.url);
  const outcome = await subscriptions.create(
    { ...wanted, actor: keyActor(viewer), most: MOST_SUBSCRIPTIONS },
    now,
  );
  if (outcome.ok) return subscriptionRecord(feed, outcome.subscription);
  if (outcome.reason === 'key_revoked') throw invalidKey();
  throw new HttpProblem(
    'too_many_subscriptions',
    `your member has ${MOST_SUBSCRIPTIONS} subscriptions, which is the limit; delete an unused one`,
  );
}

/** Deletes or restarts a subscription of the member. Throws HttpProblems. */
export async function changeSubscription(
  parts: SubscriptionParts,
  deed: 'remove' | 'revive',
  viewer: MemberViewer,
  id: string,
  now: number,
): Promise<SubscriptionRecord> {
  const { subscriptions, feed } = parts;
  if (deed === 'revive') await countChangeOf(parts, viewer, id);
  return subscriptionRecord(feed, ofTheMember(await subscriptions[deed](id, keyActor(viewer), now)));
}

/**
 * Sends a webhook to the receiver of a subscription soon, even without a change; one that is not verified gets the
 * verification request again. Throws HttpProblems.
 */
export async function testSubscription(
  parts: SubscriptionParts,
  viewer: MemberViewer,
  id: string,
  now: number,
): Promise<SubscriptionRecord> {
  const { subscriptions, feed } = parts;
  await countChangeOf(parts, viewer, id);
  const asked = ofTheMember(await subscriptions.test(id, keyActor(viewer), now));
  if (asked.deadAt === undefined) return subscriptionRecord(feed, asked);
  throw new HttpProblem('subscription_dead', 'the subscription is dead; restart it first');
}

/** Each of these makes the registry contact a receiver. Throws BudgetExceeded. */
async function countChange(budgets: Budgets, { member }: MemberViewer, url: string): Promise<void> {
  await budgets.spend('subscriptionChanges', {
    party: partyOfMember(member),
    site: registrableDomainOf(url),
  });
}

/** The same for the receiver of a subscription. */
async function countChangeOf(
  { subscriptions, budgets }: SubscriptionParts,
  viewer: MemberViewer,
  id: string,
): Promise<void> {
  const found = (await subscriptions.list(viewer.member)).find((one) => one.id === id);
  if (found !== undefined) await countChange(budgets, viewer, found.url);
}

function ofTheMember(found: Subscription | 'key_revoked' | undefined): Subscription {
  if (found === 'key_revoked') throw invalidKey();
  if (found !== undefined) return found;
  throw new HttpProblem('not_found', 'your member has no such subscription', { parameter: 'id' });
}

function readRequest(body: unknown, urlFault: AddressParts['urlFault']): Pick<Subscription, 'url' | 'types'> {
  const { url, types = '*' } = readMembers(body, ['url', 'types']);
  return { url: urlOf(url, urlFault), types: typesOf(types) };
}

function urlOf(value: unknown, urlFault: AddressParts['urlFault']): string {
  if (typeof value !== 'string' || value.length > MAX_WEBHOOK_URL)
    throw invalidValue('url', `an https URL of at most ${MAX_WEBHOOK_URL} characters is expected`);
  const fault = webhookUrlFault(value) ?? urlFault?.(value, 'https');
  if (fault !== undefined) throw invalidValue('url', fault);
  return new URL(value).href;
}

function typesOf(value: unknown): string {
  const fits = typeof value === 'string' && value.length <= MAX_TYPES;
  // a subscription that matches no type would never deliver anything
  if (fits && wantedTypes(value).size > 0) return value;
  throw invalidValue('types', 'a comma-separated list of event types is expected', EVENT_TYPES);
}

/** A subscription as its member sees it. */
function subscriptionRecord(feed: Pick<FeedView, 'cursor'>, subscription: Subscription) {
  const { id, url, types, place, attempts, lastError, deadAt, firstChangeAt, createdAt } = subscription;
  return {
    id,
    url,
    types,
    state: stateOf(subscription),
    cursor: feed.cursor(place, firstChangeAt ?? subscription.deliveredAt ?? createdAt),
    attempts,
    last_error: lastError ?? null,
    first_change_at: instant(firstChangeAt),
    next_try_at: instant(subscription.dueAt),
    verified_at: instant(subscription.verifiedAt),
    last_told_at: instant(subscription.deliveredAt),
    dead_at: instant(deadAt),
    created_at: new Date(createdAt).toISOString(),
  };
}

function stateOf({ deadAt, verifiedAt }: Subscription): 'pending' | 'active' | 'dead' {
  if (deadAt !== undefined) return 'dead';
  return verifiedAt === undefined ? 'pending' : 'active';
}

export type SubscriptionRecord = ReturnType<typeof subscriptionRecord>;

function instant(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
