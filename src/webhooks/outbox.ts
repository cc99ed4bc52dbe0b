import type { AgentState, Collection, Kept } from '../records/sqlite/agent-state.ts';
import { type Delivery, type DeliveryState, partitionOf } from './delivery.ts';
import { tooFarAhead } from './schedule.ts';

/** The collections of the outbox; pending ones are owned by their partition, so that each partition is a list of its own. */
const PENDING = 'webhooks';
const DELIVERED = 'webhooks_delivered';
const DEAD = 'webhooks_dead';

/** How long settled webhooks are stored. Dead letters can be replayed as long as they are stored. */
export const KEPT = {
  delivered: { ms: 7 * 86_400_000, atMost: 1_000 },
  dead: { ms: 30 * 86_400_000, atMost: 10_000 },
} as const;

/** Later than any time: a webhook that waits for an earlier one is listed with all, and is never due. */
const NEVER = Number.MAX_SAFE_INTEGER;
const ALL = Number.MAX_SAFE_INTEGER;
const PRUNED_AT_ONCE = 100;

/** The rows of the outbox. Call every function that changes something in a transaction. */
export interface Outbox {
  partition(delivery: Delivery): Collection<Delivery>;
  /** Stores a pending one; without `dueAt` it waits behind the others of its partition. */
  put(delivery: Delivery): void;
  /** The one of its partition that is sent before all others. */
  head(delivery: Delivery): Delivery | undefined;
  /** Moves it from its partition to its new state. The next one of the partition is due at `now`. */
  finish(delivery: Delivery, state: Exclude<DeliveryState, 'pending'>, now: number): void;
  /** The due heads of partitions (see `hasCome`), the longest waiting first. */
  due(now: number, limit: number): readonly Delivery[];
  nextDue(): number | undefined;
  /** In the order in which they were added. */
  pending(): readonly Delivery[];
  delivered(): readonly Delivery[];
  dead(): readonly Delivery[];
  deadLetter(id: string): Delivery | undefined;
  removeDead(id: string): void;
}

export function openOutbox(state: AgentState): Outbox {
  const delivered = state.collection<Delivery>(DELIVERED);
  const dead = state.collection<Delivery>(DEAD);
  const partition = (delivery: Delivery) => state.collection<Delivery>(PENDING, partitionOf(delivery));
  const put = (delivery: Delivery) => partition(delivery).put(delivery.id, delivery, delivery.dueAt ?? NEVER);
  const head = (delivery: Delivery) => partition(delivery).list({ limit: 1 })[0]?.document;
  const all = (name: string, now: number, limit: number) =>
    state.due<Delivery>(name, now, limit).map(({ document }) => document);

  function misdated(now: number, limit: number): readonly Delivery[] {
    const found = state.due<Delivery>(PENDING, NEVER - 1, limit, tooFarAhead(now));
    return found.map(({ document }) => document);
  }

  function prune(name: string, kept: Collection<Delivery>, atMost: number, now: number): void {
    for (const { key } of state.due(name, now, PRUNED_AT_ONCE)) kept.delete(key);
    const excess = kept.count() - atMost;
    if (excess > 0) for (const { key } of kept.list({ limit: excess })) kept.delete(key);
  }

  return {
    partition,
    put,
    head,
    finish(delivery, settled, now) {
      const { dueAt: _due, takenUntil: _taken, ...rest } = delivery;
      partition(delivery).delete(delivery.id);
      const [name, kept, rule] =
        settled === 'delivered' ? [DELIVERED, delivered, KEPT.delivered] : [DEAD, dead, KEPT.dead];
      kept.put(delivery.id, { ...rest, state: settled, finishedAt: now }, now + rule.ms);
      prune(name, kept, rule.atMost, now);
      const next = head(delivery);
      if (next !== undefined && next.dueAt === undefined) put({ ...next, dueAt: now });
    },
    due: (now, limit) =>
      [...all(PENDING, now, limit), ...misdated(now, limit)].toSorted(
        (one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0) || (one.id < other.id ? -1 : 1),
      ),
    nextDue: () => state.nextDue(PENDING),
    pending: () => all(PENDING, NEVER, ALL).toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    delivered: () => documents(delivered.list()),
    dead: () => documents(dead.list()),
    deadLetter: (id) => dead.get(id),
    removeDead: (id) => void dead.delete(id),
  };
}

function documents(kept: readonly Kept<Delivery>[]): readonly Delivery[] {
  return kept.map(({ document }) => document);
}
