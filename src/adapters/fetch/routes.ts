import type { Route } from './connect.ts';
import type { FetchContext } from './context.ts';
import type { OpenOrigin } from './open-origin.ts';
import { vettedAddresses } from './resolve.ts';
import { bareHost } from './url-rule.ts';

/** Where the origins of one visit are dialled; every host name is looked up once in a visit. */
export class Routes {
  readonly #context: FetchContext;
  readonly #opened: OpenOrigin | undefined;
  readonly #addresses = new Map<string, Promise<readonly string[]>>();

  constructor(context: FetchContext, opened: OpenOrigin | undefined) {
    this.#context = context;
    this.#opened = opened;
  }

  /** Whether the operator mapped the host or the user opened the origin: no vetting, no politeness. */
  operated(url: URL): boolean {
    return url.origin === this.#opened?.origin || this.#context.connectTo.find(bareHost(url)) !== undefined;
  }

  /** @throws FetchGuardError `dns` or `blocked` */
  async find(url: URL): Promise<Route> {
    const host = bareHost(url);
    const target = this.#context.connectTo.find(host);
    if (target !== undefined) return this.#route(target, [bareHost(target)], true);
    if (url.origin === this.#opened?.origin) return this.#route(url, this.#opened.addresses, true);
    return this.#route(url, await this.#vetted(host), false);
  }

  #route(url: URL, addresses: readonly string[], operated: boolean): Route {
    const { trust } = this.#context;
    const comparePeer = !operated;
    if (url.protocol === 'http:') return { addresses, port: Number(url.port) || 80, comparePeer };
    const secureContext = operated ? trust.operated() : trust.public();
    return { addresses, port: Number(url.port) || 443, comparePeer, secureContext };
  }

  #vetted(host: string): Promise<readonly string[]> {
    const known = this.#addresses.get(host);
    if (known !== undefined) return known;
    const found = vettedAddresses(host, this.#context.resolver);
    this.#addresses.set(host, found);
    return found;
  }
}
