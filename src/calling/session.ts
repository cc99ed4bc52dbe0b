import type { Finding } from '../domain/finding.ts';
import type { ProbeStep } from '../domain/observation.ts';
import type { ProvenOrigin } from '../domain/proven-origin.ts';
import { retryAfterMs } from '../domain/text.ts';
import type { Clock } from '../ports/clock.ts';
import type { GuardedFetch, Visit } from '../ports/fetcher.ts';
import { CallFailure } from './failure.ts';
import { ANSWER_BYTES, CALL_MS, MAX_REQUESTS } from './limits.ts';
import { type ByteBudget, observeBody, type RunningCall, startCall } from './running-call.ts';

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
}

/** What one step may differ in. */
export interface StepOptions {
  /** Default: 1 MiB of its own. */
  readonly budget?: ByteBudget;
  /** Milliseconds; default: the session's. */
  readonly callMs?: number;
  /** Another bearer token than the session's; null for none. */
  readonly auth?: string | null;
  /** Keeps the bytes of the answer, for `raw`. */
  readonly keep?: boolean;
}

/** What came of one step, whatever it was. */
export interface Exchange<T> {
  readonly result: T | CallFailure;
  /** The HTTP status of the last answer; absent when none came. */
  readonly status?: number;
  /** Whole milliseconds. */
  readonly durationMs: number;
  /** The body as it came, empty unless it was to be kept. */
  readonly raw: string;
}

/** Later than this we look again anyway. */
const MAX_WAIT_MS = 24 * 3_600_000;

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
  /** The bearer token of the session. */
  readonly auth: string | undefined;
  /** Runs one step with its deadline and byte budget, and records it. Never rejects. */
  exchange<T>(step: string, url: string, work: Work<T>, options?: StepOptions): Promise<Exchange<T>>;
  /** The same; resolves with the result and rejects with a CallFailure only. */
  call<T>(step: string, url: string, work: Work<T>, budget?: ByteBudget): Promise<T>;
}

type Work<T> = (signal: AbortSignal) => Promise<T>;

/** Opens the session of one visit. */
export function openSession(options: SessionOptions): CallSession {
  const { url, visit, origin, clock, callMs = CALL_MS, auth, maxRequests = MAX_REQUESTS } = options;
  const guarded = options.wrap?.(visit.fetch) ?? visit.fetch;
  const steps: ProbeStep[] = [];
  const failures = new Map<string, CallFailure>();
  let attempt: RunningCall | undefined;
  let token = auth;
  let requests = 0;
  let retryAt: number | undefined;

  async function fetch(input: string | URL, init: RequestInit = {}): Promise<Response> {
    const during = attempt;
    requests += 1;
    if (requests > maxRequests)
      throw new CallFailure('too_large', `more than ${maxRequests} requests in one visit`);
    try {
      const response = await guarded(input, withToken(input, init));
      during?.sawHead(response);
      retryAt = askedToWait(response, clock.now()) ?? retryAt;
      return observeBody(response, {
        onChunk: (chunk, events) => attempt?.count(chunk, events),
        onError: (error) => during?.sawError(error),
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
    { budget = { left: ANSWER_BYTES }, callMs: limitMs = callMs, ...more }: StepOptions = {},
  ): Promise<Exchange<T>> {
    const running = startCall(visit.signal, limitMs, { budget, keep: more.keep === true });
    const started = clock.now();
    attempt = running;
    token = more.auth === undefined ? auth : (more.auth ?? undefined);
    const result = await settled(work, running);
    running.close();
    token = auth;
    const durationMs = Math.max(0, Math.round(clock.now() - started));
    const detail = result instanceof CallFailure ? { ok: false, detail: result.message } : { ok: true };
    if (result instanceof CallFailure && !failures.has(at)) failures.set(at, result);
    steps.push({ step, url: at, durationMs, ...detail });
    const { status } = running;
    return { result, durationMs, raw: running.keptText(), ...(status !== undefined && { status }) };
  }

  return {
    url,
    origin,
    openedAt: clock.now(),
    fetch,
    steps,
    findings: createFindings(),
    failureAt: (at) => failures.get(at),
    auth,
    get retryAt() {
      return retryAt;
    },
    exchange,
    async call(step, at, work, budget) {
      const { result } = await exchange(step, at, work, budget && { budget });
      if (result instanceof CallFailure) throw result;
      return result;
    },
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
          message: 'there are more findings',
        });
      }
    },
    list: () => found,
  };
}
