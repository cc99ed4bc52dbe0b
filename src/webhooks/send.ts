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

/** What one try came to. */
export type DeliveryAnswer =
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

const MEANING: Readonly<Partial<Record<FetchErrorCode, string>>> = { blocked: 'blocked: ' };

export interface WebhookSigning {
  /** For webhook-signing, or for nothing that it says. */
  readonly key: SigningKey;
  readonly profile: SigningProfile;
  /** Default: the vocabulary of the key. */
  readonly vocabulary?: TagVocabulary;
}

interface TryOptions {
  readonly signing: WebhookSigning;
  readonly clock: Clock;
  /** For one try: connection, request, and the head of the answer, milliseconds. */
  readonly tryMs: number;
}

/**
 * What an answer means, by its status and its body; the text is absent when the body is long, slow or broken. Default: the
 * status alone.
 */
export type ReadAnswer = (byStatus: DeliveryAnswer, text: string | undefined) => DeliveryAnswer;

/** So much of an answer's body is read, which also lets its connection be used again. */
const BODY_BYTES = 16 * 1024;

const BODY_MS = 1_000;

/**
 * One try over the guarded fetch of a visit: signed at this moment with a nonce of its own, or authenticated as its
 * receiver asked for, and never both. No redirects, the status decides. Never rejects.
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
 * What shows that the sender has the secret: the token itself, or an HMAC over the time (epoch seconds), a dot and the
 * bytes of the body, as both packages of the public protocol verify it.
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

/** Reads a short body to its end, and gives up on a long, slow or broken one. */
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
 * What a status means. Other refusals than 410 are retried for half an hour and more: a receiver that is being
 * deployed, or that has an old copy of our keys, answers 401 or 404 for some minutes.
 */
export function answerOfStatus(status: number, retryAfter: string | null, now: number): DeliveryAnswer {
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  if (status === 410) return { kind: 'ended', status, reason: 'the receiver answered 410' };
  const reason = `the receiver answered ${status}`;
  if (status < 400) return { kind: 'refused', status, reason: `${reason}, and redirects are not followed` };
  if (status < 500 && !PASSING.has(status)) return { kind: 'refused', status, reason };
  const waitMs = SAYS_WHEN.has(status) ? retryAfterMs(retryAfter, now) : undefined;
  return { kind: 'failed', status, reason, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
}

/** What a rejected `fetch` means: the guard's verdict, a failure of the network, or a message that cannot be signed. */
export function answerOfError(error: unknown): DeliveryAnswer {
  if (error instanceof RegistryError) return { kind: 'never', reason: error.message };
  const failure = failureIn(error);
  if (failure === undefined) return { kind: 'failed', reason: `the request failed: ${sentenceOf(error)}` };
  const reason = `${MEANING[failure.code] ?? ''}${failure.detail}`;
  if (failure.code === 'blocked') return { kind: 'never', reason };
  if (failure.code === 'redirect') return { kind: 'refused', reason };
  return { kind: 'failed', reason };
}

/** The guarded fetch says what happened under this name (src/ports/fetcher.ts). */
function failureIn(error: unknown): FetchFailure | undefined {
  return error instanceof Error && 'failure' in error ? (error.failure as FetchFailure) : undefined;
}

function sentenceOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200);
}
