import type { ReferenceAgent } from '../handler.ts';
import { buysOf, scopeFor } from './buyer-scope.ts';
import { saveBuy, withDueChanges } from './keep-buy.ts';
import { MEDIA_BUYS, type StoredMediaBuy } from './stored.ts';

/**
 * Makes the changes of status that time has brought, for the media buys of all buyers, the longest waiting first and
 * each in a transaction of its own; those that were missed while nobody looked come one after the other.
 *
 * @param now The agent's time, epoch milliseconds.
 * @param limit How many media buys at most.
 * @returns How many were due; as many as `limit` when there may be more.
 */
export function advanceMediaBuys(agent: ReferenceAgent, now: number, limit: number): number {
  const due = agent.state.due<StoredMediaBuy>(MEDIA_BUYS, now, limit);
  for (const { owner, key } of due) agent.state.transaction(() => advanceOne(agent, owner, key, now));
  return due.length;
}

function advanceOne(agent: ReferenceAgent, owner: string, key: string, now: number): void {
  const scope = scopeFor(agent, owner, now);
  const buy = buysOf(scope).get(key);
  if (buy !== undefined) saveBuy(scope, buy, withDueChanges(scope, buy));
}

/** The same for the buys of one buyer whose clock was moved. `now` is the agent's time. Joins the transaction. */
export function advanceBuysOf(agent: ReferenceAgent, owner: string, now: number): number {
  const scope = scopeFor(agent, owner, now);
  const buys = buysOf(scope).list();
  const changed = buys.map(({ document }) => {
    const current = withDueChanges(scope, document);
    saveBuy(scope, document, current);
    return current.status !== document.status;
  });
  return changed.filter(Boolean).length;
}
