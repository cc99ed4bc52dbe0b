import { createHmac } from 'node:crypto';
import type { FetchErrorCode, FetchFailure } from '../domain/capture.ts';
import { retryAfterMs } from '../domain/text.ts';
import { RegistryError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { GuardedFetch, Visit } from '../ports/fetcher.ts';
import type { SigningKey } from '../signing/private-key.ts';
import type { SigningProfile, TagVocabulary } from '../signing/profile.ts';
import { createSigningFetch } from '../signing/sign.ts';
import type { Delivery, SharedSecret } from './delivery.ts';

/** The result of one attempt. */
export type DeliveryAnswer =
  | { readonly kind: 'delivered'; readonly status: number }
  /** 410: this URL accepts no more webhooks. */
  | { readonly kind: 'ended'; readonly status: 410; readonly reason: string }
  /** It can never be delivered. */
  | { readonly kind: 'never'; readonly reason: string }
  /** The receiver refused it, which may be temporary. */
  | { readonly kind: 'refused'; readonly status?: number; readonly reason: string }
  /** The receiver is unavailable. */
  | {
      readonly kind: 'failed';
      readonly status?: number;
      readonly reason: string;
      readonly retryAfterMs?: number;
    };

/** Temporary statuses below 500 (RFC 9110, RFC 8470, RFC 6585). */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

const SAYS_WHEN: ReadonlySet<number> = new Set([429, 503]);

const MEANING: Readonly<Partial<Record<FetchErrorCode, string>>> = { blocked: 'blocked: ' };

export interface WebhookSigning {
  /** With the purpose webhook-signing, or without a purpose. */
  readonly key: SigningKey;
  readonly profile: SigningProfile;
  /** Default: the vocabulary of the key. */
  readonly vocabulary?: TagVocabulary;
}

interface TryOptions {
  readonly signing: WebhookSigning;
  readonly clock: Clock;
  /** Deadline of one attempt: connection, request and response headers, milliseconds. */
  readonly tryMs: number;
}

/**
 * Interprets a response by its status and body; the text is absent if the body is long, slow or broken. Default: the status
 * alone.
 */
export type ReadAnswer = (byStatus: DeliveryAnswer, text: string | undefined) => DeliveryAnswer;

/** Bytes of the response body that are read, so that the connection can be reused. */
const BODY_BYTES = 16 * 1024;

const BODY_MS = 1_000;

/**
 * One attempt over the guarded fetch of a visit: signed now with its own nonce, or authenticated as the receiver requested,
 * never both. Redirects are not followed; the status decides. Never rejects.
 */
export async function sendOnce(
  visit: Visit,
  { url, body, authentication }: Pick<Delivery, 'url' | 'body' | 'authentication'>,
  { signing, clock, tryMs }: TryOptions,
  readAnswer: ReadAnswer = (byStatus) => byStatus,
): Promise<DeliveryAnswer> {
  const post: GuardedFetch =
    authentication === undefined
      ? createSigningFetch(visit.fetch, { kind: 'webhook', ...signing, clock })
      : (to, init) => visit.fetch(to, { ...init, redirect: 'error' });
  const shown = authentication && sharedSecretHeaders(authentication, body, clock.now());
  try {
    const response = await post(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: '*/*', ...shown },
      body,
      signal: AbortSignal.timeout(tryMs),
    });
    const text = await shortText(response);
    const byStatus = answerOfStatus(response.status, response.headers.get('retry-after'), clock.now());
    return readAnswer(byStatus, text);
  } catch (error) {
    const late = error instanceof DOMException && error.name === 'TimeoutError';
    return late ? { kind: 'failed', reason: `no answer within ${tryMs} ms` } : answerOfError(error);
  }
}

/**
 * Authenticates the sender: the token itself, or an HMAC over the time (epoch seconds), a dot and the bytes of the body, as
 * both packages of the public protocol verify it.
 */
function sharedSecretHeaders(
  { schemes, credentials }: SharedSecret,
  body: string,
  now: number,
): Readonly<Record<string, string>> {
  if (schemes[0] === 'Bearer') return { authorization: `Bearer ${credentials}` };
  const seconds = Math.floor(now / 1_000);
  const mac = createHmac('sha256', credentials).update(`${seconds}.${body}`).digest('hex');
  return { 'x-adcp-timestamp': String(seconds), 'x-adcp-signature': `sha256=${mac}` };
}

/** Reads a short body; undefined for a long, slow or broken one. */
async function shortText({ body }: Response): Promise<string | undefined> {
  if (body === null) return '';
  const reader = body.getReader();
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), BODY_MS);
  const parts: Uint8Array[] = [];
  try {
    for (let size = 0; size <= BODY_BYTES; ) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(parts).toString();
      parts.push(value);
      size += value.length;
    }
    return undefined;
  } catch {
    return undefined; // the status has been read
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Interprets a status. Refusals other than 410 are retried for at least half an hour: a receiver that is being deployed,
 * or that has a stale copy of our keys, answers 401 or 404 for some minutes.
 */
export function answerOfStatus(status: number, retryAfter: string | null, now: number): DeliveryAnswer {
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  if (status === 410) return { kind: 'ended', status, reason: 'the receiver answered 410' };
  const reason = `the receiver answered ${status}`;
  if (status < 400) return { kind: 'refused', status, reason: `${reason}; redirects are not followed` };
  if (status < 500 && !PASSING.has(status)) return { kind: 'refused', status, reason };
  const waitMs = SAYS_WHEN.has(status) ? retryAfterMs(retryAfter, now) : undefined;
  return { kind: 'failed', status, reason, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
}

/** Interprets a rejected `fetch`: blocked by the guard, a network failure, or a message that cannot be signed. */
export function answerOfError(error: unknown): DeliveryAnswer {
  if (error instanceof RegistryError) return { kind: 'never', reason: error.message };
  const failure = failureIn(error);
  if (failure === undefined) return { kind: 'failed', reason: `the request failed: ${sentenceOf(error)}` };
  const reason = `${MEANING[failure.code] ?? ''}${failure.detail}`;
  if (failure.code === 'blocked') return { kind: 'never', reason };
  if (failure.code === 'redirect') return { kind: 'refused', reason };
  return { kind: 'failed', reason };
}

/** The guarded fetch puts the failure into this property (src/ports/fetcher.ts). */
function failureIn(error: unknown): FetchFailure | undefined {
  return error instanceof Error && 'failure' in error ? (error.failure as FetchFailure) : undefined;
}

function sentenceOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200);
}
