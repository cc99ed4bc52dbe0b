import { isObject, type JsonObject } from '../../base/json.ts';
import { isMutating, TEST_CONTROLLER } from '../conversation/may-run-step.ts';
import type { Step } from '../storyboard.ts';
import { type Placeholder, placeholdersIn } from '../storyboards/placeholders.ts';
import { type Context, fill, type RunValues } from './context.ts';

/** The request of a step, or what it refers to and nobody provided. */
export interface BuiltRequest {
  readonly payload: JsonObject;
  readonly missing: readonly Placeholder[];
}

/**
 * The request of a step: placeholders filled, a fresh idempotency key, and the sandbox named wherever a task that
 * changes something names an account.
 */
export function buildRequest(step: Step, label: string, context: Context, run: RunValues): BuiltRequest {
  const { value, missing } = fill(step.request, context, run);
  const filled = value as JsonObject;
  const keyed = withKey(step, filled, label, context);
  return { payload: isMutating(step.task) ? inSandbox(keyed) : keyed, missing };
}

/**
 * A key that stands in the file is the same in every run, and the second run would be a replay of the first: it becomes
 * another one, the same for the same text, so that a storyboard can repeat a request on purpose.
 */
function withKey(step: Step, payload: JsonObject, label: string, context: Context): JsonObject {
  if (step.omitKey) {
    const { idempotency_key: _, ...rest } = payload;
    return rest;
  }
  const written = step.request.idempotency_key;
  if (written === undefined)
    return isMutating(step.task) && step.task !== TEST_CONTROLLER
      ? { ...payload, idempotency_key: context.uuid(`step ${label}`) }
      : payload;
  const fixed = typeof written === 'string' && written !== '' && placeholdersIn(written).length === 0;
  return fixed ? { ...payload, idempotency_key: context.uuid(`key ${written}`) } : payload;
}

/** An account that says nothing of it is the sandbox one, so that nothing real is touched. */
function inSandbox(payload: JsonObject): JsonObject {
  const { account, accounts } = payload;
  return {
    ...payload,
    ...(isObject(account) && { account: sandboxed(account) }),
    ...(Array.isArray(accounts) && {
      accounts: accounts.map((one) => (isObject(one) ? sandboxed(one) : one)),
    }),
  };
}

function sandboxed(account: JsonObject): JsonObject {
  return Object.hasOwn(account, 'sandbox') ? account : { ...account, sandbox: true };
}
