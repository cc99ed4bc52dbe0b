import { randomBytes } from 'node:crypto';
import { member } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { CallFailure } from '../../calling/failure.ts';
import { failedContent } from '../../calling/task-answer.ts';
import type { HeardWebhook, WebhookListener } from '../../ports/webhook-listener.ts';
import type { HttpRequest } from '../../signing/message.ts';
import type { Identities } from '../conversation/identities.ts';
import type { SignedVector } from '../storyboard.ts';
import { vectorMessage } from './vector-message.ts';
import { type AwaitedWebhooks, matching } from './webhook-expectation.ts';

/**
 * Waits for webhooks at the run's receiver; what came is the answer, so that a saved run has it too. Its time is the part of
 * the window that the agent used: until all had come that was waited for, and nothing where nothing was owed and nothing
 * came. The rest is ours.
 */
export async function awaitWebhooks(
  { operation, expectation, isOwed, waitMs }: AwaitedWebhooks,
  listener: WebhookListener | undefined,
  signal: AbortSignal,
): Promise<TaskAnswer> {
  if (listener === undefined)
    return { ...failedContent('blocked', 'no webhook receiver'), durationMs: 0, raw: '' };
  const began = performance.now();
  let enoughAt: number | undefined;
  const isEnough = (all: readonly HeardWebhook[]) => {
    if (matching(expectation, all).length < expectation.atLeast) return false;
    enoughAt ??= performance.now();
    return !expectation.wholeWindow;
  };
  const deliveries = await listener.heard(operation, isEnough, waitMs, signal);
  const isOurs = !isOwed && deliveries.length === 0;
  return {
    outcome: 'answered',
    data: { deliveries },
    durationMs: isOurs ? 0 : Math.round((enoughAt ?? performance.now()) - began),
    raw: '',
  };
}

/** Sends a vector to the agent's own address. Never rejects: what the verifier said is the answer. */
export async function sendVector(
  vector: SignedVector,
  identities: Identities,
  {
    url,
    callMs,
    capabilities,
    nowMs,
  }: { readonly url: string; readonly callMs: number; readonly capabilities: object; readonly nowMs: number },
): Promise<TaskAnswer> {
  const policy = member(member(capabilities, 'request_signing'), 'covers_content_digest');
  const nonce = randomBytes(16).toString('base64url');
  const began = performance.now();
  try {
    const message = await vectorMessage(vector, { url, now: Math.floor(nowMs / 1_000), nonce, policy });
    if (vector.twice) await post(identities, message, callMs);
    const { status, challenge } = await post(identities, message, callMs);
    const durationMs = Math.round(performance.now() - began);
    if (challenge === undefined && status < 400)
      return { outcome: 'answered', data: { http_status: status }, status, durationMs, raw: '' };
    const more = { status, ...(challenge !== undefined && { challenge }) };
    return { ...failedContent('http_error', `http ${status}`, more), status, durationMs, raw: '' };
  } catch (error) {
    const errorClass = error instanceof CallFailure ? error.errorClass : 'blocked';
    const told = error instanceof Error ? error.message : String(error);
    return { ...failedContent(errorClass, told), durationMs: Math.round(performance.now() - began), raw: '' };
  }
}

/** Rejects where no answer came. */
async function post(identities: Identities, message: HttpRequest, callMs: number) {
  const response = await identities.send('given', message.url, {
    method: message.method,
    headers: message.headers.map(([name, value]): [string, string] => [name, value]),
    ...(message.body !== undefined && { body: Uint8Array.from(message.body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(callMs),
  });
  await response.body?.cancel();
  const challenge = response.headers.get('www-authenticate');
  return { status: response.status, ...(challenge !== null && { challenge }) };
}
