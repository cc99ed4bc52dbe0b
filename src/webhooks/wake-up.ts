import { isObject, member } from '../base/json.ts';
import { readInstant } from '../domain/text.ts';

/** What a registry posts to those who subscribed to its feed. */
export interface WakeUp {
  /** The same in every try. */
  readonly idempotency_key: string;
  readonly subscription_id: string;
  /** Of the feed: all before it was told. */
  readonly cursor: string;
  /** The feed from there. */
  readonly feed_url: string;
  /** RFC 3339. */
  readonly first_change_at: string;
}

const MEMBERS = ['idempotency_key', 'subscription_id', 'cursor', 'feed_url', 'first_change_at'] as const;
/** Longer than any of ours, characters. */
const MAX_TEXT = 4_000;

/** Whether a webhook is a wake-up of a registry, and no news of an agent. */
export function isWakeUp(payload: unknown): boolean {
  return member(payload, 'subscription_id') !== undefined && member(payload, 'feed_url') !== undefined;
}

/** What is wrong with a wake-up, one sentence with its place; undefined when nothing. */
export function wakeUpFault(payload: unknown): string | undefined {
  if (!isObject(payload)) return 'the wake-up is no object';
  for (const name of MEMBERS) {
    const value = payload[name];
    if (value === undefined) return `/${name} is missing`;
    if (typeof value !== 'string' || value === '' || value.length > MAX_TEXT)
      return `/${name} is no text of 1 to ${MAX_TEXT} characters`;
  }
  if (readInstant(String(payload.first_change_at)) === undefined)
    return '/first_change_at is no time (RFC 3339)';
  // a registry that does not know its own address writes none
  if (!/^(?:https?:\/\/[^/]|\/[^/])/.test(String(payload.feed_url))) return '/feed_url is no address';
  return undefined;
}
