import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import { domainToASCII } from 'node:url';
import { RegistryError } from '../../errors.ts';
import { judgeAddress } from './address.ts';
import { FetchGuardError, guardError } from './failure.ts';
import type { Trust } from './trust.ts';
import { bareHost, type OpenOrigin } from './url-rule.ts';

/** Every address of a host name, in the order to try them; rejects like `dns.lookup` when there is none. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

/** One look-up by the system, all addresses of both families. */
export const systemResolver: Resolver = async (hostname) => {
  const answers = await lookup(hostname, { all: true, order: 'verbatim' });
  return answers.map((answer) => answer.address);
};

/** Where a connection really goes; Host and SNI stay the logical name. */
export interface Route {
  readonly addresses: readonly string[];
  readonly port: number;
  /** Absent for a plain connection. */
  readonly secureContext?: SecureContext;
  /** Whether the peer must be one of `addresses`; false where the operator's target is a name. */
  readonly comparePeer: boolean;
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
  readonly #addresses = new Map<string, Promise<readonly string[]>>();

  constructor(context: RouteContext, opened: OpenOrigin | undefined) {
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

/**
 * The addresses that a host may be dialled at: all of them vetted, and all good or none used, so that a name
 * cannot mix a public address with a private one. A literal address is judged without a look-up.
 *
 * @param hostname as in a WHATWG URL: lower case, every IPv4 spelling already decimal, IPv6 without brackets
 * @throws FetchGuardError `dns` or `blocked`
 */
async function vettedAddresses(hostname: string, resolver: Resolver): Promise<readonly string[]> {
  const addresses = isIP(hostname) === 0 ? await resolved(hostname, resolver) : [hostname];
  for (const address of addresses) {
    const verdict = judgeAddress(address);
    if (!verdict.ok) throw new FetchGuardError('blocked', `${hostname} is not contacted: ${verdict.reason}`);
  }
  return addresses;
}

async function resolved(hostname: string, resolver: Resolver): Promise<readonly string[]> {
  const addresses = await resolver(hostname).catch((error: unknown) => {
    const failure = guardError(error).failure;
    throw new FetchGuardError('dns', failure.code === 'dns' ? failure.detail : 'the look-up failed', error);
  });
  if (addresses.length === 0) throw new FetchGuardError('dns', 'the host name has no address');
  return addresses;
}

/** One line of the operator's table: connections for `pattern` go to the origin `target` instead. */
export interface ConnectTo {
  /** A host name, `*.example` for every host under it, or `*`; lower case A-labels. */
  readonly pattern: string;
  /** An origin, http or https, any address: it is the operator's word. */
  readonly target: URL;
}

export interface ConnectToTable {
  /** The target of a host; exact beats the longest wildcard beats `*`. */
  find(hostname: string): URL | undefined;
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

const HINT = "write it as 'news.example=http://127.0.0.1:4000'";

/**
 * Reads `HOST=ORIGIN` specs of the command line.
 *
 * @throws RegistryError `usage` with the spec that is wrong, or for a pattern that is given two targets
 */
export function parseConnectTo(specs: readonly string[]): readonly ConnectTo[] {
  const entries = specs.map((spec) => parseSpec(spec, `'${spec}'`));
  refuseContradictions(entries);
  return entries;
}

/**
 * Reads a connect-to file: one `HOST=ORIGIN` a line, empty lines and lines that start with `#` skipped.
 *
 * @throws RegistryError `usage` with the line number
 */
export function parseConnectToFile(text: string): readonly ConnectTo[] {
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: line.trim(), number: index + 1 }));
  const entries = lines
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ line, number }) => parseSpec(line, `line ${number} of the connect-to file`));
  refuseContradictions(entries);
  return entries;
}

function parseSpec(spec: string, where: string): ConnectTo {
  const equals = spec.indexOf('=');
  if (equals === -1) throw usage(`${where} has no '='`);
  const pattern = parsePattern(spec.slice(0, equals).trim());
  if (pattern === undefined) throw usage(`${where} does not start with a host name, '*.domain' or '*'`);
  const target = URL.parse(spec.slice(equals + 1).trim());
  if (target === null || !isOrigin(target))
    throw usage(`${where} does not name an http or https origin as its target`);
  return { pattern, target };
}

function parsePattern(text: string): string | undefined {
  if (text === '*') return text;
  const prefix = text.startsWith('*.') ? '*.' : '';
  const name = text.slice(prefix.length).replace(/\.$/, '');
  if (name === '' || /[/:@?#\\%\s*]/.test(name)) return undefined;
  const ascii = domainToASCII(name);
  return ascii === '' ? undefined : prefix + ascii;
}

function isOrigin(url: URL): boolean {
  const http = url.protocol === 'http:' || url.protocol === 'https:';
  return (
    http && url.username === '' && url.password === '' && url.pathname === '/' && url.search + url.hash === ''
  );
}

function refuseContradictions(entries: readonly ConnectTo[]): void {
  const seen = new Map<string, string>();
  for (const { pattern, target } of entries) {
    const earlier = seen.get(pattern);
    if (earlier !== undefined && earlier !== target.origin)
      throw usage(`'${pattern}' is mapped to two targets`);
    seen.set(pattern, target.origin);
  }
}

function usage(message: string): RegistryError {
  return new RegistryError('usage', message, { hint: HINT });
}
