import { setImmediate as nextTurn } from 'node:timers/promises';
import { retryAfterMs, shortText } from '../domain/text.ts';
import {
  CallFailure,
  failureOfFetch,
  failureOfProtocol,
  failureOfStatus,
  fetchFailureIn,
  mediaTypeOf,
  SNIPPET_BYTES,
  wordsIn,
} from './failure.ts';
import { EVENTS_A_TURN, MAX_EVENTS } from './limits.ts';

/** How many bytes may still be read; shared by all answers that one bound covers. */
export interface ByteBudget {
  left: number;
}

const LF = 0x0a;
const CR = 0x0d;

interface BodyObserver {
  /** Gets each chunk as it came, and how many events end in it; an error that it returns breaks the body off. */
  onChunk(chunk: Uint8Array, events: number): Error | undefined;
  /** Gets the error with which the body broke off. */
  onError(error: unknown): void;
  /** A stream of events has ended, and its readers have seen all of it. */
  onEventsEnd(): void;
}

/** One running call: its deadline, its byte budget, and the network's errors underneath the SDK. */
export interface RunningCall {
  /** Aborted at the deadline, at the end of the visit, or when the budget is spent. */
  readonly signal: AbortSignal;
  /** Never resolves; rejects with the failure that ended the call from outside. */
  readonly ended: Promise<never>;
  /** The status of the latest answer, where there was one. */
  readonly status: number | undefined;
  /** Its media type, where it has one. */
  readonly contentType: string | undefined;
  /** Takes a chunk of an answer off the budget and keeps it where that was asked for; the failure when it is too much. */
  count(chunk: Uint8Array, events: number): CallFailure | undefined;
  /** What was kept, read as UTF-8. */
  keptText(): string;
  /** Notes the head of an answer. */
  sawHead(response: Response): void;
  /** Notes that a request failed; the reason is found again however an SDK wraps it. */
  sawError(error: unknown): void;
  /** A stream of events is over: ends the call, unless it `streamMayEnd`. `forGood`: in any case. */
  sawEventsEnd(forGood?: boolean): void;
  /** The reason to give when the time is over. */
  lateBecause(reason: string): void;
  /** The answer has come, or the client resumes the stream (MCP, "Resumability and Redelivery"). */
  streamMayEnd(): void;
  /** Why the call failed, given what was thrown. */
  verdict(thrown: unknown): CallFailure;
  close(): void;
}

interface CallBounds {
  readonly budget: ByteBudget;
  readonly keep: boolean;
  /** Epoch milliseconds, for a Retry-After. */
  readonly now: () => number;
  /** Takes the tokens out of the agent's words. */
  readonly redact: (text: string) => string;
}

/** Starts the clock of one call inside a visit. */
export function startCall(
  visit: AbortSignal,
  callMs: number,
  { budget, keep, now, redact }: CallBounds,
): RunningCall {
  const controller = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => undefined); // the race may be over when the deadline comes
  let cause: CallFailure | undefined;
  let head: Response | undefined;
  let mayEnd = false;
  let snippet = Buffer.alloc(0);
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
  const onVisitEnd = () => void end(new CallFailure('timeout', 'the time limit of the visit was reached'));
  let late = 'no answer';
  const timer = setTimeout(() => end(new CallFailure('timeout', `${late} within ${callMs} ms`)), callMs);
  const typeOf = (response: Response | undefined) =>
    mediaTypeOf(response?.headers.get('content-type') ?? null);

  function failureOfHead(response: Response): CallFailure {
    const challenge = shortText(response.headers.get('www-authenticate'), 500);
    const contentType = typeOf(response);
    const words = wordsIn(redact(snippet.toString()), contentType);
    const facts = {
      ...(challenge !== undefined && { challenge }),
      ...(contentType !== undefined && { contentType }),
      ...(words !== undefined && { words }),
    };
    return failureOfStatus(response.status, facts, retryAfterMs(response.headers.get('retry-after'), now()));
  }
  visit.addEventListener('abort', onVisitEnd, { once: true });
  if (visit.aborted) onVisitEnd();

  return {
    signal: controller.signal,
    ended,
    get status() {
      return head?.status;
    },
    get contentType() {
      return typeOf(head);
    },
    count(chunk, events) {
      budget.left -= chunk.byteLength;
      eventsLeft -= events;
      if (eventsLeft < 0)
        return end(new CallFailure('too_large', `the stream has more than ${MAX_EVENTS} events`));
      if (budget.left < 0)
        return end(new CallFailure('too_large', `the answer is larger than the limit of ${inBytes(most)}`));
      if (keep) chunks.push(chunk);
      if (head !== undefined && head.status >= 300 && snippet.length < SNIPPET_BYTES)
        snippet = Buffer.concat([snippet, chunk.subarray(0, SNIPPET_BYTES - snippet.length)]);
      return undefined;
    },
    keptText: () => Buffer.concat(chunks).toString(),
    sawHead(response) {
      head = response;
      snippet = Buffer.alloc(0);
    },
    sawError: (error) => {
      requestError = error;
    },
    sawEventsEnd(forGood = false) {
      if (mayEnd && !forGood) return;
      const broken = fetchFailureIn(requestError);
      const contentType = 'text/event-stream';
      const ended = new CallFailure('not_protocol', 'the stream ended without an answer', { contentType });
      end(broken === undefined ? ended : failureOfFetch(broken));
    },
    lateBecause(reason) {
      late = `${reason}: no result`;
    },
    streamMayEnd() {
      mayEnd = true;
    },
    verdict(thrown) {
      if (cause !== undefined) return cause;
      if (thrown instanceof CallFailure) return thrown;
      const fetched = fetchFailureIn(requestError) ?? fetchFailureIn(thrown);
      if (fetched !== undefined) return failureOfFetch(fetched);
      return head !== undefined && head.status >= 300
        ? failureOfHead(head)
        : failureOfProtocol(thrown, typeOf(head));
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
  if (from < chunk.length || chunk.length === 0) controller.enqueue(chunk.subarray(from));
}

/**
 * Writes every line end of a stream as LF, at once: a parser that waits for the LF after a CR at the end of a chunk never
 * sees the last event of a stream with CR alone. UTF-8 has neither byte inside a character.
 */
function createLineEnds(): (chunk: Uint8Array) => Uint8Array {
  let afterCr = false;
  return (chunk) => {
    if (!afterCr && !chunk.includes(CR)) return chunk;
    const clean = new Uint8Array(chunk.length);
    let length = 0;
    for (const byte of chunk) {
      if (!(byte === LF && afterCr)) clean[length++] = byte === CR ? LF : byte;
      afterCr = byte === CR;
    }
    return clean.subarray(0, length);
  };
}

/** Finds the blank lines of a stream, each of which ends an event (WHATWG HTML, 9.2.6). */
function createEventEnds(): (chunk: Uint8Array) => readonly number[] {
  let isBlank = true;
  return (chunk) => {
    const ends: number[] = [];
    for (const [at, byte] of chunk.entries()) {
      if (byte === LF && isBlank) ends.push(at + 1);
      isBlank = byte === LF;
    }
    return ends;
  };
}

function inBytes(bytes: number): string {
  return bytes % 1_024 === 0 ? `${(bytes / 1_024).toLocaleString('en-GB')} KiB` : `${bytes} bytes`;
}

/**
 * The same response with an observer of its body. A stream that outlives its call (HTTP+SSE) can so be counted against the
 * call it answers, and the reason of a broken one is known however an SDK wraps it. Streams of events are passed on with LF
 * as their only line end.
 */
export function observeBody(response: Response, observer: BodyObserver): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const isEvents = mediaTypeOf(response.headers.get('content-type')) === 'text/event-stream';
  const withLf = isEvents ? createLineEnds() : (chunk: Uint8Array) => chunk;
  const eventEnds = isEvents ? createEventEnds() : () => [];
  const over = async () => {
    // the SDKs read on in microtasks: after two turns they have seen the last event
    await nextTurn();
    await nextTurn();
    observer.onEventsEnd();
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          if (isEvents) void over();
          return;
        }
        const clean = withLf(value);
        const ends = eventEnds(clean);
        const excess = observer.onChunk(value, ends.length);
        // a lone LF after a CR is dropped, but an empty chunk makes the stream pull again
        if (excess === undefined) return await handOn(clean, ends, controller);
        controller.error(excess);
        await reader.cancel(excess);
      } catch (error) {
        observer.onError(error);
        controller.error(error);
        if (isEvents) void over();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
