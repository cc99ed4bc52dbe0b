import {
  type CreateMediaBuyRequest,
  type CreateMediaBuyResponse,
  type Creative,
  member,
  type Product,
} from '@agent-registry/surface/agent-kit';
import { type CampaignParts, type CampaignPlan, DAY_S, iso, keyOf, planId } from './plan.ts';
import { pricingOf } from './prepare.ts';
import { receiverPath } from './receiver.ts';
import { CampaignStopped, type CampaignWalk } from './walk.ts';

/** What a purchase is refused for that was prepared long ago: a new one has to be prepared, and approved. */
const STALE = ['APPROVAL_INVALID', 'FLIGHT_IN_PAST'];

/** The step in which the seller's webhook is waited for. */
export const WEBHOOK = 'webhook';

interface Purchase {
  readonly plan: CampaignPlan;
  readonly walk: CampaignWalk;
  /** The seller's time. */
  readonly now: () => number;
  readonly product: Product;
  readonly creative: Creative;
}

/** Asks for the approval of the very request that is then sent. */
export async function buy(purchase: Purchase): Promise<CreateMediaBuyResponse> {
  const { plan, walk } = purchase;
  try {
    return await buyApproved(plan, walk, keptPayload(purchase));
  } catch (error) {
    if (!(error instanceof CampaignStopped && STALE.includes(error.code))) throw error;
    walk.forget('approval');
    walk.forget('media_buy');
    return buyApproved(plan, walk, keptPayload(purchase));
  }
}

async function buyApproved(
  plan: CampaignPlan,
  walk: CampaignWalk,
  payload: CreateMediaBuyRequest,
): Promise<CreateMediaBuyResponse> {
  const { agents } = plan;
  const check = await walk.step('approval', agents.governance, 'check_governance', () => ({
    plan_id: planId(plan),
    caller: agents.buyer,
    tool: 'create_media_buy',
    payload: { ...payload },
    audience: agents.sales,
  }));
  if (check.governance_approval === undefined) {
    walk.askAgain('approval'); // of whoever answers for a plan, about this very request
    const code = check.decision === 'escalated' ? 'waiting' : check.decision;
    throw new CampaignStopped('approval', code, check.reason);
  }
  return walk.step('media_buy', agents.sales, 'create_media_buy', () => ({
    ...payload,
    governance_approval: check.governance_approval as string,
  }));
}

/** What is to be bought: what stands in the step, when the purchase was prepared before. */
function keptPayload({ plan, walk, now, product, creative }: Purchase): CreateMediaBuyRequest {
  const asked = walk.steps().find(({ name }) => name === 'approval')?.request as {
    payload?: CreateMediaBuyRequest;
  };
  if (asked?.payload !== undefined) return asked.payload;
  const start = now() + plan.startsIn * 1_000;
  return {
    idempotency_key: keyOf(plan, 'buy'),
    account: plan.account,
    brand: plan.account.brand,
    plan_id: planId(plan),
    start_time: iso(start),
    end_time: iso(start + plan.days * DAY_S * 1_000),
    packages: [
      {
        product_id: product.product_id,
        budget: plan.budget,
        pricing_option_id: pricingOf(product, plan)?.pricing_option_id ?? '',
        creative_assignments: [{ creative_id: creative.creative_id }],
      },
    ],
    total_budget: { amount: plan.budget, currency: plan.currency },
    push_notification_config: {
      url: `${new URL(plan.agents.buyer).origin}${receiverPath(plan.agents.sales)}`,
    },
  };
}

/** Waits for the seller's signed webhook that says that the campaign runs; one that ran at once needs none. */
export async function goLive(
  { agents }: CampaignPlan,
  { media_buy_id, status }: CreateMediaBuyResponse,
  { walk, received }: CampaignParts,
): Promise<void> {
  if (status === 'active') return;
  const request = { media_buy_id, status: 'active' } as const;
  const awaited = { name: WEBHOOK, task: 'media_buy.status_changed', agent: agents.sales, request };
  await walk.until(awaited, () => {
    const webhook = received().find(
      ({ payload }) => payload.media_buy_id === media_buy_id && statusIn(payload) === request.status,
    );
    return webhook && { keyid: webhook.keyid, payload: webhook.payload };
  });
}

/** The status that a media buy got; the public protocol tells it with the result of the task. */
function statusIn({ status, result }: Readonly<Record<string, unknown>>): unknown {
  return member(result, 'status') ?? status;
}
