import type { ReferenceAgent } from '../handler.ts';
import { tell } from '../tell.ts';
import { recordOf, type StoredAccount } from './stored-account.ts';

/** Tells whoever asked to be told that an account changed its status. `at` is when it did, epoch milliseconds. */
export function tellStatus(
  agent: Pick<ReferenceAgent, 'webhooks' | 'spec' | 'state'>,
  before: StoredAccount,
  after: StoredAccount,
  at: number,
): void {
  const { webhook, status } = before;
  if (status === after.status) return;
  const payload = {
    event: 'account.status_changed',
    // The same for every attempt, and no other event's.
    idempotency_key: `${after.accountId}-${after.status}-${at}`,
    previous_status: status,
    account: recordOf(after),
  };
  tell(agent, webhook, { about: after.accountId, at, payload });
}
