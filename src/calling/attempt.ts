import { shortText } from '../domain/text.ts';
import type { ByteBudget } from './byte-budget.ts';
import {
  CallFailure,
  failureOfFetch,
  failureOfProtocol,
  failureOfStatus,
  fetchFailureIn,
} from './failure.ts';

/** One call on its way: its deadline, its byte budget, and what the network said underneath the SDK. */
export interface Attempt {
  /** Aborted at the deadline, at the end of the visit, or when the budget is spent. */
  readonly signal: AbortSignal;
  /** Never resolves; rejects with the failure that ended the call from outside. */
  readonly ended: Promise<never>;
  /** The status of the latest answer, where there was one. */
  readonly status: number | undefined;
  /** Takes a chunk of an answer off the budget and keeps it where that was asked for; the failure when it is too much. */
  hear(chunk: Uint8Array): CallFailure | undefined;
  /** What was kept, read as UTF-8. */
  heard(): string;
  /** Notes the head of an answer. */
  sawHead(response: Response): void;
  /** Notes that a request failed; the reason is found again however an SDK wraps it. */
  sawError(error: unknown): void;
  /** Why the call failed, given what was thrown. */
  verdict(thrown: unknown): CallFailure;
  close(): void;
}

/** Starts the clock of one call inside a visit. */
export function openAttempt(
  visit: AbortSignal,
  callMs: number,
  { budget, keep }: { readonly budget: ByteBudget; readonly keep: boolean },
): Attempt {
  const controller = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => undefined); // the race may be over when the deadline comes
  let cause: CallFailure | undefined;
  let status: number | undefined;
  let challenge: string | undefined;
  const chunks: Uint8Array[] = [];
  const most = budget.left;
  let requestError: unknown;

  function end(failure: CallFailure): CallFailure {
    cause ??= failure;
    reject(cause);
    controller.abort();
    return cause;
  }
  const onVisitEnd = () => void end(new CallFailure('timeout', 'the time for the whole visit is over'));
  const timer = setTimeout(() => end(new CallFailure('timeout', `no answer within ${callMs} ms`)), callMs);
  visit.addEventListener('abort', onVisitEnd, { once: true });
  if (visit.aborted) onVisitEnd();

  return {
    signal: controller.signal,
    ended,
    get status() {
      return status;
    },
    hear(chunk) {
      budget.left -= chunk.byteLength;
      if (budget.left < 0)
        return end(new CallFailure('too_large', `the answer is larger than allowed, ${inBytes(most)}`));
      if (keep) chunks.push(chunk);
      return undefined;
    },
    heard: () => Buffer.concat(chunks).toString(),
    sawHead(response) {
      status = response.status;
      challenge = shortText(response.headers.get('www-authenticate'), 500);
    },
    sawError: (error) => {
      requestError = error;
    },
    verdict(thrown) {
      if (cause !== undefined) return cause;
      if (thrown instanceof CallFailure) return thrown;
      const fetched = fetchFailureIn(requestError) ?? fetchFailureIn(thrown);
      if (fetched !== undefined) return failureOfFetch(fetched);
      return status !== undefined && status >= 300
        ? failureOfStatus(status, challenge)
        : failureOfProtocol(thrown);
    },
    close() {
      clearTimeout(timer);
      visit.removeEventListener('abort', onVisitEnd);
    },
  };
}

function inBytes(bytes: number): string {
  return bytes % 1_024 === 0 ? `${(bytes / 1_024).toLocaleString('en-GB')} KiB` : `${bytes} bytes`;
}
