/** Receives the webhooks of an agent under test during a run. */
export interface WebhookListener {
  /** The URL for the agent, without a trailing slash: `https://hooks.buyer.example`. */
  readonly base: string;
  /** Answers the first `count` deliveries of an operation with `status`, so that the sender retries. */
  refuseFirst(operation: string, count: number, status: number): void;
  /** The deliveries of an operation; resolves when `isEnough` returns true, after `waitMs`, or when `signal` aborts. */
  heard(
    operation: string,
    isEnough: (deliveries: readonly HeardWebhook[]) => boolean,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<readonly HeardWebhook[]>;
}

/** The addresses of one run. */
export interface RunListener {
  readonly listener: WebhookListener;
  /** Deletes what was received. Later webhooks get 404. */
  close(): void;
}

/** One delivery of a webhook; each retry is another one. Plain data. */
export interface HeardWebhook {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Status of our answer. */
  readonly status: number;
  /** The body if it is JSON, otherwise the beginning of its text. */
  readonly body: unknown;
  readonly signature: DeliverySignature;
}

/** Result of verifying its signature. `legacy`: signed with a shared secret, by the older scheme. `unknown`: the keys could not be fetched. */
export interface DeliverySignature {
  readonly state: 'verified' | 'none' | 'legacy' | 'refused' | 'unknown';
  /** With `refused`: `webhook_signature_invalid`, … */
  readonly code?: string;
  readonly detail?: string;
  readonly keyid?: string;
}
