import {
  type AgentState,
  type Clock,
  createSignatureGate,
  createWebhookReceiver,
  type KeyDirectory,
  openInbox,
  type ReplayStore,
  type WebhookReceiver,
  webhookFault,
} from '@agent-registry/surface/agent-kit';

/** The path on a buying agent's host to which sellers post. */
const WEBHOOK_PATH = '/webhooks';

/** A seller of which webhooks are taken. */
export interface Seller {
  readonly url: string;
  readonly brandJsonUrl: string;
}

export interface BuyerReceiverOptions {
  /** URL of the buying agent. */
  readonly url: string;
  readonly state: AgentState;
  readonly sellers: readonly Seller[];
  readonly keys: KeyDirectory;
  readonly replays: ReplayStore;
  readonly clock: Clock;
}

/**
 * Where a buying agent takes the webhooks of the sellers that it trades with. The path says who posts, `/webhooks/`
 * and the seller's host, so that each seller's keys are looked for with that seller alone.
 */
export function buyerReceivers(
  options: BuyerReceiverOptions,
): readonly { path: string; page: WebhookReceiver }[] {
  const { url, state, keys, replays, clock } = options;
  const inbox = openInbox(state);
  return options.sellers.map((seller) => ({
    path: receiverPath(seller.url),
    page: createWebhookReceiver({
      gate: createSignatureGate({
        kind: 'webhook',
        keys: keys.keysOf({ ...seller, kind: 'webhook' }),
        replays,
        clock,
      }),
      inbox,
      clock,
      origin: new URL(url).origin,
      sender: seller.url,
      validate: webhookFault,
    }),
  }));
}

/** The path on which a seller's webhooks are taken. */
export function receiverPath(sellerUrl: string): string {
  return `${WEBHOOK_PATH}/${new URL(sellerUrl).host}`;
}
