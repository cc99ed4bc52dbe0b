import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../checks/answers.ts';
import type { CallOutcome, OutgoingCall } from '../conversation/conversation.ts';
import type { Context } from '../run/context.ts';
import type { RunState } from '../run/run-state.ts';
import type { ParallelDispatch } from '../storyboard.ts';

const IN_FLIGHT = 'IDEMPOTENCY_IN_FLIGHT';
const MAX_RETRIES = 10;
/** Where the agent does not say when to ask again. */
const RETRY_MS = 1_000;

/**
 * Sends the request of a step several times at once, each over a connection of its own; one after the other where there is
 * only one connection. A request that is in flight is repeated when the agent says so, until it has an answer.
 */
export async function dispatchAtOnce(
  state: RunState,
  call: OutgoingCall,
  { count, sameKey }: ParallelDispatch,
  { uuid }: Context,
): Promise<readonly CallOutcome[]> {
  const { conversation } = state;
  const release = await conversation.openLanes?.(call.auth, count);
  const calls = Array.from({ length: count }, (_, lane): OutgoingCall => {
    const key = lane === 0 ? call.key : `${call.key}#${lane + 1}`;
    const own = { idempotency_key: uuid(`dispatch ${key}`) };
    return {
      ...call,
      key,
      ...(!sameKey && { payload: { ...call.payload, ...own } }),
      ...(release && { lane }),
    };
  });
  try {
    if (release !== undefined) return await Promise.all(calls.map((one) => resolved(state, one)));
    const outcomes: CallOutcome[] = [];
    for (const one of calls) outcomes.push(await resolved(state, one));
    return outcomes;
  } finally {
    await release?.();
  }
}

async function resolved(state: RunState, call: OutgoingCall): Promise<CallOutcome> {
  const { conversation, clock, waits, endsAt } = state;
  const until = Math.min(endsAt, clock.now() + call.callMs);
  let outcome = await conversation.call(call);
  for (let retry = 1; retry <= MAX_RETRIES && codeOf(outcome.answer) === IN_FLIGHT; retry += 1) {
    const left = until - clock.now();
    if (left <= 0) break;
    // a saved run has the answers already
    if (waits !== undefined) await pause(Math.min(retryMsOf(outcome), left));
    outcome = await conversation.call({ ...call, key: `${call.key}/retry-${retry}` });
  }
  return outcome;
}

function retryMsOf({ answer }: CallOutcome): number {
  const seconds = answer.outcome === 'refused' ? answer.error.retryAfter : undefined;
  return seconds === undefined || seconds < 0 ? RETRY_MS : seconds * 1_000;
}
