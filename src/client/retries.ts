import { RegistryFailure } from './failure.ts';

/** Limits of automatic retries. */
export interface RetryLimits {
  /** Retries after the first attempt. Default: 3. */
  readonly retries: number;
  /** The longest wait before a retry, in milliseconds; if the registry asks for a longer one, the call fails. Default: 30,000. */
  readonly longestWaitMs: number;
}

const FIRST_WAIT_MS = 250;
/** Methods that have the same effect however often they are sent (RFC 9110, section 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'PUT', 'DELETE']);
/** Transient failures. A cooldown is not one: it is long, and the request was already carried out. */
const PASSING: ReadonlySet<string> = new Set([
  'unreachable',
  'timed_out',
  'overloaded',
  'not_ready',
  'unavailable',
]);
/** Answers of a proxy in front of a registry. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Runs `work`, and retries a transient failure as far as the method and the limits allow. */
export async function withRetries<T>(
  method: string,
  { retries, longestWaitMs }: RetryLimits,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (failures > retries || !mayPass(error, method)) throw error;
      const wait = waitBefore(error.retryAfterMs, failures);
      if (wait > longestWaitMs) throw error;
      await wakeAfter(wait, signal);
      signal?.throwIfAborted();
    }
  }
}

function mayPass(error: unknown, method: string): error is RegistryFailure {
  if (!(error instanceof RegistryFailure)) return false;
  const { code, status } = error;
  // refused before anything was done, so a POST may be retried, too
  if (code === 'rate_limited') return true;
  const passes =
    PASSING.has(code) || (code === 'not_understood' && status !== undefined && PASSING_STATUSES.has(status));
  return passes && IDEMPOTENT.has(method);
}

/** At least the wait that the registry asked for, with jitter, so that clients do not retry at the same moment. */
function waitBefore(asked: number | undefined, failures: number): number {
  const backOff = FIRST_WAIT_MS * 2 ** (failures - 1);
  const spread = Math.random() * backOff;
  return asked === undefined
    ? backOff / 2 + spread / 2
    : asked + Math.min(spread, asked / 10 + FIRST_WAIT_MS);
}

/** Resolves earlier when the signal aborts. In a browser a timer is a number, so `base/` has no wait for both. */
function wakeAfter(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
  });
}
