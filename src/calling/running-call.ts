import { setImmediate as nextTurn } from 'node:timers/promises';
import { shortText } from '../domain/text.ts';
import {
  CallFailure,
  failureOfFetch,
  failureOfProtocol,
  failureOfStatus,
  fetchFailureIn,
} from './failure.ts';
import { EVENTS_A_TURN, MAX_EVENTS } from './limits.ts';

/** How many bytes may still be read; shared by all answers that one bound covers. */
export interface ByteBudget {
  left: number;
}

const LF = 0x0a;
const CR = 0x0d;

interface BodyObserver {
  /** Is shown each chunk, with the events that end in it; the body breaks off with the error that it gives back. */
  onChunk(chunk: Uint8Array, events: number): Error | undefined;
  /** Is told why the body broke off underneath. */
  onError(error: unknown): void;
}

/** One call on its way: its deadline, its byte budget, and what the network said underneath the SDK. */
export interface RunningCall {
  /** Aborted at the deadline, at the end of the visit, or when the budget is spent. */
  readonly signal: AbortSignal;
  /** Never resolves; rejects with the failure that ended the call from outside. */
  readonly ended: Promise<never>;
  /** The status of the latest answer, where there was one. */
  readonly status: number | undefined;
  /** Takes a chunk of an answer off the budget and keeps it where that was asked for; the failure when it is too much. */
  count(chunk: Uint8Array, events: number): CallFailure | undefined;
  /** What was kept, read as UTF-8. */
  keptText(): string;
  /** Notes the head of an answer. */
  sawHead(response: Response): void;
  /** Notes that a request failed; the reason is found again however an SDK wraps it. */
  sawError(error: unknown): void;
  /** Why the call failed, given what was thrown. */
  verdict(thrown: unknown): CallFailure;
  close(): void;
}

/** Starts the clock of one call inside a visit. */
export function startCall(
  visit: AbortSignal,
  callMs: number,
  { budget, keep }: { readonly budget: ByteBudget; readonly keep: boolean },
): RunningCall {
  const controller = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => undefined); // the race may be over when the deadline comes
  let cause: CallFailure | undefined;
  let status: number | undefined;
  let challenge: string | undefined;
  const chunks: Uint8Array[] = [];
  const most = budget.left;
  let requestError: unknown;
  let eventsLeft = MAX_EVENTS;

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
    count(chunk, events) {
      budget.left -= chunk.byteLength;
      eventsLeft -= events;
      if (eventsLeft < 0)
        return end(new CallFailure('too_large', `the stream has more than ${MAX_EVENTS} events`));
      if (budget.left < 0)
        return end(new CallFailure('too_large', `the answer is larger than allowed, ${inBytes(most)}`));
      if (keep) chunks.push(chunk);
      return undefined;
    },
    keptText: () => Buffer.concat(chunks).toString(),
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

/** In parts: what is read of one part is done before the loop turns, and the next waits for that. */
async function handOn(
  chunk: Uint8Array,
  eventEnds: readonly number[],
  controller: ReadableStreamDefaultController<Uint8Array>,
): Promise<void> {
  let from = 0;
  for (let event = EVENTS_A_TURN - 1; event < eventEnds.length; event += EVENTS_A_TURN) {
    const to = eventEnds[event] ?? chunk.length;
    controller.enqueue(chunk.subarray(from, to));
    from = to;
    await nextTurn();
  }
  if (from < chunk.length) controller.enqueue(chunk.subarray(from));
}

/** Finds the blank lines of a stream, each of which ends an event (WHATWG HTML, 9.2.6). */
function createEventEnds(): (chunk: Uint8Array) => readonly number[] {
  let [before, isBlank] = [0, true];
  return (chunk) => {
    const ends: number[] = [];
    for (const [at, byte] of chunk.entries()) {
      const isSame = byte === LF && before === CR;
      const isEnd = byte === LF || byte === CR;
      if (isEnd && isBlank && !isSame) ends.push(at + 1);
      if (!isSame) isBlank = isEnd;
      before = byte;
    }
    return ends;
  };
}

function inBytes(bytes: number): string {
  return bytes % 1_024 === 0 ? `${(bytes / 1_024).toLocaleString('en-GB')} KiB` : `${bytes} bytes`;
}

/**
 * The same response with a listener to its body as it comes. A stream that outlives its call (HTTP+SSE) can so be
 * counted against the call it answers, and the reason of a broken one is known however an SDK wraps it.
 */
export function observeBody(response: Response, listener: BodyObserver): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const isEvents = /^text\/event-stream/i.test(response.headers.get('content-type') ?? '');
  const eventEnds = isEvents ? createEventEnds() : () => [];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const ends = eventEnds(value);
        const excess = listener.onChunk(value, ends.length);
        if (excess === undefined) return await handOn(value, ends, controller);
        controller.error(excess);
        await reader.cancel(excess);
      } catch (error) {
        listener.onError(error);
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
