import type { Event, GetMediaBuyDeliveryResponse } from '@agent-registry/surface/agent-kit';
import {
  type CampaignOutcome,
  type CampaignParts,
  type CampaignPlan,
  DAY_S,
  iso,
  keyOf,
  planId,
} from './plan.ts';
import { chooseProduct, learnBrand, makeCreative, openAccount, sellersClock, submitPlan } from './prepare.ts';
import { buy, goLive } from './purchase.ts';
import type { CampaignWalk } from './walk.ts';

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

/** Events, delivery, feedback, and delivery again; a day passes in the sandbox before each look. */
async function deliver(
  plan: CampaignPlan,
  { walk }: CampaignParts,
  mediaBuyId: string,
): Promise<GetMediaBuyDeliveryResponse> {
  const { sales } = plan.agents;
  const look = { media_buy_ids: [mediaBuyId] };
  const evening = await passDay(plan, walk, 'first_day');
  await walk.step('events', sales, 'log_event', () => ({
    idempotency_key: keyOf(plan, 'events'),
    event_source_id: `${plan.id}-shop`,
    events: [purchaseAt(plan, evening)],
  }));
  const first = await walk.step('delivery', sales, 'get_media_buy_delivery', () => look);
  await walk.step('feedback', sales, 'provide_performance_feedback', () => ({
    idempotency_key: keyOf(plan, 'feedback'),
    media_buy_id: mediaBuyId,
    measurement_period: { start: iso(evening - DAY_S * 500), end: iso(evening) },
    performance_index: first.impressions > 0 ? 1.4 : 1,
  }));
  await passDay(plan, walk, 'second_day');
  return walk.step('delivery_again', sales, 'get_media_buy_delivery', () => look);
}

/** Lets a day go by at the seller, for this buyer alone; gives the time after it. Epoch milliseconds. */
async function passDay({ agents }: CampaignPlan, walk: CampaignWalk, name: string): Promise<number> {
  const { simulated } = await walk.step(name, agents.sales, 'comply_test_controller', () => ({
    scenario: 'advance_time',
    params: { seconds: DAY_S },
  }));
  return Date.parse(String(simulated?.now));
}

function purchaseAt({ id, currency }: CampaignPlan, time: number): Event {
  return {
    event_id: `${id}-order-1`,
    event_type: 'purchase',
    event_time: iso(time),
    action_source: 'website',
    custom_data: { value: 49.5, currency },
  };
}
