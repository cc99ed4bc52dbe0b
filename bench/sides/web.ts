import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';
import { Readable } from 'node:stream';
import { asServer, sideInput } from '../support/as-side.ts';
import type { Certificates } from '../support/certificates.ts';
import { HOSTILE_KINDS, hostileFile } from '../support/hostile-files.ts';
import {
  adagentsJson,
  brandJson,
  FILE_PATHS,
  ROBOTS_TXT,
  type Spread,
  trapJson,
} from '../support/publishers.ts';

export interface WebInput extends Spread {
  readonly certificates: Certificates;
  /** Gives way to the other processes of the bench: what it does, a stranger's machine does elsewhere. */
  readonly givesWay?: boolean;
}

/** What it has seen since it was last asked. */
export interface Seen {
  readonly connections: number;
  /** Of publishers' files, robots.txt included. */
  readonly requests: number;
  /** Answered 304. */
  readonly unchanged: number;
  /** Of agents that were probed. */
  readonly probes: number;
}

const LEAST_PRIORITY = 19;
const DRIP_MS = 200;
const PIECE_BYTES = 64 * 1024;
/** What a slow agent takes for each answer. */
const SLOW_MS = 8_000;
const { certificates, givesWay, ...spread } = await sideInput<WebInput>();
if (givesWay) setPriority(LEAST_PRIORITY);
const none = { connections: 0, requests: 0, unchanged: 0, probes: 0 };
const seen = { ...none };
const server = createServer({ cert: certificates.certificate, key: certificates.key }, answer);
server.on('secureConnection', () => {
  seen.connections += 1;
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  asServer({ port: (server.address() as AddressInfo).port }, takeSeen, stop);
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  const host = request.headers.host ?? '';
  if (host.startsWith('agent-')) {
    seen.probes += 1;
    send(response, 404, 'text/plain', 'not found');
    return;
  }
  if (host.startsWith('slow-')) {
    setTimeout(() => send(response, 404, 'text/plain', 'not found'), SLOW_MS).unref();
    return;
  }
  seen.requests += 1;
  if (host.startsWith('drip-')) drip(response);
  else if (host.startsWith('hostile-') && request.url?.endsWith('adagents.json'))
    attack(request.url, host, response);
  else if (!host.startsWith('hang-')) answerLater(latencyOf(host), () => publish(request, host, response));
}

function publish({ url, headers }: IncomingMessage, host: string, response: ServerResponse): void {
  if (url === '/robots.txt') {
    send(response, 200, 'text/plain', ROBOTS_TXT);
  } else if (headers['if-none-match'] !== undefined) {
    seen.unchanged += 1;
    response.writeHead(304, { etag: '"1"' }).end();
  } else {
    const file = url === FILE_PATHS[0] ? adagentsOf(host) : brandJson(host);
    send(response, 200, 'application/json', file);
  }
}

function answerLater(ms: number, publishing: () => void): void {
  if (ms > 0) setTimeout(publishing, ms);
  else publishing();
}

/** The same for a host in every run. */
function latencyOf(host: string): number {
  const number = Number(/-(\d+)\./.exec(host)?.[1] ?? 0);
  return (spread.latencyMs ?? 0) * (1 + (number % 21) / 10);
}

function adagentsOf(host: string): string {
  return host.startsWith('trap-') ? trapJson(spread) : adagentsJson(host, spread);
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'content-type': type, 'content-length': length, etag: '"1"' }).end(text);
}

/** The one half of the hostile files stand on their domain, the other half behind a reference, where they may be larger. */
function attack(path: string, host: string, response: ServerResponse): void {
  const number = Number(/-(\d+)\./.exec(host)?.[1] ?? 0);
  const kind = HOSTILE_KINDS[Math.floor(number / 2) % HOSTILE_KINDS.length] ?? '';
  const isTarget = path === '/target/adagents.json';
  if (number % 2 === 1 && !isTarget) {
    const reference = { authoritative_location: `https://${host}/target/adagents.json` };
    send(response, 200, 'application/json', JSON.stringify(reference));
    return;
  }
  const { body, encoding, dripBytes } = hostileFile(kind, isTarget ? 'target' : 'own');
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  });
  if (dripBytes === undefined) sendAsTaken(body, response);
  else {
    let at = body.length / 2;
    response.write(body.subarray(0, at));
    const timer = setInterval(() => {
      response.write(body.subarray(at, at + dripBytes));
      at += dripBytes;
    }, DRIP_MS);
    response.on('close', () => clearInterval(timer));
  }
}

/** In pieces as they are taken: what is written is encrypted at once, and bytes that nobody reads would cost the machine as much. */
function sendAsTaken(body: Buffer, response: ServerResponse): void {
  const pieces = Array.from({ length: Math.ceil(body.length / PIECE_BYTES) }, (_, at) =>
    body.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES),
  );
  Readable.from(pieces).pipe(response);
}

/** An answer that never ends and never pauses for long. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), DRIP_MS);
  response.on('close', () => clearInterval(timer));
}

function takeSeen(): Seen {
  const taken = { ...seen };
  Object.assign(seen, none);
  return taken;
}

function stop(): void {
  server.close();
  server.closeAllConnections();
}
