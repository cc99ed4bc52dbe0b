import { at, brandOf, CALLER, capabilities, DAY, keyOf, type Lane, type Step } from './lane.ts';
import { orderOf } from './media-buys.ts';

const planOf = (lane: Lane) => `plan-${lane.id}`;
const checkOf = (lane: Lane, budget: number) => ({
  plan_id: planOf(lane),
  caller: CALLER,
  tool: 'create_media_buy',
  payload: {
    ...orderOf(lane),
    packages: [{ product_id: 'local-front-page', pricing_option_id: 'cpm-eur', budget }],
    total_budget: { amount: budget, currency: 'EUR' },
  },
});

export const GOVERNANCE: readonly Step[] = [
  capabilities('governance'),
  {
    agent: 'governance',
    task: 'sync_plans',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'plans'),
      plans: [
        {
          plan_id: planOf(lane),
          brand: brandOf(lane),
          objectives: 'kayaks for the first warm weekend',
          budget: { total: 20_000, currency: 'EUR', reallocation_unlimited: true },
          flight: { start: at(lane.now), end: at(lane.now + 40 * DAY) },
          countries: ['GB'],
        },
      ],
    }),
  },
  { agent: 'governance', task: 'check_governance', request: (lane) => checkOf(lane, 5_000) },
  {
    agent: 'governance',
    task: 'check_governance',
    about: 'too much',
    holds: ({ decision }) => decision === 'denied',
    request: (lane) => checkOf(lane, 50_000),
  },
  {
    agent: 'governance',
    task: 'check_governance',
    about: 'three decimals',
    holds: ({ decision }) => decision === 'denied',
    request: (lane) => checkOf(lane, 5_000.005),
  },
  {
    agent: 'governance',
    task: 'check_governance',
    about: 'unknown plan',
    refusal: 'PLAN_NOT_FOUND',
    request: (lane) => ({ ...checkOf(lane, 5_000), plan_id: 'no-such-plan' }),
  },
  {
    agent: 'governance',
    task: 'get_plan_audit_logs',
    request: (lane) => ({ plan_ids: [planOf(lane)], include_entries: true }),
  },
];
