import { pause } from '../base/back-off.ts';
import { isObject } from '../base/json.ts';
import { type Activation, joinMatches } from './join.ts';
import type { ContextRequest, ContextResponse, IdentityResponse } from './messages.ts';

/** The page or programme, without a request id: the client makes one for each request. */
export type Content = Omit<ContextRequest, 'request_id'>;

export interface MatchClientOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Where POST /context is, for example `https://context.provider.example`. */
  readonly contextOrigin: string;
  /** Where POST /identity and POST /exposure are. Default: the same. */
  readonly identityOrigin?: string;
  /**
   * Every package that the publisher may show, wherever. All of them are asked for each token, in this order, so
   * that the list tells nothing of the page.
   */
  readonly packageIds: readonly string[];
  /** Each request waits a random part of this first, independently, milliseconds. Default 10. */
  readonly jitterMs?: number;
  /** For each request, milliseconds. Default 500. */
  readonly timeoutMs?: number;
}

export interface MatchClient {
  /** Sends both requests and joins the answers here. Rejects with a MatchClientError when one is not to be had. */
  match(content: Content, token: string): Promise<readonly Activation[]>;
  /** Reports that a package was shown. Give the id of the first try when it is sent again. */
  reportExposure(token: string, packageId: string, id?: string): Promise<void>;
}

/** An answer that did not come, or that cannot be used. */
export class MatchClientError extends Error {
  readonly operation: string;
  readonly retryable: boolean;

  constructor(operation: string, message: string, retryable: boolean, cause?: unknown) {
    super(`${operation}: ${message}`, { cause });
    this.name = 'MatchClientError';
    this.operation = operation;
    this.retryable = retryable;
  }
}

/**
 * The publisher's client, for its server: the two requests have random ids of their own, leave at moments of their own
 * and so in either order, and carry no cookie, referrer or other header that could tie them together. Neither waits
 * for the other's answer.
 */
export function createMatchClient(options: MatchClientOptions): MatchClient {
  const { contextOrigin, identityOrigin = contextOrigin, packageIds, jitterMs = 10 } = options;
  const send = async <T extends Answered>(origin: string, operation: string, body: Sent): Promise<T> => {
    await pause(Math.random() * jitterMs);
    return post<T>(options, `${origin}/${operation}`, operation, body);
  };
  return {
    async match(content, token) {
      const [offers, eligible] = await Promise.all([
        send<ContextResponse>(contextOrigin, 'context', { request_id: crypto.randomUUID(), ...content }),
        send<IdentityResponse>(identityOrigin, 'identity', {
          request_id: crypto.randomUUID(),
          token,
          package_ids: packageIds,
        }),
      ]);
      return joinMatches(offers, eligible);
    },
    async reportExposure(token, packageId, id = crypto.randomUUID()) {
      await send(identityOrigin, 'exposure', { request_id: id, token, package_id: packageId });
    },
  };
}

interface Sent {
  readonly request_id: string;
  readonly [member: string]: unknown;
}

interface Answered {
  readonly request_id: string;
}

async function post<T extends Answered>(
  { fetch, timeoutMs = 500 }: MatchClientOptions,
  url: string,
  operation: string,
  body: Sent,
): Promise<T> {
  const unanswered = (cause: unknown) =>
    new MatchClientError(operation, whyUnanswered(cause, timeoutMs), true, cause);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    redirect: 'error',
    cache: 'no-store',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause: unknown) => {
    throw unanswered(cause);
  });
  const answer: unknown = await response.json().catch((cause: unknown) => {
    if (isTimeout(cause)) throw unanswered(cause);
    return undefined;
  });
  if (!response.ok) throw refused(operation, response.status, answer);
  if (isObject(answer) && answer.request_id === body.request_id && hasItsList(answer, operation))
    return answer as unknown as T;
  throw new MatchClientError(operation, 'the response does not match the request', false);
}

/** The code is that of the system call, or of the client of HTTP, below what `fetch` throws. */
function whyUnanswered(cause: unknown, timeoutMs: number): string {
  if (isTimeout(cause)) return `the provider did not answer within ${timeoutMs} ms`;
  const code = codeIn(cause);
  if (code === 'ECONNREFUSED') return 'the provider refused the connection';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name of the provider was not found';
  return `the provider cannot be reached${code === undefined ? '' : ` (${code})`}`;
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'TimeoutError';
}

function codeIn(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string') return at.code;
  return undefined;
}

function refused(operation: string, status: number, answer: unknown): MatchClientError {
  const reason =
    isObject(answer) && typeof answer.detail === 'string' ? `: ${answer.detail.slice(0, 300)}` : '';
  return new MatchClientError(operation, `the provider returned HTTP ${status}${reason}`, status >= 500);
}

/** As much as the join reads. */
function hasItsList(answer: Readonly<Record<string, unknown>>, operation: string): boolean {
  if (operation === 'context') return isOffers(answer.offers);
  if (operation === 'identity') return isTexts(answer.eligible_package_ids);
  return true;
}

function isOffers(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (offer) =>
        isObject(offer) &&
        typeof offer.package_id === 'string' &&
        (offer.score === undefined || typeof offer.score === 'number'),
    )
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
