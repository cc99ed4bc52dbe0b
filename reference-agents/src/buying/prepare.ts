import type { Creative, CreativeManifest, Product } from '@agent-registry/surface/agent-kit';
import { type CampaignParts, type CampaignPlan, DAY_S, iso, keyOf, planId } from './plan.ts';
import { CampaignStopped, type CampaignWalk } from './walk.ts';

/** The seller's time: tests of the same buyer may have moved it ahead, and flights are in it. Epoch milliseconds. */
export async function sellersClock(
  { agents }: CampaignPlan,
  { walk, now }: CampaignParts,
): Promise<() => number> {
  const { simulated } = await walk.step('sandbox_clock', agents.sales, 'comply_test_controller', () => ({
    scenario: 'advance_time',
    params: { seconds: 0 },
  }));
  const askedAt = walk.steps().find(({ name }) => name === 'sandbox_clock')?.doneAt ?? now();
  const ahead = Date.parse(String(simulated?.now)) - askedAt;
  return () => now() + ahead;
}

export function learnBrand({ agents, account }: CampaignPlan, walk: CampaignWalk) {
  return walk.step('brand_identity', agents.brand, 'get_brand_identity', () => ({ brand: account.brand }));
}

export function submitPlan(plan: CampaignPlan, walk: CampaignWalk, now: number) {
  return walk.step('governance_plan', plan.agents.governance, 'sync_plans', () => ({
    idempotency_key: keyOf(plan, 'plan'),
    plans: [
      {
        plan_id: planId(plan),
        brand: plan.account.brand,
        objectives: plan.brief,
        budget: { total: plan.budget * 2, currency: plan.currency },
        flight: { start: iso(now - 3_600_000), end: iso(now + (plan.days + 7) * DAY_S * 1_000) },
        authority: { max_amount: plan.maxAmount, callers: [plan.agents.buyer] },
      },
    ],
  }));
}

export async function openAccount(plan: CampaignPlan, walk: CampaignWalk): Promise<void> {
  const { brand, operator } = plan.account;
  const { accounts } = await walk.step('account', plan.agents.sales, 'sync_accounts', () => ({
    idempotency_key: keyOf(plan, 'account'),
    accounts: [{ brand, operator, billing: 'operator', currency: plan.currency, sandbox: true }],
  }));
  const [account] = accounts;
  if (account?.status !== 'active')
    throw new CampaignStopped('account', account?.status ?? 'unknown', 'the account is not active');
}

export async function chooseProduct(plan: CampaignPlan, walk: CampaignWalk): Promise<Product> {
  const { brand } = plan.account;
  const offer = await walk.step('brief', plan.agents.sales, 'get_products', () => ({
    buying_mode: 'brief',
    brief: plan.brief,
    brand,
  }));
  const [best] = offer.products;
  if (best === undefined) throw new CampaignStopped('brief', 'no_products', 'no products for this brief');
  const refined = await walk.step('refine', plan.agents.sales, 'get_products', () => ({
    buying_mode: 'refine',
    brand,
    ...(offer.proposal_id !== undefined && { proposal_id: offer.proposal_id }),
    refine: [
      { scope: 'product', product_id: best.product_id, action: 'more_like_this' },
      { scope: 'request', ask: plan.refinement },
    ],
  }));
  const chosen = refined.products.find((product) => fits(product, plan)) ?? best;
  if (!fits(chosen, plan))
    throw new CampaignStopped(
      'refine',
      'no_products',
      `no products for a budget of ${plan.budget} ${plan.currency}`,
    );
  return chosen;
}

/** It can be paid in the campaign's currency, with its budget. */
function fits(product: Product, plan: CampaignPlan): boolean {
  return pricingOf(product, plan) !== undefined && product.format_ids.length > 0;
}

export function pricingOf({ pricing_options: options }: Product, { currency, budget }: CampaignPlan) {
  return options.find((option) => option.currency === currency && (option.min_spend ?? 0) <= budget);
}

export async function makeCreative(
  plan: CampaignPlan,
  walk: CampaignWalk,
  product: Product,
): Promise<Creative> {
  const { agents, account } = plan;
  const built = await walk.step('creative', agents.creative, 'build_creative', () => ({
    idempotency_key: keyOf(plan, 'build'),
    message: plan.message,
    brand: account.brand,
    target_format_ids: product.format_ids.slice(0, 1),
  }));
  const refined = await walk.step('creative_refined', agents.creative, 'build_creative', () => ({
    idempotency_key: keyOf(plan, 'build-again'),
    build_id: built.build_id,
    message: 'shorter, and more cheerful',
    brand: account.brand,
  }));
  const creative = creativeOf(plan, refined.creative_manifests[0]);
  await walk.step('creative_synced', agents.sales, 'sync_creatives', () => ({
    idempotency_key: keyOf(plan, 'creatives'),
    account,
    creatives: [creative],
  }));
  return creative;
}

function creativeOf(plan: CampaignPlan, manifest: CreativeManifest | undefined): Creative {
  if (manifest === undefined) throw new CampaignStopped('creative', 'no_creative', 'no creative was built');
  return { creative_id: `${plan.id}-creative`, name: plan.message.slice(0, 60), ...manifest };
}
