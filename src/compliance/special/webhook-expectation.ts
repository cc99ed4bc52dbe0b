import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, member } from '../../base/json.ts';
import type { HeardWebhook } from '../../ports/webhook-listener.ts';
import type { Step } from '../storyboard.ts';

/** The steps that look at what an agent posted, by the task that they are written as. */
export type WebhookTask =
  | 'expect_webhook'
  | 'expect_webhook_retry_keys_stable'
  | 'expect_webhook_signature_valid';

/** What a step waits for. */
export interface WebhookExpectation {
  readonly task: WebhookTask;
  /** What a webhook has to say to be looked at, by its place: `status`, or `result.media_buy_id`. */
  readonly filter: JsonObject;
  /** Deliveries that are waited for; more than one only where the first ones are refused. */
  readonly atLeast: number;
  /** The whole window is waited, as it is about what must not come. */
  readonly wholeWindow: boolean;
}

export interface AwaitedWebhooks {
  /** The last part of the address that the agent was given. */
  readonly operation: string;
  readonly expectation: WebhookExpectation;
  /** The agent has said that it goes on, so that it has something to tell. */
  readonly isOwed: boolean;
  /** Milliseconds at most. */
  readonly waitMs: number;
}

const GOES_ON: readonly unknown[] = ['submitted', 'working', 'input-required'];

/** Whether an answer owes a webhook: one that was final owes none. */
export function owesWebhook({ status }: JsonObject): boolean {
  return GOES_ON.includes(status);
}

const MOST_REFUSALS = 10;
const REFUSALS = [429, 500, 502, 503, 504];

/** How a receiver provokes a repetition, in the bounds of the field's contract; undefined for steps that do not. */
export function refusalsOf({ task, more }: Step): { count: number; status: number } | undefined {
  if (task !== 'expect_webhook_retry_keys_stable') return undefined;
  const count = Number(member(more.retry_trigger, 'count') ?? 3);
  const status = Number(member(more.retry_trigger, 'http_status') ?? 503);
  return {
    count: Number.isInteger(count) ? Math.min(Math.max(count, 1), MOST_REFUSALS) : 3,
    status: REFUSALS.includes(status) ? status : 503,
  };
}

/**
 * `operation_id` is told by the address already; a filter that nothing filled in narrows nothing. The format names members
 * beside it, the field's runner reads them from `body`: both count.
 */
export function expectationOf(step: Step, filter: JsonObject): WebhookExpectation {
  const { operation_id: _, body, ...narrowing } = filter;
  return {
    task: step.task as WebhookTask,
    filter: { ...narrowing, ...(isObject(body) ? body : {}) },
    atLeast: (refusalsOf(step)?.count ?? 0) + 1,
    wholeWindow: step.more.expect_max_deliveries_per_logical_event !== undefined,
  };
}

export function matching(
  expectation: WebhookExpectation,
  deliveries: readonly HeardWebhook[],
): readonly HeardWebhook[] {
  return deliveries.filter(({ body }) =>
    Object.entries(expectation.filter).every(([place, value]) =>
      isDeepStrictEqual(place.split('.').reduce<unknown>(member, body), value),
    ),
  );
}

const WINDOW_MS = 30_000;
/** A sender that was refused waits longer before each further try. */
const RETRY_WINDOW_MS = 90_000;
const LONGEST_WINDOW_MS = 300_000;

/** How long a step waits for deliveries, or for another answer, by the contract of the field; milliseconds. */
export function windowOf({ task, timeoutMs }: Pick<Step, 'task' | 'timeoutMs'>): number {
  const usual = task === 'expect_webhook_retry_keys_stable' ? RETRY_WINDOW_MS : WINDOW_MS;
  return Math.min(timeoutMs ?? usual, LONGEST_WINDOW_MS);
}
