import type { JsonObject } from '@agent-registry/surface/agent-kit';
import { hostOf } from '../agents/agent.ts';
import { objects, type Talk, type TaskDialect, withItems } from './wire.ts';

export const signalDialect: Readonly<Record<string, TaskDialect>> = {
  get_signals: {
    request: signalRequest,
    answer: (answer, _request, talk) => withItems(answer, 'signals', (one) => publicSignal(one, talk)),
  },
  activate_signal: {
    answer: (answer) => ({ ...answer, deployments: objects(answer.activations).map(deploymentOf) }),
  },
};

/** A segment is named there with its source; here by its id alone. */
function signalRequest({ signal_ids: ids, max_results: most, ...request }: JsonObject): JsonObject {
  return {
    ...request,
    ...(Array.isArray(ids) && { signal_agent_segment_ids: objects(ids).map(({ id }) => id) }),
    ...(most !== undefined && request.pagination === undefined && { pagination: { max_results: most } }),
  };
}

function publicSignal(signal: JsonObject, { agent }: Talk): JsonObject {
  return {
    description: signal.name,
    data_provider: hostOf(agent.spec),
    signal_type: 'marketplace',
    ...signal,
    signal_id: { source: 'agent', agent_url: agent.spec.url, id: signal.signal_agent_segment_id },
    pricing_options: objects(signal.pricing_options).map(signalPrice),
    deployments: objects(signal.activation_options).map(deploymentOf),
  };
}

/** What is paid by the thousand, or by the month. */
function signalPrice(option: JsonObject): JsonObject {
  if (option.model === 'cpm') return { ...option, cpm: option.price };
  return { ...option, amount: option.price, period: 'monthly' };
}

/** What became of a segment at one destination. */
export function deploymentOf(activation: JsonObject): JsonObject {
  const {
    type,
    platform,
    agent_url: url,
    account,
    status,
    activation_key: key,
    estimated_minutes: minutes,
    activated_at: at,
  } = activation;
  return {
    type,
    ...(platform !== undefined && { platform }),
    ...(url !== undefined && { agent_url: url }),
    ...(account !== undefined && { account }),
    is_live: status === 'active',
    ...(key !== undefined && { activation_key: { type: 'segment_id', segment_id: key } }),
    ...(minutes !== undefined && { estimated_activation_duration_minutes: minutes }),
    ...(at !== undefined && { deployed_at: at }),
  };
}
