import type { FetchErrorCode, FetchFailure } from '../domain/capture.ts';
import { RegistryError } from '../errors.ts';

/** What one try came to. */
export type Answer =
  | { readonly kind: 'delivered'; readonly status: number }
  /** 410: this URL wants nothing any more. */
  | { readonly kind: 'ended'; readonly status: 410; readonly reason: string }
  /** It cannot go there, whenever it is tried. */
  | { readonly kind: 'never'; readonly reason: string }
  /** The receiver does not want it as it is, and may be mistaken for a while. */
  | { readonly kind: 'refused'; readonly status?: number; readonly reason: string }
  /** The receiver could not take it now. */
  | {
      readonly kind: 'failed';
      readonly status?: number;
      readonly reason: string;
      readonly retryAfterMs?: number;
    };

/** Statuses below 500 that are about the moment and not about the webhook (RFC 9110, RFC 8470, RFC 6585). */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);
const SAYS_WHEN: ReadonlySet<number> = new Set([429, 503]);

/**
 * What a status means. Other refusals than 410 are retried for half an hour and more: a receiver that is being
 * deployed, or that has an old copy of our keys, answers 401 or 404 for some minutes.
 */
export function answerOf(status: number, retryAfter: string | null, now: number): Answer {
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  if (status === 410) return { kind: 'ended', status, reason: 'the receiver answered 410' };
  const reason = `the receiver answered ${status}`;
  if (status < 400) return { kind: 'refused', status, reason: `${reason}, and redirects are not followed` };
  if (status < 500 && !PASSING.has(status)) return { kind: 'refused', status, reason };
  const retryAfterMs = SAYS_WHEN.has(status) ? readRetryAfter(retryAfter, now) : undefined;
  return { kind: 'failed', status, reason, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Milliseconds from `Retry-After`, seconds or a date (RFC 9110, section 10.2.3); undefined for anything else. */
export function readRetryAfter(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000;
  // only the form with a zone: a date without one would be read in ours
  const at = /GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** What a rejected `fetch` means: the guard's verdict, a failure of the network, or a message that cannot be signed. */
export function answerOfError(error: unknown): Answer {
  if (error instanceof RegistryError) return { kind: 'never', reason: error.message };
  const failure = failureIn(error);
  if (failure === undefined) return { kind: 'failed', reason: `the request failed: ${sentenceOf(error)}` };
  const reason = `${MEANING[failure.code] ?? ''}${failure.detail}`;
  if (failure.code === 'blocked') return { kind: 'never', reason };
  if (failure.code === 'redirect') return { kind: 'refused', reason };
  return { kind: 'failed', reason };
}

const MEANING: Readonly<Partial<Record<FetchErrorCode, string>>> = { blocked: 'blocked: ' };

/** The guarded fetch says what happened under this name (src/ports/fetcher.ts). */
function failureIn(error: unknown): FetchFailure | undefined {
  return error instanceof Error && 'failure' in error ? (error.failure as FetchFailure) : undefined;
}

function sentenceOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200);
}
