import { pause as wait } from '../base/back-off.ts';
import { createRedact, type Redact } from '../base/redact.ts';
import type { Finding } from '../domain/finding.ts';
import type { ProbeStep } from '../domain/observation.ts';
import type { ProvenOrigin } from '../domain/proven-origin.ts';
import { retryAfterMs } from '../domain/text.ts';
import type { Clock } from '../ports/clock.ts';
import type { GuardedFetch, Visit } from '../ports/fetcher.ts';
import { CallFailure, inFull } from './failure.ts';
import { ANSWER_BYTES, CALL_MS, MAX_REQUESTS } from './limits.ts';
import { type ByteBudget, observeBody, type RunningCall, startCall } from './running-call.ts';

/** Waits for so many milliseconds, or until the signal. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

export interface SessionOptions {
  /** The agent's URL as declared: what is dialled. */
  readonly url: URL;
  readonly visit: Visit;
  /** That of the visit, for what a card says; absent where the visit only reads. */
  readonly origin?: ProvenOrigin;
  readonly clock: Clock;
  /** One call, milliseconds. Default 10,000. */
  readonly callMs?: number;
  /** Bearer token, sent to the agent's own origin only. */
  readonly auth?: string;
  /** Put around the guarded fetch for every request, a signing one for example. */
  readonly wrap?: (fetch: GuardedFetch) => GuardedFetch;
  /** Default 100. */
  readonly maxRequests?: number;
  /** Between two tries, and before an unfinished task is looked at again. Default: a timer. */
  readonly pause?: Pause;
}

/** Settings of one step. */
export interface StepOptions<T = unknown> {
  /** What is wrong with a result, for the record of the step; default: nothing. */
  readonly fault?: (result: T) => string | undefined;
  /** Default: 1 MiB of its own. */
  readonly budget?: ByteBudget;
  /** Milliseconds; default: the session's. */
  readonly callMs?: number;
  /** Another bearer token than the session's; null for none. */
  readonly auth?: string | null;
  /** Keeps the bytes of the answer, for `raw`. */
  readonly keep?: boolean;
}

/** The outcome of one step. */
export interface Exchange<T> {
  readonly result: T | CallFailure;
  /** The HTTP status of the last answer; absent when none came. */
  readonly status?: number;
  /** Its media type. */
  readonly contentType?: string;
  /** Whole milliseconds. */
  readonly durationMs: number;
  /** The body as it came, empty unless it was to be kept. */
  readonly raw: string;
}

/** Later than this we look again anyway. */
const MAX_WAIT_MS = 24 * 3_600_000;
/** An agent that asks for a longer pause than this is not asked again in the same visit, milliseconds. */
const MAX_RETRY_MS = 60_000;

/** One visit to one agent: every request and every step of it goes through here, one call after the other. */
export interface CallSession {
  readonly url: URL;
  /** Nothing leaves it; absent where the visit only reads. */
  readonly origin: ProvenOrigin | undefined;
  /** Epoch milliseconds. */
  readonly openedAt: number;
  /** The guarded fetch with credentials, byte budget and a bound on the number of requests. */
  readonly fetch: GuardedFetch;
  readonly steps: readonly ProbeStep[];
  readonly findings: FindingList;
  /** The first failure of a step at this URL. */
  failureAt(url: string): CallFailure | undefined;
  /** The latest Retry-After of a 429 or 503, epoch milliseconds. */
  readonly retryAt: number | undefined;
  /** Takes the tokens that this session has sent out of what the agent says. */
  readonly redact: Redact;
  /** Runs one step with its deadline and byte budget, and records it. Never rejects. */
  exchange<T>(step: string, url: string, work: Work<T>, options?: StepOptions<T>): Promise<Exchange<T>>;
  /**
   * The same; resolves with the result and rejects with a CallFailure only. `repeatable`: run once more after a passing
   * trouble of the network.
   */
  call<T>(step: string, url: string, work: Work<T>, options?: CallStep): Promise<T>;
  /**
   * The one retry: runs `attempt`, and once more after the milliseconds that `retryInMs` finds in its outcome. Not when
   * the agent asks for more than 60 s or more than is left of the visit.
   */
  retryOnce<T>(
    attempt: () => Promise<T>,
    retryInMs: (outcome: T) => number | undefined,
  ): Promise<{ readonly outcome: T; readonly retried: boolean }>;
  /** A repeated `call` has failed again: the search for the right address tries the rest only once each. */
  readonly hasRetriedInVain: boolean;
  readonly pause: Pause;
  /** For the running step: the reason to give when its time is over; one sentence, lower case. */
  lateBecause(reason: string): void;
  /** For the running step: its answer has come, or its stream of events is resumed when it ends. */
  streamMayEnd(): void;
  /** For the running step: its stream of events has ended for good. */
  streamEnded(): void;
}

interface CallStep {
  readonly budget?: ByteBudget;
  readonly repeatable?: boolean;
}

type Work<T> = (signal: AbortSignal) => Promise<T>;

/** Opens the session of one visit. */
export function openSession(options: SessionOptions): CallSession {
  const { url, visit, origin, clock, callMs = CALL_MS, auth, maxRequests = MAX_REQUESTS } = options;
  const { pause = wait } = options;
  const guarded = options.wrap?.(visit.fetch) ?? visit.fetch;
  const steps: ProbeStep[] = [];
  const failures = new Map<string, CallFailure>();
  let attempt: RunningCall | undefined;
  const sent: string[] = auth === undefined ? [] : [auth];
  const redact = createRedact(sent);
  let token = auth;
  let requests = 0;
  let retryAt: number | undefined;
  let hasRetriedInVain = false;

  async function fetch(input: string | URL, init: RequestInit = {}): Promise<Response> {
    const during = attempt;
    requests += 1;
    if (requests > maxRequests)
      throw new CallFailure('too_large', `more than ${maxRequests} requests in one visit`);
    try {
      const response = await guarded(input, withToken(input, init));
      during?.sawHead(response);
      retryAt = askedToWait(response, clock.now()) ?? retryAt;
      // the standing stream of HTTP+SSE brings the answers of later calls as well
      const isStanding = (init.method ?? 'GET') === 'GET';
      const owner = () => (isStanding ? attempt : during);
      const isResumed = new Headers(init.headers).has('last-event-id');
      return observeBody(response, {
        onChunk: (chunk, events) => attempt?.count(chunk, events),
        onError: (error) => owner()?.sawError(error),
        onEventsEnd: () => isResumed || owner()?.sawEventsEnd(),
      });
    } catch (error) {
      during?.sawError(error);
      throw error;
    }
  }

  function withToken(input: string | URL, init: RequestInit): RequestInit {
    if (token === undefined || new URL(input).origin !== url.origin) return init;
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${token}`);
    return { ...init, headers };
  }

  async function exchange<T>(
    step: string,
    at: string,
    work: Work<T>,
    { budget = { left: ANSWER_BYTES }, callMs: limitMs = callMs, ...more }: StepOptions<T> = {},
  ): Promise<Exchange<T>> {
    if (typeof more.auth === 'string' && !sent.includes(more.auth)) sent.push(more.auth);
    const bounds = { budget, keep: more.keep === true, now: () => clock.now(), redact };
    const running = startCall(visit.signal, limitMs, bounds);
    const started = clock.now();
    attempt = running;
    token = more.auth === undefined ? auth : (more.auth ?? undefined);
    const result = await settled(work, running);
    running.close();
    token = auth;
    const durationMs = Math.max(0, Math.round(clock.now() - started));
    const fault = result instanceof CallFailure ? inFull(result) : more.fault?.(result);
    if (result instanceof CallFailure && !failures.has(at)) failures.set(at, result);
    const outcome = fault === undefined ? { ok: true } : { ok: false, detail: redact(fault) };
    steps.push({ step, url: at, durationMs, ...outcome });
    const { status, contentType } = running;
    return {
      ...{ result, durationMs, raw: running.keptText() },
      ...(status !== undefined && { status }),
      ...(contentType !== undefined && { contentType }),
    };
  }

  async function retryOnce<T>(attempt: () => Promise<T>, retryInMs: (outcome: T) => number | undefined) {
    const first = { outcome: await attempt(), retried: false };
    const waitMs = retryInMs(first.outcome);
    const leftMs = Math.min(MAX_RETRY_MS, visit.leftMs?.() ?? MAX_RETRY_MS);
    if (waitMs === undefined || waitMs > leftMs || visit.signal.aborted) return first;
    await pause(waitMs, visit.signal);
    return visit.signal.aborted ? first : { outcome: await attempt(), retried: true };
  }

  async function call<T>(step: string, at: string, work: Work<T>, { budget, repeatable }: CallStep = {}) {
    const bytes = budget?.left;
    const send = async () => {
      if (budget !== undefined && bytes !== undefined) budget.left = bytes;
      return (await exchange(step, at, work, budget && { budget })).result;
    };
    const { outcome, retried } = await retryOnce(send, (result) =>
      repeatable === true && result instanceof CallFailure ? result.facts.retryInMs : undefined,
    );
    if (!(outcome instanceof CallFailure)) {
      hasRetriedInVain = false;
      return outcome;
    }
    if (!retried) throw outcome;
    hasRetriedInVain = true;
    const { errorClass, message, facts } = outcome;
    throw new CallFailure(errorClass, message, { ...facts, retried });
  }

  return {
    url,
    origin,
    openedAt: clock.now(),
    fetch,
    steps,
    findings: createFindings(),
    failureAt: (at) => failures.get(at),
    redact,
    get retryAt() {
      return retryAt;
    },
    exchange,
    call,
    retryOnce,
    get hasRetriedInVain() {
      return hasRetriedInVain;
    },
    pause,
    lateBecause: (reason) => attempt?.lateBecause(reason),
    streamMayEnd: () => attempt?.streamMayEnd(),
    streamEnded: () => attempt?.sawEventsEnd(true),
  };
}

async function settled<T>(work: Work<T>, running: RunningCall): Promise<T | CallFailure> {
  try {
    return await Promise.race([work(running.signal), running.ended]);
  } catch (thrown) {
    return running.verdict(thrown);
  }
}

/** Until when an overloaded agent asked to be left alone, epoch milliseconds and at most a day away. */
function askedToWait({ status, headers }: Response, now: number): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const wait = retryAfterMs(headers.get('retry-after'), now);
  return wait === undefined || wait === 0 ? undefined : now + Math.min(wait, MAX_WAIT_MS);
}

/** More would tell nobody more, and a hostile list can hold a hundred thousand faults. */
const MAX_FINDINGS = 100;

/** The findings of one reading, bounded; the last one says that there were more. */
export interface FindingList {
  add(severity: Finding['severity'], code: string, pointer: string, message: string, hint?: string): void;
  list(): readonly Finding[];
}

/** An empty list. */
export function createFindings(): FindingList {
  const found: Finding[] = [];
  return {
    add(severity, code, pointer, message, hint) {
      if (found.length < MAX_FINDINGS) {
        found.push({ severity, code, pointer, message, ...(hint !== undefined && { hint }) });
      } else if (found.length === MAX_FINDINGS) {
        found.push({
          severity: 'warning',
          code: 'more_findings',
          pointer: '',
          message: 'further findings omitted',
        });
      }
    },
    list: () => found,
  };
}
