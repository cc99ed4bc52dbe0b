/** Where an agent under test posts its webhooks while a run goes on. */
export interface WebhookListener {
  /** As the agent reaches it, without a slash at its end: `https://hooks.buyer.example`. */
  readonly base: string;
  /** The first `count` deliveries to an operation are answered with `status`, so that the sender tries again. */
  refuseFirst(operation: string, count: number, status: number): void;
  /** What came for an operation; resolves as soon as `isEnough` says so, or after `waitMs`, or when `signal` fires. */
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
  /** Forgets what was received. Later webhooks get 404. */
  close(): void;
}

/** One webhook as it came, each try for itself. Plain data. */
export interface HeardWebhook {
  /** Epoch milliseconds. */
  readonly at: number;
  /** What it was answered with. */
  readonly status: number;
  /** The body where it is JSON, else the beginning of its text. */
  readonly body: unknown;
  readonly signature: DeliverySignature;
}

/** What its signature came to: `legacy` is one of the older scheme of a shared secret, and `unknown` one whose keys could not be had. */
export interface DeliverySignature {
  readonly state: 'verified' | 'none' | 'legacy' | 'refused' | 'unknown';
  /** With `refused`: `webhook_signature_invalid`, … */
  readonly code?: string;
  readonly detail?: string;
  readonly keyid?: string;
}
