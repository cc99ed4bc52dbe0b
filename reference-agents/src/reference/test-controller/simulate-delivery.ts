import type { Call } from '../handler.ts';
import { deskOf, findBuy, keepChanged } from '../media-buys/desk.ts';
import { amountOf } from '../media-buys/money.ts';
import { type Extra, figuresAt } from '../media-buys/segments.ts';
import type { StoredMediaBuy, StoredPackage } from '../media-buys/stored.ts';
import { noSuchPackage } from '../media-buys/update-packages.ts';
import { numberIn, type Params, ScenarioFailed, textIn } from './params.ts';
import type { ScenarioResult } from './scenarios.ts';

/** Deliveries that tests may make up for one package. */
const MAX_EXTRAS = 500;
const MOST = 1_000_000_000;

/**
 * Adds impressions, clicks and spend to a package (the first one, unless `package_id` names another) on top of what
 * the simulation gives, never over its budget. Shares of `spend_share` of the budget may be named in place of `spend`.
 */
export function simulateDelivery(call: Call, params: Params): ScenarioResult {
  const desk = deskOf(call);
  const buy = findBuy(desk, textIn(params, 'media_buy_id'), '/params/media_buy_id');
  if (buy.status !== 'active' && buy.status !== 'paused') {
    throw new ScenarioFailed('INVALID_STATE', 'only what is active or paused delivers');
  }
  const part = partOf(buy, params);
  const extra = extraIn(params, part, desk.now);
  const packages = buy.packages.map((one) =>
    one === part ? { ...one, extras: [...one.extras, extra] } : one,
  );
  keepChanged(desk, buy, { ...buy, packages });
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
  throw new ScenarioFailed(
    'INVALID_STATE',
    `at most ${MAX_EXTRAS} deliveries can be made up for one package`,
  );
}

function extraIn(params: Params, part: StoredPackage, at: number): Extra {
  const impressions = Math.floor(numberIn(params, 'impressions', [0, MOST], 0));
  const clicks = Math.floor(numberIn(params, 'clicks', [0, MOST], 0));
  const share = numberIn(params, 'spend_share', [0, 1], 0);
  const spend = numberIn(params, 'spend', [0, MOST], (part.budget * share) / 100);
  const cents = Math.floor(Math.round(spend * 10_000) / 100);
  if (clicks > impressions)
    throw new ScenarioFailed('INVALID_PARAMS', 'there are no more clicks than impressions');
  if (figuresAt(part, at).cents + cents > part.budget) {
    throw new ScenarioFailed('BUDGET_EXCEEDED', 'that is more than the package has left to spend');
  }
  const completions = Math.floor(impressions * part.rates.completion);
  return { at, impressions, clicks, completions, cents };
}
