import { connect } from 'node:net';
import { Agent, fetch } from 'undici';

export interface WebClient {
  /** Fetches by logical name: every connection goes to the sandbox, without TLS. */
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

/** A client that sees the names of the sandbox as the crawler does with `--connect-to`. */
export function webClient(origin: string): WebClient {
  const { hostname, port } = new URL(origin);
  const dispatcher = new Agent({
    connect: (_options, done) => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.once('connect', () => done(null, socket));
      socket.once('error', (error) => done(error, null));
    },
  });
  const mapped = (input: unknown, init?: object) => fetch(input as string, { ...init, dispatcher });
  return { fetch: mapped as unknown as typeof globalThis.fetch, close: () => dispatcher.destroy() };
}
