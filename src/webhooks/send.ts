import type { Clock } from '../ports/clock.ts';
import type { Visit } from '../ports/fetcher.ts';
import type { SigningKey } from '../signing/private-key.ts';
import type { SigningProfile, TagVocabulary } from '../signing/profile.ts';
import { createSigningFetch } from '../signing/signing-fetch.ts';
import { type Answer, answerOf, answerOfError } from './answer.ts';
import type { Delivery } from './delivery.ts';

export interface WebhookSigning {
  /** For webhook-signing, or for nothing that it says. */
  readonly key: SigningKey;
  readonly profile: SigningProfile;
  /** Default: the vocabulary of the key. */
  readonly vocabulary?: TagVocabulary;
}

export interface TryOptions {
  readonly signing: WebhookSigning;
  readonly clock: Clock;
  /** For one try: connection, request, and the head of the answer, milliseconds. */
  readonly tryMs: number;
}

/** What of an answer's body is read, so that its connection can be used again. Nothing of it is kept. */
const DRAINED_BYTES = 16 * 1024;
const DRAINED_MS = 1_000;

/**
 * One try over the guarded fetch of a visit: signed at this moment with a nonce of its own, no redirects, the status
 * decides. Never rejects.
 */
export async function sendOnce(
  visit: Visit,
  { url, body }: Pick<Delivery, 'url' | 'body'>,
  { signing, clock, tryMs }: TryOptions,
): Promise<Answer> {
  const post = createSigningFetch(visit.fetch, { kind: 'webhook', ...signing, clock });
  try {
    const response = await post(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: '*/*' },
      body,
      signal: AbortSignal.timeout(tryMs),
    });
    await drain(response);
    return answerOf(response.status, response.headers.get('retry-after'), clock.now());
  } catch (error) {
    const late = error instanceof DOMException && error.name === 'TimeoutError';
    return late ? { kind: 'failed', reason: `no answer within ${tryMs} ms` } : answerOfError(error);
  }
}

/** Reads a short body to its end, and gives up on a long, slow or broken one. */
async function drain({ body }: Response): Promise<void> {
  if (body === null) return;
  const reader = body.getReader();
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), DRAINED_MS);
  try {
    let size = 0;
    for (let done = false; !done && size <= DRAINED_BYTES; ) {
      const read = await reader.read();
      done = read.done;
      size += read.value?.length ?? 0;
    }
  } catch {
    // the status has been read, and nothing else counts
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => undefined);
  }
}
