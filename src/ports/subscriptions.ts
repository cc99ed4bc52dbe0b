import type { KeyActor } from '../domain/actor.ts';

/** How far somebody is in the two logs that make the feed. */
export interface FeedPlace {
  readonly agents: number;
  readonly edges: number;
}

/** A member's wish to be woken when the feed goes on. Times are epoch milliseconds. */
export interface Subscription {
  readonly id: string;
  readonly member: string;
  readonly url: string;
  /** Types of events, as the feed takes them. */
  readonly types: string;
  /** All before it is told. */
  readonly place: FeedPlace;
  /** Of what is not told yet. */
  readonly firstChangeAt?: number;
  /** When the present round of tries began. */
  readonly since?: number;
  /** Absent: there is nothing to tell. While a try is under way: when it counts as lost. */
  readonly dueAt?: number;
  /** When its receiver agreed to wake-ups; absent: it has not been asked, or has not agreed, and is sent nothing else. */
  readonly verifiedAt?: number;
  /** Of the present round. */
  readonly attempts: number;
  readonly refusals: number;
  readonly toldAt?: number;
  readonly lastError?: string;
  /** Given up then: nothing is sent until it is revived. */
  readonly deadAt?: number;
  /** Counts the writings, so that whoever comes late is known. */
  readonly fence: number;
  readonly createdAt: number;
}

export interface NewSubscription extends Pick<Subscription, 'id' | 'url' | 'types' | 'place'> {
  readonly actor: KeyActor;
  /** So many a member has. */
  readonly most: number;
}

export type SubscribeOutcome =
  | { readonly ok: true; readonly subscription: Subscription }
  | { readonly ok: false; readonly reason: 'key_revoked' | 'too_many' };

/** Who is woken. What members do is durable and leaves an audit record. */
export interface SubscriptionStore {
  /** Those of a member, oldest first. */
  list(member: string): Promise<readonly Subscription[]>;
  create(wanted: NewSubscription, now: number): Promise<SubscribeOutcome>;
  /** Undefined: the member has none of this id. */
  remove(id: string, actor: KeyActor, now: number): Promise<Subscription | 'key_revoked' | undefined>;
  /** Asks the receiver again whether it agrees, and goes on where it stands then; one that is not dead stays as it is. */
  revive(id: string, actor: KeyActor, now: number): Promise<Subscription | 'key_revoked' | undefined>;
  /**
   * Has something to tell at once, with all tries, though nothing changed; not sooner after it was told or tried anew than a
   * wake-up follows another. A receiver that has not agreed is asked again instead, with the tries that are left. One that is
   * dead stays as it is.
   */
  test(id: string, actor: KeyActor, now: number): Promise<Subscription | 'key_revoked' | undefined>;
  /** All that are not dead. */
  active(): Promise<readonly Subscription[]>;
  /** How many there are of all members, and since when the longest waiting has something to tell. */
  levels(): Promise<SubscriptionLevels>;
  /** Keeps how far each is, unless somebody has written it since it was read. Returns those kept, as they are now. */
  keep(progress: readonly Subscription[]): Promise<readonly Subscription[]>;
}

export interface SubscriptionLevels {
  /** Their receivers have not agreed yet. */
  readonly unverified: number;
  /** With something to tell. */
  readonly pending: number;
  readonly quiet: number;
  readonly dead: number;
  /** The first change of the one that has waited longest; absent: none has anything to tell. */
  readonly oldestAt?: number;
}

/** What whoever wakes others sees of the feed. */
export interface FeedView {
  /** All that there is lies before it. */
  end(): Promise<FeedPlace>;
  /** Looks for the first event of these types behind a place; without one, `place` is how far it has looked. */
  next(from: FeedPlace, types: string): Promise<{ readonly at?: number; readonly place: FeedPlace }>;
  /** Where a reader goes on from a place; `at` is the time in the cursor. */
  cursor(place: FeedPlace, at: number): string;
  /** The address of the feed from a cursor. */
  address(cursor: string, types: string): string;
}
