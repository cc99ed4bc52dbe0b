import { isObject, member } from '../base/json.ts';
import { readInstant } from '../domain/text.ts';

/** The webhook for subscribers of the feed. */
export interface WakeUp {
  /** The same in every attempt. */
  readonly idempotency_key: string;
  readonly subscription_id: string;
  /** Of the feed: everything before it was reported. */
  readonly cursor: string;
  /** The feed from there. */
  readonly feed_url: string;
  /** RFC 3339. */
  readonly first_change_at: string;
}

const MEMBERS = ['idempotency_key', 'subscription_id', 'cursor', 'feed_url', 'first_change_at'] as const;
/** Longer than any of ours, characters. */
const MAX_TEXT = 4_000;

/** Whether a webhook is a wake-up of a registry, not an event of an agent. */
export function isWakeUp(payload: unknown): boolean {
  return member(payload, 'subscription_id') !== undefined && member(payload, 'feed_url') !== undefined;
}

/** The error in a wake-up, one sentence with its place; undefined for a valid one. */
export function wakeUpFault(payload: unknown): string | undefined {
  if (!isObject(payload)) return 'the wake-up must be a JSON object';
  for (const name of MEMBERS) {
    const value = payload[name];
    if (value === undefined) return `/${name} is missing`;
    if (typeof value !== 'string' || value === '' || value.length > MAX_TEXT)
      return `/${name} must be a string of 1 to ${MAX_TEXT} characters`;
  }
  if (readInstant(String(payload.first_change_at)) === undefined)
    return '/first_change_at must be an RFC 3339 timestamp';
  // a registry without a configured base URL sends a path
  if (!/^(?:https?:\/\/[^/]|\/[^/])/.test(String(payload.feed_url)))
    return '/feed_url must be a URL or an absolute path';
  return undefined;
}
