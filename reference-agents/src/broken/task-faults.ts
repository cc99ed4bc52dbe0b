import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from '@agent-registry/surface/agent-kit';
import { type AgentFault, accepts, answers, inTask } from './fault.ts';

const MEGABYTE = 1_000_000;
const DAY = 86_400_000;

/** A retry has an effect of its own, and is called a replay. */
export const SECOND_EFFECT: AgentFault = inTask('create_media_buy', async (request, right) => {
  const first = await right(request);
  if (!first.ok || first.data.replayed !== true) return first;
  const again = await right(withFreshKey(request));
  return again.ok ? { ok: true, data: { ...again.data, replayed: true } } : again;
});

/** A retry gets another budget than the first answer had. */
export const CHANGED_REPLAY: AgentFault = answers('create_media_buy', (data) =>
  data.replayed === true
    ? { ...data, packages: packagesOf(data).map((part) => ({ ...part, budget: Number(part.budget) + 1 })) }
    : data,
);

export const NO_REPLAY: AgentFault = answers('create_media_buy', ({ replayed: _replayed, ...data }) => data);

export const ACCEPTS_CONFLICT: AgentFault = accepts('create_media_buy', 'IDEMPOTENCY_CONFLICT', withFreshKey);

export const ACCEPTS_PAST_FLIGHT: AgentFault = accepts('create_media_buy', 'FLIGHT_IN_PAST', (request) => ({
  ...request,
  start_time: new Date(Date.now() + DAY).toISOString(),
  end_time: new Date(Date.now() + 2 * DAY).toISOString(),
}));

export const ACCEPTS_NEGATIVE_BUDGET: AgentFault = inTask('create_media_buy', (request, right) =>
  right({
    ...request,
    packages: packagesOf(request).map((part) =>
      Number(part.budget) < 0 ? { ...part, budget: 9_000 } : part,
    ),
  }),
);

export const ACCEPTS_ZERO_BUDGET: AgentFault = inTask('create_media_buy', (request, right) =>
  right({
    ...request,
    packages: packagesOf(request).map((part) => (part.budget === 0 ? { ...part, budget: 9_000 } : part)),
  }),
);

export const ERROR_WITHOUT_CODE: AgentFault = inTask('get_products', async (request, right) => {
  const result = await right(request);
  if (result.ok || result.error.code !== 'PRODUCT_NOT_FOUND') return result;
  const { code: _code, ...error } = result.error;
  // The type says that there is a code, and this agent has none.
  return { ok: false, error: error as typeof result.error };
});

/** The order of what is found turns round when the same is asked again. */
export const CHANGING_PRODUCTS: AgentFault = {
  tasks: () => {
    const asked = new Map<string, number>();
    return (call) => async (task, request) => {
      const result = await call(task, request);
      if (task !== 'get_products' || !result.ok || !Array.isArray(result.data.products)) return result;
      const key = JSON.stringify(request);
      const times = asked.get(key) ?? 0;
      asked.set(key, times + 1);
      return times % 2 === 0
        ? result
        : { ok: true, data: { ...result.data, products: result.data.products.toReversed() } };
    };
  },
};

export const WRONG_SUMS: AgentFault = answers('get_media_buy_delivery', (data) => {
  const spend = isObject(data.spend) ? data.spend : {};
  return { ...data, spend: { ...spend, amount: Number(spend.amount) + 1 } };
});

/** An account of another buyer is listed. */
export const FOREIGN_ACCOUNTS: AgentFault = answers('list_accounts', ({ accounts, ...data }) => ({
  ...data,
  accounts: [
    ...(Array.isArray(accounts) ? accounts : []),
    {
      account_id: 'acc_of_another_buyer',
      brand: { domain: 'another-buyer.example' },
      operator: 'another-buyer.example',
      status: 'active',
    },
  ],
}));

/** Whatever is asked of it, a creative stays approved. */
export const FROZEN_CREATIVES: AgentFault = inTask('comply_test_controller', async (request, right) =>
  request.scenario === 'force_creative_status'
    ? { ok: true, data: { success: true, previous_state: 'approved', current_state: 'approved' } }
    : right(request),
);

export const TEN_MEGABYTES: AgentFault = answers('list_accounts', (data) => ({
  ...data,
  ext: { padding: 'x'.repeat(10 * MEGABYTE) },
}));

/** Deeper than anybody has to read. */
export const BOTTOMLESS: AgentFault = answers('list_authorized_properties', (data) => {
  let deep: unknown = [];
  for (let level = 0; level < 500; level += 1) deep = [deep];
  return { ...data, ext: { deep } };
});

export const HANGS: AgentFault = inTask('list_authorized_properties', (request, right) =>
  request.tags === undefined ? new Promise(() => undefined) : right(request),
);

/** Everything over the plan is approved, with a token that nobody signed. */
export const LENIENT_JUDGE: AgentFault = answers('check_governance', (data) =>
  data.governance_approval === undefined
    ? { ...data, decision: 'approved', governance_approval: 'e30.e30.e30' }
    : data,
);

/** Signals at a platform that nobody knows are on their way for ever. */
export const ANY_PLATFORM: AgentFault = answers('activate_signal', (data) => ({
  ...data,
  activations: (Array.isArray(data.activations) ? data.activations : []).map((one: JsonObject) => {
    const { errors: _errors, ...rest } = one;
    return one.status === 'failed' ? { ...rest, status: 'pending' } : one;
  }),
}));

/** Accounts are shown to whoever asks. */
export const OPEN_ACCOUNTS: AgentFault = inTask('list_accounts', async (request, right) => {
  const result = await right(request);
  return !result.ok && result.error.code === 'AUTH_REQUIRED' ? { ok: true, data: { accounts: [] } } : result;
});

function packagesOf({ packages }: JsonObject): readonly JsonObject[] {
  return Array.isArray(packages) ? packages.filter(isObject) : [];
}

function withFreshKey(request: JsonObject): JsonObject {
  return { ...request, idempotency_key: randomUUID() };
}
