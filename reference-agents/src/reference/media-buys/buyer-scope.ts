import type { Collection } from '@agent-registry/surface/agent-kit';
import type { ReferenceAgent, TaskCall } from '../handler.ts';
import { businessNow } from '../test-controller/business-clock.ts';
import { MEDIA_BUYS, type StoredMediaBuy } from './stored.ts';

/** What one buyer has at an agent, at one moment. */
export interface BuyerScope {
  readonly agent: ReferenceAgent;
  /** The buyer: the id of the caller. */
  readonly owner: string;
  /** The buyer's business time, epoch milliseconds. */
  readonly now: number;
}

/** The scope of whoever calls. */
export function scopeOf({ agent, caller, now }: Pick<TaskCall, 'agent' | 'caller' | 'now'>): BuyerScope {
  return scopeFor(agent, caller.id, now);
}

/** The scope of a buyer who is not calling. `now` is the agent's time. */
export function scopeFor(agent: ReferenceAgent, owner: string, now: number): BuyerScope {
  return { agent, owner, now: businessNow(agent.state, owner, now) };
}

export function buysOf({ agent, owner }: BuyerScope): Collection<StoredMediaBuy> {
  return agent.state.collection<StoredMediaBuy>(MEDIA_BUYS, owner);
}
