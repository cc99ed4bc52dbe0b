import type { Socket } from 'node:net';
import { type Connector, dialRoute } from './connect.ts';
import { type FetchGuardError, guardError } from './failure.ts';
import type { ConnectFor } from './lines.ts';
import type { Routes } from './routes.ts';
import { bareHost } from './url-rule.ts';

/** Makes the connections of one visit and can end them all, those that are still being made included. */
export class Dialler {
  readonly #routes: Routes;
  readonly #connector: Connector;
  readonly #sockets = new Set<Socket>();
  /** Origins that could not be connected to, so that a dead host costs one attempt a visit. */
  readonly #unreachable = new Map<string, FetchGuardError>();
  #over: FetchGuardError | undefined;

  constructor(routes: Routes, connector: Connector) {
    this.#routes = routes;
    this.#connector = (dial) => {
      if (this.#over !== undefined) throw this.#over;
      return connector(dial);
    };
  }

  /** The way to one origin in undici's form: a callback, called once. */
  readonly connectFor: ConnectFor = (origin) => {
    const url = new URL(origin);
    return (_options, callback) => {
      this.#dial(url).then(
        (socket) => callback(null, socket),
        (error: FetchGuardError) => callback(error, null),
      );
    };
  };

  end(reason: FetchGuardError): void {
    this.#over = reason;
    for (const socket of this.#sockets) socket.destroy();
  }

  async #dial(url: URL): Promise<Socket> {
    const earlier = this.#unreachable.get(url.origin);
    if (earlier !== undefined) throw earlier;
    try {
      return await dialRoute(await this.#routes.find(url), bareHost(url), this.#connector, this.#sockets);
    } catch (error) {
      const failure = guardError(error);
      this.#unreachable.set(url.origin, failure);
      throw failure;
    }
  }
}
