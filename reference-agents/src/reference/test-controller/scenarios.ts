import type { Account, ComplyTestControllerRequest } from '@agent-registry/surface/agent-kit';
import { FORCED_ACCOUNT_STATUSES, setAccountStatus } from '../accounts/set-account-status.ts';
import { accountsOf } from '../accounts/stored-account.ts';
import { setCreativeStatus } from '../creatives/library.ts';
import { findCreative } from '../creatives/stored.ts';
import type { TaskCall } from '../handler.ts';
import { advanceBuysOf } from '../media-buys/advance.ts';
import { seedProduct } from '../products/seed-product.ts';
import { businessNow, moveClock } from './business-clock.ts';
import { forceMediaBuyStatus } from './force-media-buy.ts';
import {
  choiceIn,
  numberIn,
  objectIn,
  type Params,
  ScenarioFailed,
  type ScenarioResult,
  textIn,
} from './params.ts';
import { simulateDelivery } from './simulate-delivery.ts';

type Scenario = (call: TaskCall, params: Params, request: ComplyTestControllerRequest) => ScenarioResult;

/** A year at once. */
const MOST_SECONDS = 366 * 86_400;

const CREATIVE_STATUSES = ['processing', 'pending_review', 'approved', 'rejected'] as const;

/** Everything that tests can make happen; each moves only what belongs to the caller. */
const SCENARIOS: ReadonlyMap<string, Scenario> = new Map<string, Scenario>([
  ['list_scenarios', () => ({ scenarios: CONTROLLER_SCENARIOS })],
  ['force_media_buy_status', forceMediaBuyStatus],
  ['force_creative_status', forceCreativeStatus],
  ['force_account_status', forceAccountStatus],
  ['seed_product', seed],
  ['simulate_delivery', simulateDelivery],
  ['advance_time', advanceTime],
]);

/** Their names, for the capabilities task too. */
export const CONTROLLER_SCENARIOS: readonly string[] = [...SCENARIOS.keys()];

export function scenarioNamed(name: string): Scenario {
  const scenario = SCENARIOS.get(name);
  if (scenario !== undefined) return scenario;
  throw new ScenarioFailed(
    'UNKNOWN_SCENARIO',
    `unknown scenario; known scenarios: ${CONTROLLER_SCENARIOS.join(', ')}`,
  );
}

function forceCreativeStatus(call: TaskCall, params: Params): ScenarioResult {
  const creativeId = textIn(params, 'creative_id');
  const status = choiceIn(params, 'status', CREATIVE_STATUSES);
  const before = findCreative(call, creativeId, '/params/creative_id').status;
  setCreativeStatus(call, creativeId, status);
  return { previous_state: before, current_state: status };
}

function forceAccountStatus(
  call: TaskCall,
  params: Params,
  { account }: ComplyTestControllerRequest,
): ScenarioResult {
  const named = account ?? accountWithId(call, params.account_id);
  if (named === undefined)
    throw new ScenarioFailed('INVALID_PARAMS', 'send one of your accounts, as account or params.account_id');
  const status = choiceIn(params, 'status', FORCED_ACCOUNT_STATUSES);
  const { before, after } = setAccountStatus(call, named, status);
  return { previous_state: before.status, current_state: after.status };
}

/** As the public protocol names it: by its id alone. */
function accountWithId(call: TaskCall, id: unknown): Account | undefined {
  const found = accountsOf(call)
    .list()
    .find(({ document }) => document.accountId === id)?.document;
  return found && { brand: found.brand, operator: found.operator, sandbox: found.sandbox };
}

/** The product is `params.product`, or `params` themselves; `params.fixture` is taken in place of it. */
function seed(call: TaskCall, params: Params): ScenarioResult {
  const { product_id: id } = params;
  const given = objectIn(params, 'product') ?? objectIn(params, 'fixture') ?? params;
  const named =
    typeof id === 'string' && !Object.hasOwn(given, 'product_id') ? { ...given, product_id: id } : given;
  const product = seedProduct(call, named);
  return { simulated: { product_id: product.product_id, name: product.name }, current_state: 'available' };
}

function advanceTime(call: TaskCall, params: Params): ScenarioResult {
  const { agent, caller, now } = call;
  const seconds = numberIn(params, 'seconds', [0, MOST_SECONDS]);
  if (!moveClock(agent.state, caller.id, Math.round(seconds * 1_000))) {
    throw new ScenarioFailed('INVALID_PARAMS', 'the clock cannot be more than ten years ahead');
  }
  const changed = advanceBuysOf(agent, caller.id, now);
  const time = new Date(businessNow(agent.state, caller.id, now)).toISOString();
  return { simulated: { seconds, now: time, media_buys_changed: changed } };
}
