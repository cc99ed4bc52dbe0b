import type { SecureContext } from 'node:tls';
import type { Resolver } from '../dns/host-resolver.ts';
import { type AddressVerdict, judgeAddress, judgeHost } from './address.ts';
import type { ConnectTo } from './connect-to.ts';
import { FetchGuardError, fetchFailureOf } from './failure.ts';
import type { Trust, Use } from './trust.ts';
import { bareHost, type OpenOrigin } from './url-rule.ts';

/** Where a connection really goes; Host and SNI stay the logical name. */
export interface Route {
  readonly addresses: readonly string[];
  readonly port: number;
  /** Absent for a plain connection. */
  readonly secureContext?: SecureContext;
  /** Whether the peer must be one of `addresses`; false where the operator's target is a name. */
  readonly comparePeer: boolean;
}

/** The operator's targets by host. */
export interface ConnectToTable {
  /** The target of a host; exact beats the longest wildcard beats `*`. */
  find(hostname: string): URL | undefined;
}

/** What decides where an origin is dialled. */
export interface RouteContext {
  readonly resolver: Resolver;
  readonly connectTo: ConnectToTable;
  readonly trust: Trust;
}

/** Where the origins of one visit are dialled; every host name is looked up once in a visit. */
export class Routes {
  readonly #context: RouteContext;
  readonly #opened: OpenOrigin | undefined;
  readonly #signal: AbortSignal;
  readonly #addresses = new Map<string, Promise<readonly string[]>>();

  constructor(context: RouteContext, opened: OpenOrigin | undefined, signal: AbortSignal) {
    this.#context = context;
    this.#opened = opened;
    this.#signal = signal;
  }

  /** Whether the operator mapped the host or the user opened the origin: no vetting, no politeness. */
  operated(url: URL): boolean {
    return url.origin === this.#opened?.origin || this.#context.connectTo.find(bareHost(url)) !== undefined;
  }

  /**
   * Says no before any waiting to what no look-up can make good.
   *
   * @throws FetchGuardError `blocked` for a host that is a forbidden address itself
   */
  refuseForbidden(url: URL): void {
    if (!this.operated(url)) refuseForbiddenHost(url);
  }

  /** @throws FetchGuardError `dns` or `blocked` */
  async find(url: URL, use: Use): Promise<Route> {
    const host = bareHost(url);
    const target = this.#context.connectTo.find(host);
    if (target !== undefined) return this.#route(target, use, [bareHost(target)], true);
    if (url.origin === this.#opened?.origin) return this.#route(url, use, this.#opened.addresses, true);
    return this.#route(url, use, await this.#vetted(host), false);
  }

  #route(url: URL, use: Use, addresses: readonly string[], operated: boolean): Route {
    const { trust } = this.#context;
    const comparePeer = !operated;
    if (url.protocol === 'http:') return { addresses, port: Number(url.port) || 80, comparePeer };
    const secureContext = (operated ? trust.operated : trust.public)(use);
    return { addresses, port: Number(url.port) || 443, comparePeer, secureContext };
  }

  #vetted(host: string): Promise<readonly string[]> {
    const known = this.#addresses.get(host);
    if (known !== undefined) return known;
    const found = vettedAddresses(host, (name) => this.#context.resolver(name, { signal: this.#signal }));
    this.#addresses.set(host, found);
    // the retry of a call asks again
    found.catch((error) => isTemporary(error) && this.#addresses.delete(host));
    return found;
  }
}

/**
 * The addresses that a host may be dialled at: all of them vetted, and all good or none used, so that a name
 * cannot mix a public address with a private one. A literal address is judged without a look-up.
 *
 * @param hostname as in a WHATWG URL: lower case, every IPv4 spelling already decimal, IPv6 without brackets
 * @throws FetchGuardError `dns` or `blocked`
 */
async function vettedAddresses(hostname: string, resolver: Resolver): Promise<readonly string[]> {
  const verdict = judgeHost(hostname);
  if (verdict !== undefined) {
    refuseBad(hostname, verdict);
    return [hostname];
  }
  const addresses = await resolved(hostname, resolver);
  for (const address of addresses) refuseBad(hostname, judgeAddress(address));
  return addresses;
}

/** @throws FetchGuardError `blocked` for a host that is a forbidden address itself */
export function refuseForbiddenHost(url: URL): void {
  const host = bareHost(url);
  const verdict = judgeHost(host);
  if (verdict !== undefined) refuseBad(host, verdict);
}

function refuseBad(hostname: string, verdict: AddressVerdict): void {
  if (!verdict.ok) throw new FetchGuardError('blocked', `${hostname} is not contacted: ${verdict.reason}`);
}

async function resolved(hostname: string, resolver: Resolver): Promise<readonly string[]> {
  const addresses = await resolver(hostname).catch((error: unknown) => {
    if (error instanceof FetchGuardError) throw error;
    const { code, detail } = fetchFailureOf(error);
    throw new FetchGuardError('dns', code === 'dns' ? detail : 'the DNS lookup failed', error);
  });
  if (addresses.length === 0) throw new FetchGuardError('dns', 'the host name has no address');
  return addresses;
}

function isTemporary(error: unknown): boolean {
  return error instanceof FetchGuardError && error.failure.temporary === true;
}

/** The look-up table of the entries; an empty table finds nothing. */
export function createConnectToTable(entries: readonly ConnectTo[]): ConnectToTable {
  const targets = new Map(entries.map(({ pattern, target }) => [pattern, target]));
  if (targets.size === 0) return { find: () => undefined };
  return { find: (hostname) => targets.get(hostname) ?? longestWildcard(targets, hostname) };
}

function longestWildcard(targets: ReadonlyMap<string, URL>, hostname: string): URL | undefined {
  for (let dot = hostname.indexOf('.'); dot !== -1; dot = hostname.indexOf('.', dot + 1)) {
    const target = targets.get(`*${hostname.slice(dot)}`);
    if (target !== undefined) return target;
  }
  return targets.get('*');
}
