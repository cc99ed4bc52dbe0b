import { type CampaignOutcome, type CampaignParts, type CampaignPlan, planId } from './plan.ts';
import { chooseProduct, learnBrand, makeCreative, openAccount, sellersClock, submitPlan } from './prepare.ts';
import { buy, goLive } from './purchase.ts';
import { deliver } from './results.ts';

/**
 * Walks one campaign through the whole protocol, from who the brand is to the log of who approved what. Each step is
 * kept, so that a walk that was killed goes on where it was. Throws a CampaignStopped.
 */
export async function runCampaign(plan: CampaignPlan, parts: CampaignParts): Promise<CampaignOutcome> {
  const { walk } = parts;
  const now = await sellersClock(plan, parts);
  await learnBrand(plan, walk);
  await submitPlan(plan, walk, now());
  await openAccount(plan, walk);
  const product = await chooseProduct(plan, walk);
  const creative = await makeCreative(plan, walk, product);
  const bought = await buy({ plan, walk, now, product, creative });
  await goLive(plan, bought, parts);
  const mediaBuyId = bought.media_buy_id;
  const delivery = await deliver(plan, parts, mediaBuyId);
  const { entries, intact } = await walk.step(
    'audit_log',
    plan.agents.governance,
    'get_plan_audit_logs',
    () => ({
      plan_id: planId(plan),
    }),
  );
  return {
    mediaBuyId,
    product: product.name,
    delivery,
    auditEntries: entries.length,
    intact: intact === true,
  };
}
