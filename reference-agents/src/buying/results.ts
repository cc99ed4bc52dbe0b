import type { Event, GetMediaBuyDeliveryResponse } from 'agent-registry/agent-kit';
import { type CampaignParts, type CampaignPlan, DAY_S, iso, keyOf } from './plan.ts';
import type { Walk } from './walk.ts';

/** Events, delivery, feedback, and delivery again; a day passes in the sandbox before each look. */
export async function deliver(
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
async function passDay({ agents }: CampaignPlan, walk: Walk, name: string): Promise<number> {
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
