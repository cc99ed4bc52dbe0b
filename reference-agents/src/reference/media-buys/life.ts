import type { MediaBuyStatus } from '@agent-registry/surface/agent-kit';
import { isReady } from './segments.ts';
import type { StoredMediaBuy } from './stored.ts';

/** What a status may become. Those that lead nowhere are final. */
export const TRANSITIONS: Readonly<Record<MediaBuyStatus, readonly MediaBuyStatus[]>> = {
  pending_creatives: ['pending_start', 'active', 'paused', 'rejected', 'canceled'],
  pending_start: ['pending_creatives', 'active', 'paused', 'rejected', 'canceled'],
  active: ['paused', 'completed', 'canceled'],
  paused: ['pending_creatives', 'pending_start', 'active', 'completed', 'canceled'],
  completed: [],
  rejected: [],
  canceled: [],
};

export function isFinal(status: MediaBuyStatus): boolean {
  return TRANSITIONS[status].length === 0;
}

export interface StatusChange {
  readonly status: MediaBuyStatus;
  /** Epoch milliseconds: when it was due, which may be before anybody looked. */
  readonly at: number;
  readonly reason?: string;
}

export const NO_CREATIVES = 'no creative was approved before the flight ended';
export const NO_PACKAGES = 'all of its packages were canceled';

/** When time alone changes the status next; undefined when it never does. */
export function nextChangeAt(buy: StoredMediaBuy): number | undefined {
  if (isFinal(buy.status)) return undefined;
  return buy.status === 'pending_start' ? Math.min(buy.startsAt, buy.endsAt) : buy.endsAt;
}

/**
 * The earliest change of status that is due by `now`; undefined when the status is right. After a long silence there
 * may be another one behind it: ask again with what it made.
 */
export function nextStatus(buy: StoredMediaBuy, now: number): StatusChange | undefined {
  const due = Math.min(nextChangeAt(buy) ?? now, now);
  const at = Math.max(due, buy.statusSince);
  const status = buyStatusAt(buy, at);
  if (status === buy.status) return undefined;
  return { status, at, ...reasonFor(status) };
}

/** Where a buy belongs at a moment. */
export function buyStatusAt(buy: StoredMediaBuy, at: number): MediaBuyStatus {
  if (isFinal(buy.status)) return buy.status;
  if (buy.packages.every((part) => part.canceled)) return 'canceled';
  if (at >= buy.endsAt) return endOf(buy);
  if (buy.paused) return 'paused';
  // What runs goes on when a creative is taken back; only the package stands still.
  if (buy.status === 'active') return 'active';
  if (!hasCreatives(buy)) return 'pending_creatives';
  return at >= buy.startsAt ? 'active' : 'pending_start';
}

function endOf(buy: StoredMediaBuy): MediaBuyStatus {
  if (buy.status === 'pending_creatives') return 'rejected';
  // It has yet to begin before it can be over; both are told.
  return buy.status === 'pending_start' ? 'active' : 'completed';
}

function hasCreatives(buy: StoredMediaBuy): boolean {
  return buy.creativesWaived === true || buy.packages.every((part) => part.canceled || isReady(part));
}

function reasonFor(status: MediaBuyStatus): Partial<StatusChange> {
  if (status === 'rejected') return { reason: NO_CREATIVES };
  return status === 'canceled' ? { reason: NO_PACKAGES } : {};
}
