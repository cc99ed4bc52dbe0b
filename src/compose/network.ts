import type { Config } from '../config.ts';
import { type ConnectTo, parseConnectTo, parseConnectToFile } from '../crawl/fetch/connect-to.ts';
import { createControlProbe } from '../crawl/fetch/control-probe.ts';
import type { Rate } from '../crawl/fetch/domain-turns.ts';
import { createFetcher } from '../crawl/fetch/fetcher.ts';
import { createConnectToTable } from '../crawl/fetch/routes.ts';
import { createUrlFault } from '../crawl/fetch/url-fault.ts';
import type { FileBounds } from '../discovery/read-document.ts';
import { registrableDomain } from '../domain/domain-name.ts';
import { isLoopbackHost } from '../domain/ownership.ts';
import type { Clock } from '../ports/clock.ts';
import type { ControlProbe, Fetcher, UrlFault } from '../ports/fetcher.ts';
import type { RobotsCache } from '../ports/robots-cache.ts';
import { VERSION } from '../version.ts';

export { createTxtResolver } from '../crawl/dns/name-servers.ts';
export { parseConnectTo } from '../crawl/fetch/connect-to.ts';

export interface ControlParts {
  readonly config: Config;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The one of the process, where it has one already. */
  readonly control?: ControlProbe;
}

/** What an operator has agreed with single registrable domains; what is not given stays at its default. */
export type DomainSettings = ReadonlyMap<string, DomainSetting>;

export interface DomainSetting {
  readonly rate: Partial<Rate>;
  readonly bounds: Partial<FileBounds>;
  readonly probesPerHour?: number;
}

export interface Network {
  /** As typed, `host=origin`. */
  readonly connectTo: readonly string[];
  /** Text of a connect-to file. */
  readonly connectToFile?: string;
  /** PEM. */
  readonly ca?: string;
  readonly domains?: DomainSettings;
}

/** The guarded fetcher; without `robots` the rules are kept in memory. Nothing but the operator's own mappings opens it to anything but public addresses. */
export function composeFetcher(
  config: Pick<Config, 'contact'>,
  network: Network,
  clock: Clock,
  robots?: RobotsCache,
): Fetcher {
  return createFetcher({
    clock,
    userAgent: { product: 'agent-registry', version: VERSION, contact: new URL(config.contact) },
    connectTo: mappingsOf(network),
    rates: Object.fromEntries(
      [...(network.domains ?? [])].map(([domain, setting]) => [domain, setting.rate]),
    ),
    ...(network.ca !== undefined && { ca: network.ca }),
    ...(robots && { robots }),
  });
}

function mappingsOf({ connectTo, connectToFile = '' }: Network): readonly ConnectTo[] {
  return [...parseConnectToFile(connectToFile), ...parseConnectTo(connectTo)];
}

/**
 * What `--connect-to` takes for a host that is mapped to this machine, as that of a sandbox is; undefined for any other: an
 * address inside of an operator's network is told to nobody.
 */
export function localWay(network: Network): (host: string) => string | undefined {
  const table = createConnectToTable(mappingsOf(network));
  return (host) => {
    const target = table.find(host);
    return target !== undefined && isLoopbackHost(target.hostname) ? `${host}=${target.origin}` : undefined;
  };
}

/** What the fetcher of this network refuses by the text of a URL alone. */
export function composeUrlFault(network: Network): UrlFault {
  return createUrlFault(mappingsOf(network));
}

/** The control probe that was given, else one of the configured sites; nothing when there are none. */
export function composeControl(parts: ControlParts): { readonly control?: ControlProbe } {
  const { config, fetcher, clock, signal, control } = parts;
  if (control !== undefined) return { control };
  const { controlUrls: urls } = config;
  return urls.length === 0 ? {} : { control: createControlProbe({ fetcher, clock, urls, signal }) };
}

/**
 * The control probe for a test of one agent. An agent of this machine has none: neither a loopback URL nor a host that is
 * mapped to loopback depends on a network that could fail, so no public site is asked about it.
 */
export function composeAgentControl(
  url: string,
  network: Network,
  parts: ControlParts,
): { readonly control?: () => Promise<boolean> } {
  const { hostname } = new URL(url);
  if (isLoopbackHost(hostname) || localWay(network)(hostname) !== undefined) return {};
  const { control } = composeControl(parts);
  return control === undefined ? {} : { control: () => control(url) };
}

/** How much a file that is read from a host may bring in: as the settings say, or what is agreed with its domain. */
export function fileBounds(
  config: Pick<Config, 'maxAgentsPerFile' | 'maxDomainsPerFile'>,
  domains: DomainSettings = new Map(),
) {
  const usual: FileBounds = { maxAgents: config.maxAgentsPerFile, maxDomains: config.maxDomainsPerFile };
  return (host: string): FileBounds => {
    const agreed = agreedWith(host, domains)?.bounds;
    return agreed === undefined ? usual : { ...usual, ...agreed };
  };
}

/** Most operators have no domain settings, and each file looks them up. */
export function agreedWith(host: string, domains: DomainSettings) {
  return domains.size === 0 ? undefined : domains.get(registrableDomain(host));
}
