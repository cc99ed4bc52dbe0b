import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { depthOf, hasMoreValues } from '../base/json.ts';
import { createGuardedServer } from '../edge/guarded-server.ts';
import { RegistryError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  DeliverySignature,
  HeardWebhook,
  RunListener,
  WebhookListener,
} from '../ports/webhook-listener.ts';
import { messageOfRequest, type SignatureGate } from '../signing/gate.ts';

/** Of one webhook; of one operation; of a run. What is more is refused, and none of it is kept. */
const MAX_BYTES = 256 * 1024;
const MAX_DELIVERIES = 40;
const MAX_ALL = 500;
const MAX_ALL_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 64;
const MAX_VALUES = 20_000;
const MAX_TEXT = 2_000;
/** For what its signature comes to: keys that have to be fetched anew may have to wait for the run itself. */
const VERIFY_MS = 3_000;

export interface ReceiverOptions {
  /** The origin at which agents reach it. Default: the address on which it listens. */
  readonly origin?: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0 selects a free one. */
  readonly port: number;
  readonly clock: Clock;
}

/** Receives the webhooks of several runs on one port. */
export interface RunReceiver {
  /** Opens the addresses of one run, which nobody else can guess. Without a gate the agent's keys are unknown. */
  open(gate?: SignatureGate): RunListener;
  close(): Promise<void>;
}

/** The id that a step has given to its operation, a UUID. */
const OPERATION = /^[0-9a-f-]{36}$/;

/**
 * Opens a receiver of webhooks for runs. Each run has its own addresses, bounds and memory. Rejects with a RegistryError
 * `port_in_use` or `usage` if it cannot listen.
 */
export async function openRunReceiver(options: ReceiverOptions): Promise<RunReceiver> {
  const { host = '127.0.0.1', port, clock } = options;
  let origin = options.origin ?? '';
  const runs = new Map<string, RunInbox>();
  const server = createGuardedServer(((request, response) => {
    const [, secret = '', , operation = '', ...more] = (request.url ?? '').split('/');
    const inbox = runs.get(secret);
    if (inbox === undefined || !OPERATION.test(operation) || more.length > 0) return end(response, 404);
    if (request.method !== 'POST') return end(response, 405);
    inbox.take(operation, request, response).catch(() => end(response, 503));
  }) satisfies RequestListener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, host, port)));
    server.listen(port, host, resolve);
  });
  const shown = host.includes(':') ? `[${host}]` : host;
  origin = options.origin ?? `http://${shown}:${(server.address() as AddressInfo).port}`;
  return {
    open(gate) {
      // without it nobody can use up what a run takes
      const secret = randomBytes(16).toString('hex');
      const inbox = createInbox(`${origin}/${secret}`, { origin, clock, ...(gate && { gate }) });
      runs.set(secret, inbox);
      return { listener: inbox.listener, close: () => void runs.delete(secret) };
    },
    async close() {
      runs.clear();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface RunInbox {
  readonly listener: WebhookListener;
  take(operation: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
}

interface InboxParts {
  /** As the agent sees it; signatures cover it. */
  readonly origin: string;
  readonly clock: Clock;
  readonly gate?: SignatureGate;
}

/** The webhooks of one run, in memory and within bounds. */
function createInbox(base: string, { origin, clock, gate }: InboxParts): RunInbox {
  const heard = new Map<string, HeardWebhook[]>();
  const refusals = new Map<string, { left: number; readonly status: number }>();
  const waiting = new Set<() => void>();
  let total = 0;
  let bytes = 0;

  async function signatureOf(request: IncomingMessage, body: Uint8Array): Promise<DeliverySignature> {
    const { headers } = request;
    if (headers['signature-input'] === undefined && headers.signature === undefined) {
      const shared = headers.authorization ?? headers['x-adcp-signature'];
      return { state: shared === undefined ? 'none' : 'legacy' };
    }
    if (gate === undefined) return { state: 'unknown', detail: 'no key set is known' };
    const message = messageOfRequest(request, origin, body);
    const judged = await Promise.race([gate(message, true), late()]).catch(() => undefined);
    if (judged === undefined) return { state: 'unknown', detail: 'the keys could not be fetched' };
    if (judged.admitted) return { state: 'verified', ...(judged.signer && { keyid: judged.signer.keyid }) };
    const { code, detail } = judged;
    return { state: /jwks_unavailable|keys?_unavailable/.test(code) ? 'unknown' : 'refused', code, detail };
  }
  return {
    async take(operation, request, response) {
      const known = heard.get(operation) ?? [];
      if (total >= MAX_ALL || bytes >= MAX_ALL_BYTES || known.length >= MAX_DELIVERIES)
        return end(response, 429);
      total += 1;
      const body = await bodyOf(request);
      if (body === undefined) return end(response, 413);
      bytes += body.length;
      const refusal = refusals.get(operation);
      const status = refusal !== undefined && refusal.left > 0 ? refusal.status : 200;
      if (refusal !== undefined) refusal.left -= 1;
      const signature = await signatureOf(request, body);
      heard.set(operation, [
        ...(heard.get(operation) ?? []),
        { at: clock.now(), status, body: read(body), signature },
      ]);
      end(response, status);
      for (const look of waiting) look();
    },
    listener: {
      base,
      refuseFirst: (operation, count, status) => void refusals.set(operation, { left: count, status }),
      heard: (operation, isEnough, waitMs, signal) =>
        new Promise((resolve) => {
          const done = () => {
            clearTimeout(timer);
            waiting.delete(look);
            signal?.removeEventListener('abort', done);
            resolve(heard.get(operation) ?? []);
          };
          const look = () => {
            if (isEnough(heard.get(operation) ?? [])) done();
          };
          const timer = setTimeout(done, waitMs);
          waiting.add(look);
          if (signal?.aborted) done();
          else signal?.addEventListener('abort', done);
          look();
        }),
    },
  };
}

function cannotListen(error: Error, host: string, port: number): Error {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new RegistryError('port_in_use', `port ${port} of ${host} for webhooks is already in use`, {
      hint: 'choose another port with REGISTRY_TEST_WEBHOOK_PORT or --webhook-port, or stop the program that uses it',
      cause: error,
    });
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new RegistryError('usage', `cannot listen for webhooks on port ${port} of ${host}`, {
      hint: 'choose a port above 1023, and an address of this machine',
      cause: error,
    });
  return error;
}

function late(): Promise<undefined> {
  return pause(VERIFY_MS, undefined, { ref: false });
}

function end(response: ServerResponse, status: number): void {
  if (!response.headersSent) response.writeHead(status);
  response.end();
}

function read(body: Uint8Array): unknown {
  const text = new TextDecoder().decode(body);
  try {
    const value: unknown = JSON.parse(text);
    const isFit = depthOf(value, MAX_DEPTH) <= MAX_DEPTH && !hasMoreValues(value, MAX_VALUES);
    return isFit ? value : text.slice(0, MAX_TEXT);
  } catch {
    return text.slice(0, MAX_TEXT);
  }
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
