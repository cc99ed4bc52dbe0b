import type { AgentState } from '../records/sqlite/agent-state.ts';
import { hasEnded, holderName } from '../this-process.ts';
import type { Delivery, DeliveryState } from './delivery.ts';
import { type Outbox, openOutbox } from './outbox.ts';
import { hasCome, nextTry, RETRIES } from './schedule.ts';
import type { DeliveryAnswer } from './send.ts';

/** Start and end of an attempt. If the process is killed in between, the attempt is repeated. */
export interface Attempts {
  /**
   * Leases a due delivery for `leaseMs` and counts the attempt; undefined if it is no longer due, or has to wait for an
   * earlier one of its partition.
   */
  take(due: Delivery, now: number, leaseMs: number): Delivery | undefined;
  /** Stores the result of the attempt; undefined if another process has leased or settled it in the meantime. */
  settle(taken: Delivery, answer: DeliveryAnswer, now: number): Settled | undefined;
  /** Releases the leases of processes that have ended on this machine. */
  recover(now: number): void;
  /** Releases it without counting the attempt. */
  release(taken: Delivery, now: number): void;
}

export interface Settled {
  readonly id: string;
  readonly url: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly status?: number;
  readonly reason?: string;
  /** Epoch milliseconds; of a pending one. */
  readonly dueAt?: number;
}

export function openAttempts(state: AgentState, random: () => number): Attempts {
  const outbox = openOutbox(state);
  return {
    take: (due, now, leaseMs) => state.transaction(() => take(outbox, due, now, leaseMs)),
    settle: (taken, answer, now) => state.transaction(() => settle(outbox, taken, answer, random(), now)),
    recover(now) {
      const left = () => outbox.pending().filter(({ takenBy }) => takenBy !== undefined && hasEnded(takenBy));
      if (left().length === 0) return;
      state.transaction(() => {
        for (const delivery of left()) outbox.put({ ...free(delivery), dueAt: now });
      });
    },
    release: (taken, now) =>
      state.transaction(() => {
        const current = stillOurs(outbox, taken);
        if (current !== undefined)
          outbox.put({ ...free(current), attempts: current.attempts - 1, dueAt: now });
      }),
  };
}

function take(outbox: Outbox, due: Delivery, now: number, leaseMs: number): Delivery | undefined {
  const current = outbox.partition(due).get(due.id);
  if (current?.dueAt === undefined || !hasCome(current.dueAt, now)) return undefined;
  const head = outbox.head(current);
  if (head !== undefined && head.id !== current.id) {
    // an earlier one has come back from the dead letters
    const { dueAt: _due, ...waiting } = current;
    outbox.put(waiting);
    return undefined;
  }
  if (current.attempts >= RETRIES.tries) {
    // every attempt ended with its process, so none was settled
    outbox.finish({ ...current, lastError: `stopped after ${current.attempts} attempts` }, 'dead', now);
    return undefined;
  }
  const taken: Delivery = {
    ...current,
    attempts: current.attempts + 1,
    fence: current.fence + 1,
    firstAttemptAt: current.firstAttemptAt ?? now,
    lastAttemptAt: now,
    dueAt: now + leaseMs,
    takenUntil: now + leaseMs,
    takenBy: holderName(),
  };
  outbox.put(taken);
  return taken;
}

function settle(
  outbox: Outbox,
  taken: Delivery,
  answer: DeliveryAnswer,
  random: number,
  now: number,
): Settled | undefined {
  const current = stillOurs(outbox, taken) ?? arrived(outbox, taken, answer);
  if (current === undefined) return undefined;
  const tried = withResult(free(current), answer);
  if (answer.kind === 'delivered') return finish(outbox, tried, 'delivered', now);
  if (answer.kind === 'ended') {
    const others = outbox.pending().filter(({ url, id }) => url === taken.url && id !== taken.id);
    for (const other of others)
      outbox.finish({ ...other, lastError: `${answer.reason} to ${taken.id}` }, 'ended', now);
    return finish(outbox, tried, 'ended', now);
  }
  if (answer.kind === 'never') return finish(outbox, tried, 'dead', now);
  const next = nextTry(tried, answer, random, now);
  if ('dead' in next) return finish(outbox, { ...tried, lastError: next.dead }, 'dead', now);
  const waiting = { ...tried, dueAt: next.at };
  outbox.put(waiting);
  return told(waiting, 'pending');
}

function stillOurs(outbox: Outbox, taken: Delivery): Delivery | undefined {
  const current = outbox.partition(taken).get(taken.id);
  return current?.fence === taken.fence ? current : undefined;
}

/** It was delivered, even if another process has leased it since. */
function arrived(outbox: Outbox, taken: Delivery, answer: DeliveryAnswer): Delivery | undefined {
  return answer.kind === 'delivered' ? outbox.partition(taken).get(taken.id) : undefined;
}

function finish(
  outbox: Outbox,
  delivery: Delivery,
  state: Exclude<DeliveryState, 'pending'>,
  now: number,
): Settled {
  outbox.finish(delivery, state, now);
  return told(delivery, state);
}

function free({ takenUntil: _taken, takenBy: _holder, dueAt: _due, ...rest }: Delivery): Delivery {
  return rest;
}

function withResult(delivery: Delivery, answer: DeliveryAnswer): Delivery {
  const { lastStatus: _status, lastError: _error, ...rest } = delivery;
  return {
    ...rest,
    ...(answer.kind === 'refused' && { refusals: (delivery.refusals ?? 0) + 1 }),
    ...('status' in answer && answer.status !== undefined && { lastStatus: answer.status }),
    ...('reason' in answer && { lastError: answer.reason }),
  };
}

function told(delivery: Delivery, state: DeliveryState): Settled {
  const { id, url, attempts, lastStatus, lastError, dueAt } = delivery;
  return {
    id,
    url,
    state,
    attempts,
    ...(lastStatus !== undefined && { status: lastStatus }),
    ...(lastError !== undefined && { reason: lastError }),
    ...(dueAt !== undefined && state === 'pending' && { dueAt }),
  };
}
