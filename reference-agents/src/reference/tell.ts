import type { PushNotificationConfig } from '@agent-registry/surface/agent-kit';
import type { ReferenceAgent } from './handler.ts';

/** What happened to something of a caller. */
export interface StatusNotice {
  /** The id of what it is about: an account, an activation, an acquisition. No two have the same. */
  readonly about: string;
  /** When it happened, epoch milliseconds. */
  readonly at: number;
  /** Of core/webhook.json, but for what all webhooks have. */
  readonly payload: {
    readonly event: string;
    readonly idempotency_key: string;
    readonly previous_status: string;
  } & Readonly<Record<string, unknown>>;
}

/**
 * Tells whoever asked for it, inside the transaction of what happened (core/webhook.json). `sequence` counts the
 * webhooks about one subject from 1, so that their receiver knows their order.
 */
export function tell(
  { webhooks, spec, state }: Pick<ReferenceAgent, 'webhooks' | 'spec' | 'state'>,
  config: PushNotificationConfig | undefined,
  { about, at, payload }: StatusNotice,
): void {
  if (config === undefined) return;
  const sequences = state.collection<number>('webhook_sequences');
  const sequence = (sequences.get(about) ?? 0) + 1;
  sequences.put(about, sequence);
  webhooks.add({
    url: config.url,
    ...(config.authentication !== undefined && { authentication: config.authentication }),
    payload: {
      ...payload,
      agent_url: spec.url,
      sequence,
      occurred_at: new Date(at).toISOString(),
      ...echoed(config),
    },
  });
}

/** What the receiver gave to know its webhooks by. */
export function echoed({
  token,
  operation_id: operation,
}: Partial<PushNotificationConfig>): Pick<PushNotificationConfig, 'token' | 'operation_id'> {
  return {
    ...(token !== undefined && { token }),
    ...(operation !== undefined && { operation_id: operation }),
  };
}
