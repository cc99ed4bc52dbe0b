import { X509Certificate } from 'node:crypto';
import { isIP, type Socket, connect as tcpConnect } from 'node:net';
import {
  checkServerIdentity,
  type PeerCertificate,
  type SecureContext,
  connect as tlsConnect,
} from 'node:tls';
import type { buildConnector } from 'undici';
import { FetchGuardError, fetchFailureOf, guardError, mayConnectLater } from './failure.ts';
import type { Route, Routes } from './routes.ts';
import type { Use } from './trust.ts';
import { bareHost } from './url-rule.ts';

/** More addresses than these are not tried for one connection. */
const MAX_ADDRESSES = 4;
/** An address that does not answer gives way to the next one after this time, milliseconds. */
const ATTEMPT_MS = 2_500;

export interface Dial {
  readonly address: string;
  readonly port: number;
  readonly tls?: { readonly hostname: string; readonly secureContext: SecureContext };
}

/** Opens a socket to exactly one address; it emits `connect`, and `secureConnect` where TLS was asked for. */
export type Connector = (dial: Dial) => Socket;

/** The system's sockets. The protocol is always HTTP/1.1, and no environment variable can switch off verification. */
export const systemConnector: Connector = ({ address, port, tls }) => {
  const options = { host: address, port, autoSelectFamily: false, noDelay: true };
  if (tls === undefined) return tcpConnect(options);
  const socket = tlsConnect({
    ...options,
    secureContext: tls.secureContext,
    servername: isIP(tls.hostname) === 0 ? tls.hostname : '',
    checkServerIdentity: (_name, certificate) => identityFault(tls.hostname, certificate),
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  // Node asks for it before it calls the check: all of a chain as objects costs a tenth of the connection
  return Object.defineProperty(socket, 'getPeerCertificate', {
    value: () => socket.getPeerX509Certificate(),
  });
};

/** OpenSSL compares the name with those of the certificate; one that does not fit is left to Node, whose error says why. */
function identityFault(hostname: string, certificate: X509Certificate | PeerCertificate): Error | undefined {
  if (!(certificate instanceof X509Certificate)) return checkServerIdentity(hostname, certificate);
  const fits =
    isIP(hostname) === 0
      ? certificate.checkHost(hostname, { subject: 'never', partialWildcards: false })
      : certificate.checkIP(hostname);
  return fits === undefined ? checkServerIdentity(hostname, certificate.toLegacyObject()) : undefined;
}

/** Makes the connections of one visit and can end them all, those that are still being made included. */
export class Dialler {
  readonly #routes: Routes;
  readonly #connector: Connector;
  readonly #sockets = new Set<Socket>();
  /** Origins that could not be connected to, so that a dead host costs one attempt a visit, and a call its one retry. */
  readonly #unreachable = new Map<string, FetchGuardError>();
  readonly #mayRetry = new Set<string>();
  #over: FetchGuardError | undefined;

  constructor(routes: Routes, connector: Connector) {
    this.#routes = routes;
    this.#connector = (dial) => {
      if (this.#over !== undefined) throw this.#over;
      return connector(dial);
    };
  }

  /** The connector of an undici Client for one origin. */
  connectFor(origin: string, use: Use): buildConnector.connector {
    const url = new URL(origin);
    return (_options, callback) => {
      this.#dial(url, use).then(
        (socket) => callback(null, socket),
        (error: FetchGuardError) => callback(error, null),
      );
    };
  }

  end(reason: FetchGuardError): void {
    this.#over = reason;
    for (const socket of this.#sockets) socket.destroy();
  }

  async #dial(url: URL, use: Use): Promise<Socket> {
    const earlier = this.#unreachable.get(url.origin);
    const isRetry = use === 'calls' && this.#mayRetry.delete(url.origin);
    if (earlier !== undefined && !isRetry) throw earlier;
    try {
      return await dialRoute(
        await this.#routes.find(url, use),
        bareHost(url),
        this.#connector,
        this.#sockets,
      );
    } catch (error) {
      const failure = guardError(error);
      if (earlier === undefined && mayConnectLater(failure)) this.#mayRetry.add(url.origin);
      this.#unreachable.set(url.origin, failure);
      throw failure;
    }
  }
}

/**
 * Connects to the first address of the route that takes the connection.
 *
 * @param hostname the logical name, for SNI and the certificate
 * @param sockets every socket is in here from its creation to its end, so that a visit can end them all
 * @throws FetchGuardError `refused`, `timeout`, `tls`, or `blocked` when the peer is another address
 */
export async function dialRoute(
  route: Route,
  hostname: string,
  connector: Connector,
  sockets: Set<Socket>,
): Promise<Socket> {
  const addresses = route.addresses.slice(0, MAX_ADDRESSES);
  let failure: FetchGuardError | undefined;
  for (const [index, address] of addresses.entries()) {
    const tls = route.secureContext && { hostname, secureContext: route.secureContext };
    const dial = { address, port: route.port, ...(tls && { tls }) };
    const limitMs = index + 1 < addresses.length ? ATTEMPT_MS : undefined;
    try {
      return await open(connector(dial), dial, route.comparePeer, limitMs, sockets);
    } catch (error) {
      failure = guardError(error);
      const another = failure.failure.code === 'refused' || failure.failure.code === 'timeout';
      if (!another) break;
    }
  }
  throw failure ?? new FetchGuardError('dns', 'the host name has no address');
}

function open(
  socket: Socket,
  dial: Dial,
  comparePeer: boolean,
  limitMs: number | undefined,
  sockets: Set<Socket>,
): Promise<Socket> {
  sockets.add(socket);
  return new Promise((resolve, reject) => {
    let connected = false;
    let isReady = false;
    const fail = (error: unknown): void => {
      if (!isReady) reject(dial.tls !== undefined && connected ? handshakeError(error) : guardError(error));
      socket.destroy();
    };
    const timer = limitMs === undefined ? undefined : setTimeout(() => fail(attemptTimeout()), limitMs);
    const ready = (): void => {
      isReady = true;
      clearTimeout(timer);
      resolve(socket);
    };
    socket.once('connect', () => {
      connected = true;
      if (comparePeer && !samePeer(socket.remoteAddress, dial.address)) return fail(peerError(dial.address));
      if (dial.tls === undefined) ready();
    });
    if (dial.tls !== undefined) socket.once('secureConnect', ready);
    // Stays for the life of the socket: an error between here and undici's own listener must not end the process.
    socket.on('error', fail);
    socket.once('close', () => {
      clearTimeout(timer);
      sockets.delete(socket);
      if (!isReady) reject(new FetchGuardError('refused', 'the connection was closed'));
    });
  });
}

/** A dual-stack socket may print an IPv4 peer as mapped (RFC 4291, section 2.5.5.2). */
function samePeer(peer: string | undefined, address: string): boolean {
  return peer === address || peer === `::ffff:${address}`;
}

function peerError(address: string): FetchGuardError {
  return new FetchGuardError('blocked', `the connection reached another address than the vetted ${address}`);
}

function attemptTimeout(): FetchGuardError {
  return new FetchGuardError('timeout', 'connection timed out');
}

function handshakeError(error: unknown): FetchGuardError {
  if (error instanceof FetchGuardError) return error;
  const { code, detail } = fetchFailureOf(error);
  const sentence = code === 'tls' ? detail : `the TLS handshake was interrupted: ${detail}`;
  return new FetchGuardError('tls', sentence, error);
}
