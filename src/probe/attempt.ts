import type { ByteBudget } from './byte-budget.ts';
import {
  failureOfFetch,
  failureOfProtocol,
  failureOfStatus,
  fetchFailureIn,
  ProbeFailure,
} from './failure.ts';

/** One call on its way: its deadline, its byte budget, and what the network said underneath the SDK. */
export interface Attempt {
  /** Aborted at the deadline, at the end of the visit, or when the budget is spent. */
  readonly signal: AbortSignal;
  /** Never resolves; rejects with the failure that ended the call from outside. */
  readonly ended: Promise<never>;
  /** Takes bytes off the budget; the failure when there are not enough. */
  spend(bytes: number): ProbeFailure | undefined;
  /** Notes the status of an answer. */
  sawStatus(status: number): void;
  /** Notes that a request failed; the reason is found again however an SDK wraps it. */
  sawError(error: unknown): void;
  /** Why the call failed, given what was thrown. */
  verdict(thrown: unknown): ProbeFailure;
  close(): void;
}

/** Starts the clock of one call inside a visit. */
export function openAttempt(visit: AbortSignal, callMs: number, budget: ByteBudget): Attempt {
  const controller = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => undefined); // the race may be over when the deadline comes
  let cause: ProbeFailure | undefined;
  let status = 200;
  let requestError: unknown;

  function end(failure: ProbeFailure): ProbeFailure {
    cause ??= failure;
    reject(cause);
    controller.abort();
    return cause;
  }
  const onVisitEnd = () => void end(new ProbeFailure('timeout', 'the time for the whole probe is over'));
  const timer = setTimeout(() => end(new ProbeFailure('timeout', `no answer within ${callMs} ms`)), callMs);
  visit.addEventListener('abort', onVisitEnd, { once: true });
  if (visit.aborted) onVisitEnd();

  return {
    signal: controller.signal,
    ended,
    spend(bytes) {
      budget.left -= bytes;
      return budget.left < 0
        ? end(new ProbeFailure('too_large', 'the answer is larger than allowed'))
        : undefined;
    },
    sawStatus: (seen) => {
      status = seen;
    },
    sawError: (error) => {
      requestError = error;
    },
    verdict(thrown) {
      if (cause !== undefined) return cause;
      if (thrown instanceof ProbeFailure) return thrown;
      const fetched = fetchFailureIn(requestError) ?? fetchFailureIn(thrown);
      if (fetched !== undefined) return failureOfFetch(fetched);
      return status >= 300 ? failureOfStatus(status) : failureOfProtocol(thrown);
    },
    close() {
      clearTimeout(timer);
      visit.removeEventListener('abort', onVisitEnd);
    },
  };
}
