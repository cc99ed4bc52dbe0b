import type { TaskCall } from '../handler.ts';
import { scopeOf } from '../media-buys/buyer-scope.ts';
import { findBuy, keepChanged } from '../media-buys/keep-buy.ts';
import { amountOf } from '../media-buys/money.ts';
import { figuresAt } from '../media-buys/segments.ts';
import type { Extra, StoredMediaBuy, StoredPackage } from '../media-buys/stored.ts';
import { noSuchPackage } from '../media-buys/update-packages.ts';
import { numberIn, type Params, ScenarioFailed, type ScenarioResult, textIn } from './params.ts';

/** Deliveries that tests may make up for one package. */
const MAX_EXTRAS = 500;
const MOST = 1_000_000_000;

/**
 * Adds impressions, clicks and spend to a package (the first one, unless `package_id` names another) on top of what
 * the simulation gives, never over its budget. Shares of `spend_share` of the budget may be named in place of `spend`.
 */
export function simulateDelivery(call: TaskCall, params: Params): ScenarioResult {
  const scope = scopeOf(call);
  const buy = findBuy(scope, textIn(params, 'media_buy_id'), '/params/media_buy_id');
  if (buy.status !== 'active' && buy.status !== 'paused') {
    throw new ScenarioFailed('INVALID_STATE', 'only active or paused media buys can deliver');
  }
  const part = partOf(buy, params);
  const extra = extraIn(params, part, scope.now);
  const packages = buy.packages.map((one) =>
    one === part ? { ...one, extras: [...one.extras, extra] } : one,
  );
  keepChanged(scope, buy, { ...buy, packages });
  const { impressions, clicks, cents } = extra;
  const simulated = {
    media_buy_id: buy.mediaBuyId,
    package_id: part.packageId,
    impressions,
    clicks,
    spend: { amount: amountOf(cents), currency: buy.currency },
  };
  return { previous_state: buy.status, current_state: buy.status, simulated };
}

function partOf({ packages }: StoredMediaBuy, params: Params): StoredPackage {
  const id = Object.hasOwn(params, 'package_id') ? textIn(params, 'package_id') : undefined;
  const part = packages.find(({ packageId, canceled }) => (id === undefined ? !canceled : packageId === id));
  if (part === undefined) return noSuchPackage('/params/package_id');
  if (part.extras.length < MAX_EXTRAS) return part;
  throw new ScenarioFailed('INVALID_STATE', `at most ${MAX_EXTRAS} simulated deliveries per package`);
}

function extraIn(params: Params, part: StoredPackage, at: number): Extra {
  const impressions = Math.floor(numberIn(params, 'impressions', [0, MOST], 0));
  const clicks = Math.floor(numberIn(params, 'clicks', [0, MOST], 0));
  const share = numberIn(params, 'spend_share', [0, 1], 0);
  const spend = numberIn(params, 'spend', [0, MOST], (part.budget * share) / 100);
  const cents = Math.floor(Math.round(spend * 10_000) / 100);
  if (clicks > impressions) throw new ScenarioFailed('INVALID_PARAMS', 'clicks must not exceed impressions');
  if (figuresAt(part, at).cents + cents > part.budget) {
    throw new ScenarioFailed('BUDGET_EXCEEDED', 'the amount exceeds the remaining budget of the package');
  }
  const completions = Math.floor(impressions * part.rates.completion);
  return { at, impressions, clicks, completions, cents };
}
