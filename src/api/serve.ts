import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { RegistryError } from '../errors.ts';

export interface ServeOptions {
  readonly server: FastifyInstance;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Aborting it stops the server. */
  readonly signal: AbortSignal;
  /** How long requests under way may take after that, milliseconds. Default 8,000: the stop stays under 10 s. */
  readonly graceMs?: number;
}

export interface Serving {
  /** Where it listens, for example `http://127.0.0.1:4000`. */
  readonly url: string;
  readonly port: number;
  /** Resolves when the server has stopped and every connection is closed. */
  readonly stopped: Promise<void>;
}

/**
 * Listens, and stops on the signal: no new connections, idle ones are closed, requests under way are finished
 * until the grace is over. Rejects with a RegistryError `port_in_use` if the port is in use.
 */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { server, host, port, signal } = options;
  try {
    await server.listen({ host, port, listenTextResolver: (address) => `listening on ${address}` });
  } catch (error) {
    await server.close();
    throw listenError(error, host, port);
  }
  const { port: chosen } = server.server.address() as AddressInfo;
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shown}:${chosen}`,
    port: chosen,
    stopped: stopOn(signal, server, options.graceMs ?? 8_000),
  };
}

async function stopOn(signal: AbortSignal, server: FastifyInstance, graceMs: number): Promise<void> {
  await aborted(signal);
  const timer = setTimeout(() => server.server.closeAllConnections(), graceMs);
  try {
    await server.close();
  } finally {
    clearTimeout(timer);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function listenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new RegistryError('port_in_use', `port ${port} of ${host} is already in use`, {
      hint: 'choose another port with --port (0 picks a free one), or stop the program that uses it',
      cause: error,
    });
  }
  if (code === 'EACCES') {
    return new RegistryError('usage', `this user is not allowed to listen on port ${port}`, {
      hint: 'choose a port above 1023 with --port',
      cause: error,
    });
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new RegistryError('usage', `${host} is not an address of this machine`, {
      hint: 'choose another address with --host, for example 127.0.0.1',
      cause: error,
    });
  }
  return error;
}
