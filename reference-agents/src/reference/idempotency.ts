import { payloadHash } from '@agent-registry/surface/agent-kit';
import { isSteady } from './agent-time.ts';
import { eachDue } from './each-due.ts';
import { refuse, type TaskCall } from './handler.ts';

/** How long the answer to a key is kept for whoever asks again, as the capabilities say. Seconds. */
export const REPLAY_TTL_SECONDS = 86_400;

/**
 * So many times as long a key is remembered: it is refused when it is too old, and does not make a second effect. One
 * that was forgotten is a new one.
 */
const REMEMBERED_FOR = 7;

/** What is kept of a key: what it was used for, and the answer. */
interface UsedKey {
  /** SHA-256 over the canonical form of the payload. */
  readonly payload: string;
  readonly at: number;
  readonly response: object;
}

const COLLECTION = 'idempotency_keys';

/** The keys of one caller for one task of one agent: nobody else's key is ever compared with them. */
export interface KeyScope {
  readonly call: TaskCall;
  readonly task: string;
  readonly key: string;
  readonly payload: object;
}

/**
 * The answer that this key had before, or undefined for a new key. Refuses the same key with another payload
 * (`IDEMPOTENCY_CONFLICT`) and a key whose time is over (`IDEMPOTENCY_EXPIRED`).
 */
export function earlierAnswer({ call, task, key, payload }: KeyScope): object | undefined {
  const used = keysOf(call).get(placeOf(task, key));
  if (used === undefined) return undefined;
  if (call.now >= used.at + REPLAY_TTL_SECONDS * 1_000) {
    return refuse(
      'IDEMPOTENCY_EXPIRED',
      'the key has been used, and its response is no longer stored',
      '/idempotency_key',
      'check whether the first call succeeded, then use a new key',
    );
  }
  if (used.payload === payloadHash(payload)) return used.response;
  return refuse(
    'IDEMPOTENCY_CONFLICT',
    'the key has been used with a different payload',
    '/idempotency_key',
    'repeat the original payload, or use a new key',
  );
}

/** Keeps the answer to a key, in the transaction of its effect. */
export function rememberAnswer({ call, task, key, payload }: KeyScope, response: object): void {
  const forgottenAt = call.now + REPLAY_TTL_SECONDS * 1_000 * REMEMBERED_FOR;
  const used: UsedKey = { payload: payloadHash(payload), at: call.now, response };
  keysOf(call).put(placeOf(task, key), used, forgottenAt);
}

/**
 * Forgets keys whose time has been over for long, at most `limit`; gives how many. None soon after the clock jumped
 * ahead: when it is set right again, a repeated request would have a second effect.
 */
export function forgetKeys({ agent, now }: Pick<TaskCall, 'agent' | 'now'>, limit: number): number {
  if (!isSteady(agent.state, now)) return 0;
  return eachDue<UsedKey>(agent.state, COLLECTION, { now, limit }, ({ owner, key }) => {
    agent.state.collection(COLLECTION, owner).delete(key);
  });
}

function keysOf(call: TaskCall) {
  return call.agent.state.collection<UsedKey>(COLLECTION, call.caller.id);
}

function placeOf(task: string, key: string): string {
  return `${task} ${key}`;
}
