export const SELLER = 'https://sales.agents.example/mcp';
export const BUYER = 'https://buyer.example';
export const HOOKS = `${BUYER}/webhooks`;
export const START = Date.parse('2026-11-21T12:00:00Z');

/** A clock that the test sets. */
export interface OwnedClock {
  now(): number;
  set(at: number): void;
}

export function ownedClock(at = START): OwnedClock {
  let current = at;
  return {
    now: () => current,
    set(next) {
      current = next;
    },
  };
}

/** For tests with a process of its own, which cannot be given another. */
export const SYSTEM_CLOCK: OwnedClock = { now: Date.now, set: () => {} };

/** A webhook about an account that follows its schema. */
export function accountNews(account: string, sequence: number) {
  return {
    idempotency_key: `${account}-status-${sequence}`,
    event: 'account.status_changed',
    agent_url: SELLER,
    sequence,
    occurred_at: '2026-11-21T12:00:00.000Z',
    previous_status: 'active',
    account: {
      account_id: account,
      brand: { domain: 'acme.example' },
      operator: 'buyer.example',
      status: 'suspended',
    },
  };
}

/** A webhook about a media buy that follows its schema. */
export function news(mediaBuy: string, sequence: number, more: object = {}) {
  return {
    idempotency_key: `${mediaBuy}-${sequence}`,
    event: 'media_buy.status_changed',
    agent_url: SELLER,
    media_buy_id: mediaBuy,
    previous_status: 'pending_start',
    status: 'active',
    sequence,
    occurred_at: '2026-11-21T12:00:00.000Z',
    ...more,
  };
}

/** A webhook as agents of the public vocabulary send it: its media buy is under `result`. */
export function taskNews(mediaBuy: string) {
  return {
    idempotency_key: `event-about-${mediaBuy}`,
    operation_id: 'op-7',
    task_id: 'task-7',
    task_type: 'create_media_buy',
    status: 'completed',
    timestamp: '2026-11-21T12:00:00Z',
    result: { media_buy_id: mediaBuy, status: 'active' },
  };
}
