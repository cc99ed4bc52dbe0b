import type { MediaBuyStatus } from '@agent-registry/surface/agent-kit';
import type { TaskCall } from '../handler.ts';
import { type BuyerScope, scopeOf } from '../media-buys/buyer-scope.ts';
import { findBuy, saveBuy, withStatus } from '../media-buys/keep-buy.ts';
import { isFinal, TRANSITIONS } from '../media-buys/life.ts';
import type { StoredMediaBuy } from '../media-buys/stored.ts';
import { choiceIn, type Params, ScenarioFailed, type ScenarioResult, textIn } from './params.ts';

const STATUSES = Object.keys(TRANSITIONS) as readonly MediaBuyStatus[];

/**
 * Puts a media buy of the caller into a status, as time or the seller's staff would: only one that its present status
 * can become. What runs before its flight begins to run now; what runs without creatives runs without them.
 */
export function forceMediaBuyStatus(call: TaskCall, params: Params): ScenarioResult {
  const scope = scopeOf(call);
  const buy = findBuy(scope, textIn(params, 'media_buy_id'), '/params/media_buy_id');
  const status = choiceIn(params, 'status', STATUSES);
  if (!TRANSITIONS[buy.status].includes(status)) {
    const choices = TRANSITIONS[buy.status].join(', ') || 'nothing: the state is final';
    throw new ScenarioFailed('INVALID_TRANSITION', `${buy.status} can only become ${choices}`);
  }
  const reason = isFinal(status) && status !== 'completed' ? reasonIn(params) : undefined;
  const change = { status, at: scope.now, ...(reason !== undefined && { reason }) };
  saveBuy(scope, buy, withStatus(scope, fittingTo(buy, status, scope), change));
  return { previous_state: buy.status, current_state: status };
}

/** The buy with everything as the status takes it for granted, so that time does not undo it at once. */
function fittingTo(buy: StoredMediaBuy, status: MediaBuyStatus, { now }: BuyerScope): StoredMediaBuy {
  const paused = status === 'paused';
  if (status === 'active') {
    return { ...buy, paused, startsAt: Math.min(buy.startsAt, now), creativesWaived: true };
  }
  if (status === 'pending_start') {
    if (buy.startsAt > now) return { ...buy, paused, creativesWaived: true };
    throw new ScenarioFailed('INVALID_STATE', 'the flight has already begun');
  }
  if (status === 'pending_creatives') return withoutApprovals({ ...buy, paused });
  return { ...buy, paused: paused || buy.paused };
}

function withoutApprovals({ creativesWaived: _waived, ...buy }: StoredMediaBuy): StoredMediaBuy {
  const packages = buy.packages.map((part) => ({
    ...part,
    assignments: part.assignments.map((one) => ({ ...one, approved: false })),
  }));
  return { ...buy, packages };
}

function reasonIn(params: Params): string {
  return Object.hasOwn(params, 'reason') ? textIn(params, 'reason') : 'set by the test controller';
}
