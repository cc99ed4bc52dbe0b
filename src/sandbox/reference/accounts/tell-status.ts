import type { ReferenceAgent } from '../handler.ts';
import { recordOf, type StoredAccount } from './stored-account.ts';

/** Tells whoever asked to be told that an account changed its status. `at` is when it did, epoch milliseconds. */
export function tellStatus(
  { webhooks, spec }: Pick<ReferenceAgent, 'webhooks' | 'spec'>,
  before: StoredAccount,
  after: StoredAccount,
  at: number,
): void {
  const { webhook, status } = before;
  if (webhook === undefined || status === after.status) return;
  const payload = {
    event: 'account.status_changed',
    agent_url: spec.url,
    // The same for every attempt, and no other event's.
    idempotency_key: `${after.accountId}-${after.status}-${at}`,
    occurred_at: new Date(at).toISOString(),
    previous_status: status,
    account: recordOf(after),
    ...(webhook.token !== undefined && { token: webhook.token }),
  };
  webhooks.add({ url: webhook.url, payload });
}
