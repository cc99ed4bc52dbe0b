import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import { WAKE_EVERY_MS } from '../../domain/webhook-url.ts';
import type { KeyActor } from '../../ports/actor.ts';
import type {
  NewSubscription,
  SubscribeOutcome,
  Subscription,
  SubscriptionStore,
} from '../../ports/subscriptions.ts';
import type { FeedSubscriptionTable } from '../schema-agents.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { all, first, run, sql } from '../statements.ts';
import { auditDeed } from './audit.ts';
import { createActingKey } from './key-rows.ts';

/** Subscriptions of members; each row is its own outbox. */
export function createSubscriptions(store: SqlStore): SubscriptionStore {
  const actingKey = createActingKey(store);
  const rows = () => sql.selectFrom('feed_subscription').selectAll();
  const ofMember = (member: string) => rows().where('member', '=', member);

  function* create({ actor, most, ...wanted }: NewSubscription, now: number): SqlTask<SubscribeOutcome> {
    if ((yield* actingKey(actor, now)) === undefined) return { ok: false, reason: 'key_revoked' };
    const { id, url, types, place } = wanted;
    const known = yield* first(store, ofMember(actor.member).where('id', '=', id));
    if (known !== undefined) return { ok: true, subscription: subscriptionOf(known) }; // the answer to the first commit was lost
    if ((yield* all(store, ofMember(actor.member).limit(most))).length >= most)
      return { ok: false, reason: 'too_many' };
    const begun = { since: now, dueAt: now, attempts: 0, refusals: 0, fence: 0 };
    const subscription = { id, url, types, place, member: actor.member, createdAt: now, ...begun };
    yield* run(store, sql.insertInto('feed_subscription').values(rowOf(subscription)));
    const details = { url, types };
    yield* auditDeed(store, { at: now, actor, action: 'subscription.create', subject: id, details });
    return { ok: true, subscription };
  }

  /** A deed on a subscription of the actor's member. */
  function* doTo(
    id: string,
    actor: KeyActor,
    now: number,
    deed: (row: Selectable<FeedSubscriptionTable>) => SqlTask<Subscription>,
  ): SqlTask<Subscription | 'key_revoked' | undefined> {
    if ((yield* actingKey(actor, now)) === undefined) return 'key_revoked';
    const row = yield* first(store, ofMember(actor.member).where('id', '=', id));
    return row && (yield* deed(row));
  }
  const remove = (id: string, actor: KeyActor, now: number) =>
    doTo(id, actor, now, function* (row) {
      yield* run(store, sql.deleteFrom('feed_subscription').where('id', '=', id));
      yield* auditDeed(store, { at: now, actor, action: 'subscription.remove', subject: id });
      return subscriptionOf(row);
    });
  const revive = (id: string, actor: KeyActor, now: number) =>
    doTo(id, actor, now, function* (row) {
      if (row.dead_at === null) return subscriptionOf(row);
      const tries = { attempts: 0, refusals: 0, since: now, due_at: now, first_change_at: null };
      const alive = { ...row, ...tries, dead_at: null, verified_at: null, fence: row.fence + 1 };
      yield* run(store, sql.updateTable('feed_subscription').set(alive).where('id', '=', id));
      yield* auditDeed(store, { at: now, actor, action: 'subscription.revive', subject: id });
      return subscriptionOf(alive);
    });
  const test = (id: string, actor: KeyActor, now: number) =>
    doTo(id, actor, now, function* (row) {
      const isFresh = row.since !== null && now < row.since + WAKE_EVERY_MS;
      if (row.dead_at !== null || isFresh) return subscriptionOf(row);
      const asked = { ...row, ...(row.verified_at === null ? { due_at: now } : toTell(row, now)) };
      Object.assign(asked, { since: now, fence: row.fence + 1 });
      yield* run(store, sql.updateTable('feed_subscription').set(asked).where('id', '=', id));
      yield* auditDeed(store, { at: now, actor, action: 'subscription.test', subject: id });
      return subscriptionOf(asked);
    });

  function* keep(progress: readonly Subscription[]): SqlTask<readonly Subscription[]> {
    const kept = [];
    // in one order everywhere, so that no two processes wait for each other
    for (const seen of progress.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
      const next = { ...seen, fence: seen.fence + 1 };
      const update = sql.updateTable('feed_subscription').set(rowOf(next)).where('id', '=', seen.id);
      if ((yield* run(store, update.where('fence', '=', seen.fence))) > 0) kept.push(next);
    }
    return kept;
  }
  return {
    async list(member) {
      const query = ofMember(member).orderBy('created_at').orderBy('id');
      return (await store.read(() => all(store, query))).map(subscriptionOf);
    },
    create: (wanted, now) => store.durably(() => create(wanted, now)),
    remove: (id, actor, now) => store.durably(() => remove(id, actor, now)),
    revive: (id, actor, now) => store.durably(() => revive(id, actor, now)),
    test: (id, actor, now) => store.durably(() => test(id, actor, now)),
    async active() {
      const query = rows().where('dead_at', 'is', null).orderBy('id');
      return (await store.read(() => all(store, query))).map(subscriptionOf);
    },
    levels: () =>
      store.read(function* () {
        const row = yield* first(store, subscriptionLevels());
        const [alive = 0, dead = 0, verified = 0, pending = 0] = [
          ...[row?.alive, row?.dead, row?.verified, row?.pending],
        ].map(Number);
        const counts = { unverified: alive - verified, pending, quiet: verified - pending, dead };
        return { ...counts, ...present({ oldestAt: row?.oldest }) };
      }),
    keep: async (progress) => (progress.length === 0 ? [] : store.transaction(() => keep(progress))),
  };
}

/** Something to tell soon, with all tries. */
function toTell({ due_at, told_at, first_change_at }: Selectable<FeedSubscriptionTable>, now: number) {
  return {
    ...{ attempts: 0, refusals: 0, first_change_at: first_change_at ?? now },
    due_at: due_at === null ? Math.max(now, (told_at ?? 0) + WAKE_EVERY_MS) : now,
  };
}

/** A due time is that of something to tell, once the receiver has agreed; the dead have none. */
function subscriptionLevels() {
  return sql
    .selectFrom('feed_subscription')
    .select(({ fn }) => [
      fn.countAll<number | string>().filterWhere('dead_at', 'is', null).as('alive'),
      fn.count<number | string>('dead_at').as('dead'),
      fn.count<number | string>('verified_at').filterWhere('dead_at', 'is', null).as('verified'),
      fn.count<number | string>('due_at').filterWhere('verified_at', 'is not', null).as('pending'),
    ])
    .select(({ fn, ref }) =>
      fn
        .min<number | null>(ref('first_change_at'))
        .filterWhere('due_at', 'is not', null)
        .filterWhere('verified_at', 'is not', null)
        .as('oldest'),
    );
}

function rowOf({ place, ...subscription }: Subscription): FeedSubscriptionTable {
  const { id, member, url, types, attempts, refusals, fence } = subscription;
  return {
    ...{ id, member, url, types, ...place, attempts, refusals, fence },
    first_change_at: subscription.firstChangeAt ?? null,
    since: subscription.since ?? null,
    due_at: subscription.dueAt ?? null,
    verified_at: subscription.verifiedAt ?? null,
    told_at: subscription.toldAt ?? null,
    last_error: subscription.lastError ?? null,
    dead_at: subscription.deadAt ?? null,
    created_at: subscription.createdAt,
  };
}

function subscriptionOf(row: Selectable<FeedSubscriptionTable>): Subscription {
  const { id, member, url, types, agents, edges, attempts, refusals, fence } = row;
  return {
    ...{ id, member, url, types, place: { agents, edges }, attempts, refusals, fence },
    createdAt: row.created_at,
    ...present({ firstChangeAt: row.first_change_at, since: row.since, dueAt: row.due_at }),
    ...present({ verifiedAt: row.verified_at, toldAt: row.told_at }),
    ...present({ lastError: row.last_error, deadAt: row.dead_at }),
  };
}
