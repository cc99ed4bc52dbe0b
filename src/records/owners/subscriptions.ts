import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { KeyActor } from '../../domain/actor.ts';
import { WAKE_EVERY_MS } from '../../domain/webhook-url.ts';
import type { FeedPlace } from '../../ports/feed-view.ts';
import type { Db, RecordsDatabase } from '../database.ts';
import { ascending } from '../locks.ts';
import type { FeedSubscriptionTable } from '../tables.ts';
import { audit } from './audit.ts';
import { findActingKey } from './checks.ts';

/* The webhooks of members. Each row is its own outbox: it says what was delivered, and when the next attempt is due. */

/** A member's webhook for new events of the feed. Times are epoch milliseconds. */
export interface Subscription {
  readonly id: string;
  readonly member: string;
  readonly url: string;
  /** Types of events, as in a request for the feed. */
  readonly types: string;
  /** Events before it have been delivered. */
  readonly place: FeedPlace;
  /** Of the events that are not delivered yet. */
  readonly firstChangeAt?: number;
  /** When the current round of attempts began. */
  readonly since?: number;
  /** If absent, there is nothing to deliver. During an attempt: when the attempt counts as lost. */
  readonly dueAt?: number;
  /** When its receiver agreed to deliveries; if absent, it has not agreed yet, and gets only the request to agree. */
  readonly verifiedAt?: number;
  /** Of the current round. */
  readonly attempts: number;
  readonly refusals: number;
  readonly deliveredAt?: number;
  readonly lastError?: string;
  /** Given up then: nothing is sent until it is revived. */
  readonly deadAt?: number;
  /** Grows with each write, so that a late write is detected. */
  readonly fence: number;
  readonly createdAt: number;
}

interface NewSubscription extends Pick<Subscription, 'id' | 'url' | 'types' | 'place'> {
  readonly actor: KeyActor;
  /** The maximum of subscriptions of the member. */
  readonly most: number;
}

type SubscribeOutcome =
  | { readonly ok: true; readonly subscription: Subscription }
  | { readonly ok: false; readonly reason: 'key_revoked' | 'too_many' };

export interface SubscriptionLevels {
  /** Their receivers have not agreed yet. */
  readonly unverified: number;
  /** With something to deliver. */
  readonly pending: number;
  readonly quiet: number;
  readonly dead: number;
  /** The first change of the subscription that has waited longest; absent if nothing is pending. */
  readonly oldestAt?: number;
}

type Row = Selectable<FeedSubscriptionTable>;

/** The webhook subscriptions of members. Changes by members are durable and leave an audit record. */
export function createSubscriptions(database: RecordsDatabase) {
  return {
    /** Those of a member, oldest first. */
    list: (member: string) => database.read((db) => list(db, member)),
    create: (wanted: NewSubscription, now: number) => database.durably((db) => create(db, wanted, now)),
    /** Undefined: the member has none of this id. */
    remove: (id: string, actor: KeyActor, now: number) =>
      database.durably((db) => remove(db, id, actor, now)),
    /**
     * Requests the agreement of the receiver again, and then continues from the same place. Does not change a
     * subscription that is not dead.
     */
    revive: (id: string, actor: KeyActor, now: number) =>
      database.durably((db) => revive(db, id, actor, now)),
    /**
     * Makes a delivery due at once, with all attempts, without a change of the feed; not earlier after the last
     * delivery or attempt than the interval between deliveries. For a receiver that has not agreed yet, requests the
     * agreement again with the remaining attempts. Does not change a dead subscription.
     */
    test: (id: string, actor: KeyActor, now: number) => database.durably((db) => test(db, id, actor, now)),
    /** All that are not dead. */
    active: () => database.read(active),
    /** Counts the subscriptions of all members, and returns since when the oldest delivery is pending. */
    levels: () => database.read(levels),
    /** Stores the progress of each, unless it was written since it was read. Returns the stored ones, as they are now. */
    keep: async (progress: readonly Subscription[]) =>
      progress.length === 0 ? [] : database.transaction((db) => keep(db, progress)),
  };
}

export type SubscriptionStore = ReturnType<typeof createSubscriptions>;

async function list(db: Db, member: string): Promise<readonly Subscription[]> {
  const rows = await db
    .selectFrom('feed_subscription')
    .selectAll()
    .where('member', '=', member)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(subscriptionOf);
}

async function create(
  db: Db,
  { actor, most, id, url, types, place }: NewSubscription,
  now: number,
): Promise<SubscribeOutcome> {
  if ((await findActingKey(db, actor, now)) === undefined) return { ok: false, reason: 'key_revoked' };
  const others = await db
    .selectFrom('feed_subscription')
    .select('id')
    .where('member', '=', actor.member)
    .limit(most)
    .execute();
  if (others.length >= most) return { ok: false, reason: 'too_many' };
  const subscription: Subscription = {
    id,
    url,
    types,
    place,
    member: actor.member,
    createdAt: now,
    since: now,
    dueAt: now,
    attempts: 0,
    refusals: 0,
    fence: 0,
  };
  await db.insertInto('feed_subscription').values(rowOf(subscription)).execute();
  const details = { url, types };
  await audit(db, { at: now, actor, action: 'subscription.create', subject: id, details });
  return { ok: true, subscription };
}

async function remove(
  db: Db,
  id: string,
  actor: KeyActor,
  now: number,
): Promise<Subscription | 'key_revoked' | undefined> {
  const row = await findForActor(db, id, actor, now);
  if (row === undefined || row === 'key_revoked') return row;
  await db.deleteFrom('feed_subscription').where('id', '=', id).execute();
  await audit(db, { at: now, actor, action: 'subscription.remove', subject: id });
  return subscriptionOf(row);
}

/** Lets a dead subscription begin again; its receiver has to agree again. */
async function revive(
  db: Db,
  id: string,
  actor: KeyActor,
  now: number,
): Promise<Subscription | 'key_revoked' | undefined> {
  const row = await findForActor(db, id, actor, now);
  if (row === undefined || row === 'key_revoked') return row;
  if (row.dead_at === null) return subscriptionOf(row);
  const alive = {
    attempts: 0,
    refusals: 0,
    since: now,
    due_at: now,
    first_change_at: null,
    dead_at: null,
    verified_at: null,
    fence: row.fence + 1,
  };
  await db.updateTable('feed_subscription').set(alive).where('id', '=', id).execute();
  await audit(db, { at: now, actor, action: 'subscription.revive', subject: id });
  return subscriptionOf({ ...row, ...alive });
}

/** Makes a delivery due now, or the agreement of the receiver that has not agreed yet. */
async function test(
  db: Db,
  id: string,
  actor: KeyActor,
  now: number,
): Promise<Subscription | 'key_revoked' | undefined> {
  const row = await findForActor(db, id, actor, now);
  if (row === undefined || row === 'key_revoked') return row;
  const isFresh = row.since !== null && now < row.since + WAKE_EVERY_MS;
  if (row.dead_at !== null || isFresh) return subscriptionOf(row);
  const due = row.verified_at === null ? { due_at: now } : deliverSoon(row, now);
  const asked = { ...due, since: now, fence: row.fence + 1 };
  await db.updateTable('feed_subscription').set(asked).where('id', '=', id).execute();
  await audit(db, { at: now, actor, action: 'subscription.test', subject: id });
  return subscriptionOf({ ...row, ...asked });
}

/** Something to deliver soon, with all attempts. */
function deliverSoon({ due_at, delivered_at, first_change_at }: Row, now: number) {
  return {
    attempts: 0,
    refusals: 0,
    first_change_at: first_change_at ?? now,
    due_at: due_at === null ? Math.max(now, (delivered_at ?? 0) + WAKE_EVERY_MS) : now,
  };
}

/** A subscription of the actor's member, locked, if the acting key is valid. */
async function findForActor(
  db: Db,
  id: string,
  actor: KeyActor,
  now: number,
): Promise<Row | 'key_revoked' | undefined> {
  if ((await findActingKey(db, actor, now)) === undefined) return 'key_revoked';
  return db
    .selectFrom('feed_subscription')
    .selectAll()
    .where('member', '=', actor.member)
    .where('id', '=', id)
    .forUpdate() // a delivery may store its progress at the same time
    .executeTakeFirst();
}

async function active(db: Db): Promise<readonly Subscription[]> {
  const rows = await db
    .selectFrom('feed_subscription')
    .selectAll()
    .where('dead_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(subscriptionOf);
}

/** A subscription that is due has something to deliver, once its receiver has agreed; dead ones are not due. */
async function levels(db: Db): Promise<SubscriptionLevels> {
  const { alive, dead, verified, pending, oldestAt } = await db
    .selectFrom('feed_subscription')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('dead_at', 'is', null).as('alive'),
      fn.count<number>('dead_at').as('dead'),
      fn.count<number>('verified_at').filterWhere('dead_at', 'is', null).as('verified'),
      fn.count<number>('due_at').filterWhere('verified_at', 'is not', null).as('pending'),
      fn
        .min<number | null>('first_change_at')
        .filterWhere('due_at', 'is not', null)
        .filterWhere('verified_at', 'is not', null)
        .as('oldestAt'),
    ])
    .executeTakeFirstOrThrow();
  const counts = { unverified: alive - verified, pending, quiet: verified - pending, dead };
  return { ...counts, ...present({ oldestAt }) };
}

/** Writes those that did not change meanwhile, and returns them. */
async function keep(db: Db, progress: readonly Subscription[]): Promise<readonly Subscription[]> {
  const kept: Subscription[] = [];
  // in one order, so that two processes cannot wait for each other
  for (const seen of progress.toSorted((a, b) => ascending(a.id, b.id))) {
    const next = { ...seen, fence: seen.fence + 1 };
    const { numUpdatedRows } = await db
      .updateTable('feed_subscription')
      .set(rowOf(next))
      .where('id', '=', seen.id)
      .where('fence', '=', seen.fence)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) kept.push(next);
  }
  return kept;
}

function rowOf(subscription: Subscription): FeedSubscriptionTable {
  return {
    id: subscription.id,
    member: subscription.member,
    url: subscription.url,
    types: subscription.types,
    agents: subscription.place.agents,
    edges: subscription.place.edges,
    first_change_at: subscription.firstChangeAt ?? null,
    since: subscription.since ?? null,
    due_at: subscription.dueAt ?? null,
    verified_at: subscription.verifiedAt ?? null,
    attempts: subscription.attempts,
    refusals: subscription.refusals,
    delivered_at: subscription.deliveredAt ?? null,
    last_error: subscription.lastError ?? null,
    dead_at: subscription.deadAt ?? null,
    fence: subscription.fence,
    created_at: subscription.createdAt,
  };
}

function subscriptionOf(row: Row): Subscription {
  return {
    id: row.id,
    member: row.member,
    url: row.url,
    types: row.types,
    place: { agents: row.agents, edges: row.edges },
    attempts: row.attempts,
    refusals: row.refusals,
    fence: row.fence,
    createdAt: row.created_at,
    ...present({
      firstChangeAt: row.first_change_at,
      since: row.since,
      dueAt: row.due_at,
      verifiedAt: row.verified_at,
      deliveredAt: row.delivered_at,
      lastError: row.last_error,
      deadAt: row.dead_at,
    }),
  };
}
