import type { ProbeStep } from '../domain/observation.ts';
import { retryAfterMs } from '../domain/retry-after.ts';
import type { Clock } from '../ports/clock.ts';
import type { GuardedFetch, Visit } from '../ports/fetcher.ts';
import { type Attempt, openAttempt } from './attempt.ts';
import { type ByteBudget, withinBudget } from './byte-budget.ts';
import { ProbeFailure } from './failure.ts';
import { createFindings, type FindingList } from './findings.ts';
import { ANSWER_BYTES, MAX_REQUESTS } from './limits.ts';

export interface SessionOptions {
  /** The agent's URL as declared: what is dialled. */
  readonly url: URL;
  readonly visit: Visit;
  readonly clock: Clock;
  /** One call, milliseconds. */
  readonly callMs: number;
  /** Bearer token, sent to the agent's own origin only. */
  readonly auth?: string;
}

/** Later than this we look again anyway. */
const MAX_WAIT_MS = 24 * 3_600_000;

/** One visit to one agent: every request and every step of it goes through here, one call after the other. */
export interface ProbeSession {
  readonly url: URL;
  /** The guarded fetch with credentials, byte budget and a bound on the number of requests. */
  readonly fetch: GuardedFetch;
  readonly steps: readonly ProbeStep[];
  readonly findings: FindingList;
  /** The latest Retry-After of a 429 or 503, epoch milliseconds. */
  readonly retryAt: number | undefined;
  /**
   * Runs one step with its deadline and byte budget, and records it. Rejects with a ProbeFailure only.
   */
  call<T>(
    step: string,
    url: string,
    work: (signal: AbortSignal) => Promise<T>,
    budget?: ByteBudget,
  ): Promise<T>;
}

/** Opens the session of one visit. */
export function openSession(options: SessionOptions): ProbeSession {
  const { url, visit, clock } = options;
  const steps: ProbeStep[] = [];
  let attempt: Attempt | undefined;
  let requests = 0;
  let retryAt: number | undefined;

  async function fetch(input: string | URL, init: RequestInit = {}): Promise<Response> {
    const during = attempt;
    requests += 1;
    if (requests > MAX_REQUESTS)
      throw new ProbeFailure('too_large', `more than ${MAX_REQUESTS} requests in one probe`);
    try {
      const response = await visit.fetch(input, withCredentials(input, init));
      during?.sawStatus(response.status);
      retryAt = askedToWait(response, clock.now()) ?? retryAt;
      return withinBudget(response, (bytes) => attempt?.spend(bytes));
    } catch (error) {
      during?.sawError(error);
      throw error;
    }
  }

  function withCredentials(input: string | URL, init: RequestInit): RequestInit {
    if (options.auth === undefined || new URL(input).origin !== url.origin) return init;
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${options.auth}`);
    return { ...init, headers };
  }

  async function call<T>(
    step: string,
    at: string,
    work: (signal: AbortSignal) => Promise<T>,
    budget: ByteBudget = { left: ANSWER_BYTES },
  ): Promise<T> {
    const running = openAttempt(visit.signal, options.callMs, budget);
    const started = clock.now();
    const record = (detail?: string) => {
      const durationMs = Math.max(0, Math.round(clock.now() - started));
      steps.push({
        step,
        url: at,
        durationMs,
        ok: detail === undefined,
        ...(detail !== undefined && { detail }),
      });
    };
    attempt = running;
    try {
      const result = await Promise.race([work(running.signal), running.ended]);
      record();
      return result;
    } catch (thrown) {
      const failure = running.verdict(thrown);
      record(failure.message);
      throw failure;
    } finally {
      running.close();
    }
  }

  return {
    url,
    fetch,
    steps,
    findings: createFindings(),
    get retryAt() {
      return retryAt;
    },
    call,
  };
}

/** Until when an overloaded agent asked to be left alone, epoch milliseconds and at most a day away. */
function askedToWait({ status, headers }: Response, now: number): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const wait = retryAfterMs(headers.get('retry-after'), now);
  return wait === undefined || wait === 0 ? undefined : now + Math.min(wait, MAX_WAIT_MS);
}
