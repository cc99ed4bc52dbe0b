import { isDeepStrictEqual } from 'node:util';
import type { Collection } from 'agent-registry/agent-kit';
import { type Call, type ReferenceAgent, refuse } from '../handler.ts';
import { businessNow, businessOffset } from '../test-controller/business-clock.ts';
import { noteCommitment } from './commitments.ts';
import { noteUses } from './creative-uses.ts';
import { nextChangeAt, nextStatus, type StatusChange } from './life.ts';
import { pacedBuy } from './segments.ts';
import { MEDIA_BUYS, type StoredMediaBuy } from './stored.ts';
import { webhookOf } from './webhook.ts';

/** Where the media buys of one buyer are worked on. */
export interface Desk {
  readonly agent: ReferenceAgent;
  /** The buyer: the id of the caller. */
  readonly owner: string;
  /** The buyer's business time, epoch milliseconds. */
  readonly now: number;
}

/** The desk of whoever calls. */
export function deskOf({ agent, caller, now }: Pick<Call, 'agent' | 'caller' | 'now'>): Desk {
  return deskFor(agent, caller.id, now);
}

/** The desk of a buyer who is not calling. `now` is the agent's time. */
export function deskFor(agent: ReferenceAgent, owner: string, now: number): Desk {
  return { agent, owner, now: businessNow(agent.state, owner, now) };
}

export function buysOf({ agent, owner }: Desk): Collection<StoredMediaBuy> {
  return agent.state.collection<StoredMediaBuy>(MEDIA_BUYS, owner);
}

/** The buyer's media buy as it is at this moment. Refuses MEDIA_BUY_NOT_FOUND. */
export function findBuy(desk: Desk, mediaBuyId: string, pointer: string): StoredMediaBuy {
  const buy = buysOf(desk).get(mediaBuyId);
  if (buy === undefined) {
    return refuse('MEDIA_BUY_NOT_FOUND', 'you have no such media buy here', pointer);
  }
  return upToDate(desk, buy);
}

/** Keeps it, and when it is to be looked at again. `before` is what was kept of it until now. */
export function saveBuy(desk: Desk, before: StoredMediaBuy | undefined, buy: StoredMediaBuy): void {
  noteCommitment(desk, before, buy);
  noteUses(desk, before, buy);
  const due = nextChangeAt(buy);
  const offset = businessOffset(desk.agent.state, desk.owner);
  buysOf(desk).put(buy.mediaBuyId, buy, due === undefined ? undefined : due - offset);
}

/**
 * Keeps a change that somebody made, paced anew, with all changes of status that follow from it; gives what is kept,
 * `before` itself when nothing has changed. One change is one revision, whether or not the status follows.
 */
export function keepChanged(desk: Desk, before: StoredMediaBuy, after: StoredMediaBuy): StoredMediaBuy {
  const next = pacedBuy(after, desk.now);
  if (isDeepStrictEqual(next, before)) return before;
  const moved = withDueChanges(desk, { ...next, updatedAt: desk.now });
  const kept = moved.revision > before.revision ? moved : { ...moved, revision: before.revision + 1 };
  saveBuy(desk, before, kept);
  return kept;
}

/** Makes every change that time has brought since somebody last looked, and keeps it. */
export function upToDate(desk: Desk, buy: StoredMediaBuy): StoredMediaBuy {
  const current = withDueChanges(desk, buy);
  if (current !== buy) saveBuy(desk, buy, current);
  return current;
}

/** The buy after all changes of status that are due, one after the other, each with its webhook. */
export function withDueChanges(desk: Desk, buy: StoredMediaBuy): StoredMediaBuy {
  let current = buy;
  for (let change = nextStatus(current, desk.now); change !== undefined; ) {
    current = withStatus(desk, current, change);
    change = nextStatus(current, desk.now);
  }
  return current;
}

/** The buy in another status, paced anew from that moment on; its webhook is on the way. */
export function withStatus(desk: Desk, buy: StoredMediaBuy, change: StatusChange): StoredMediaBuy {
  const { status, at, reason } = change;
  const moved = {
    ...buy,
    status,
    statusSince: at,
    updatedAt: Math.max(buy.updatedAt, at),
    revision: buy.revision + 1,
    ...(reason !== undefined && { reason }),
  };
  const current = pacedBuy(moved, at);
  if (current.posts === undefined) return current;
  const told = { ...current, sequence: current.sequence + 1 };
  desk.agent.webhooks.add(webhookOf(desk.agent.spec.url, told, buy.status));
  return told;
}
