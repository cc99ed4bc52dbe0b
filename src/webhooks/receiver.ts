import type { IncomingMessage, ServerResponse } from 'node:http';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { BUDGETS } from '../budgets/table.ts';
import { peerOf } from '../edge/peer.ts';
import { PROBLEM_MEDIA_TYPE } from '../edge/request-form.ts';
import type { Clock } from '../ports/clock.ts';
import { sameAgent } from '../signing/approvals.ts';
import { type Admission, messageOfRequest, type SignatureGate } from '../signing/gate.ts';
import type { WebhookPayload } from './delivery.ts';
import type { Arrival, Inbox } from './inbox.ts';
import { isVerification, verificationFault } from './verification.ts';

/** A media buy with hundreds of packages has some hundred KiB. */
const MAX_WEBHOOK_BYTES = 1_048_576;
/** Per address and minute: many times more than a busy seller sends. */
const { perAddress: MOST_REQUESTS } = BUDGETS.receivedWebhooks;

export interface WebhookReceiverOptions {
  /** For messages of the kind `webhook`, with the keys of the allowed senders. */
  readonly gate: SignatureGate;
  readonly inbox: Inbox;
  readonly clock: Clock;
  /** The public origin of this receiver, as senders use it: the signature covers it. */
  readonly origin: string;
  /** The error in a payload, one sentence with its place; undefined for a valid one. */
  readonly validate: (payload: unknown) => string | undefined;
  /** The agent whose keys the gate knows; a payload that names another is refused. Absent: the name in the payload is used. */
  readonly sender?: string;
  /** Called for each stored or recognised webhook, after it is on disk. */
  readonly onWebhook?: (arrival: Arrival) => void;
  /** Called for each verification of a subscription that was answered. */
  readonly onAgreed?: (subscriptionId: string) => void;
  readonly onRefused?: (refusal: WebhookRefusal) => void;
  /** The caller for the rate limit. Default: the address of the connection, with an IPv6 /48 as one. */
  readonly callerOf?: (request: IncomingMessage) => string;
}

/** Why a request was refused. `detail` is for the log of the receiver; a sender with an invalid signature does not get it. */
export interface WebhookRefusal {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

/** A verification request of a registry; any sender with an accepted key gets an answer. */
interface Agreement {
  readonly subscriptionId: string;
  readonly challenge: string;
}

export type WebhookReceiver = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface Reply extends WebhookRefusal {
  readonly headers?: Readonly<Record<string, string>>;
  /** The detail for the sender; default `detail`. */
  readonly told?: string;
}

/**
 * Receives webhooks: a signed POST of JSON that matches the schema. Answers 200 once the webhook is on disk, also for
 * duplicates and late ones, since sending them again would change nothing. A verification request is answered with its
 * challenge, and not stored. Anything else gets an `application/problem+json` with a code; an invalid signature gets a 401
 * with `WWW-Authenticate`. An address above the rate limit gets a 429 before its request is read.
 */
export function createWebhookReceiver(options: WebhookReceiverOptions): WebhookReceiver {
  const { callerOf = ({ socket }) => peerOf(socket.remoteAddress) } = options;
  const requests = new RateLimiterMemory({ points: MOST_REQUESTS, duration: 60 });
  return async (request, response) => {
    const refused = await requests.consume(callerOf(request)).then(
      () => undefined,
      (error: unknown) => error,
    );
    const result =
      refused instanceof RateLimiterRes ? tooMany(refused.msBeforeNext) : await receive(request, options);
    if ('webhook' in result) {
      options.onWebhook?.(result);
      return acknowledge(response, result);
    }
    if ('challenge' in result) {
      options.onAgreed?.(result.subscriptionId);
      return answerOk(response, { challenge: result.challenge });
    }
    options.onRefused?.({ status: result.status, code: result.code, detail: result.detail });
    return refuse(response, result);
  };
}

async function receive(
  request: IncomingMessage,
  options: WebhookReceiverOptions,
): Promise<Arrival | Agreement | Reply> {
  if (request.method !== 'POST')
    return {
      ...reply(405, 'method_not_allowed', 'send webhooks with POST'),
      headers: { allow: 'POST' },
    };
  const body = await readBody(request);
  if (body === 'too_large')
    return reply(413, 'body_too_large', `the body is larger than ${MAX_WEBHOOK_BYTES} bytes`);
  if (body === 'broken') return reply(400, 'bad_request', 'the body is incomplete');
  try {
    const admission = await options.gate(messageOfRequest(request, options.origin, body), true);
    return judge(request, body, admission, options);
  } catch (error) {
    // the store of nonces or webhooks failed: refuse the message, so that the sender retries
    return { ...reply(503, 'unavailable', String(error)), told: 'try again later' };
  }
}

function judge(
  request: IncomingMessage,
  body: Uint8Array,
  admission: Admission,
  { inbox, clock, validate, sender }: WebhookReceiverOptions,
): Arrival | Agreement | Reply {
  if (!admission.admitted) {
    const { status, code, headers, detail } = admission;
    return { status, code, detail, headers, told: 'message rejected; see code' };
  }
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    return reply(415, 'unsupported_media_type', 'the content type must be application/json');
  const payload = parsed(body);
  if (isVerification(payload)) {
    const fault = verificationFault(payload);
    if (fault !== undefined) return reply(400, 'invalid_payload', fault);
    return { subscriptionId: payload.subscription_id, challenge: payload.challenge };
  }
  const fault = payload === undefined ? 'the body is not valid JSON' : validate(payload);
  if (fault !== undefined) return reply(400, 'invalid_payload', fault);
  const webhook = payload as WebhookPayload;
  const keyid = admission.signer?.keyid ?? '';
  // the envelope of the public protocol names no agent: the key identifies the sender
  const agent = String(webhook.agent_url ?? sender ?? `key ${keyid}`);
  if (sender !== undefined && !sameAgent(agent, sender))
    return reply(400, 'wrong_sender', '/agent_url is not an agent that may send webhooks here');
  return inbox.take(agent, keyid, webhook, clock.now());
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

function tooMany(waitMs: number): Reply {
  const seconds = Math.ceil(waitMs / 1_000);
  return {
    ...reply(
      429,
      'rate_limited',
      `more than ${MOST_REQUESTS} requests in a minute; try again in ${seconds} s`,
    ),
    headers: { 'retry-after': String(seconds) },
  };
}

function reply(status: number, code: string, detail: string): Reply {
  return { status, code, detail };
}

function acknowledge(response: ServerResponse, { webhook, duplicate }: Arrival): void {
  answerOk(response, { received: true, duplicate, out_of_order: webhook.outOfOrder });
}

function answerOk(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** A problem (RFC 9457). Closes the connection if the request was not read completely. */
function refuse(response: ServerResponse, { status, code, detail, headers, told = detail }: Reply): void {
  const body = JSON.stringify({
    type: 'about:blank',
    title: code.replaceAll('_', ' '),
    status,
    code,
    detail: told,
  });
  response
    .writeHead(status, {
      'content-type': PROBLEM_MEDIA_TYPE,
      ...(response.req.complete ? {} : { connection: 'close' }),
      ...headers,
    })
    .end(body);
}

/** The body of a request. One whose Content-Length is too large is not read. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | 'too_large' | 'broken'> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_WEBHOOK_BYTES) return 'too_large';
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // leaving the loop must not destroy the request: its answer still has to be written
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_WEBHOOK_BYTES) return 'too_large';
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return 'broken';
  }
}
