import type { CrawlContext, CrawlLimits } from '../pipelines/crawl-context.ts';
import { parseConnectTo, parseConnectToFile } from './adapters/fetch/connect-to.ts';
import { createFetcher } from './adapters/fetch/fetcher.ts';
import type { Rate } from './adapters/fetch/rate.ts';
import { createSqliteIndex } from './adapters/sql/index/sqlite-index.ts';
import { scratchCopy } from './adapters/sql/scratch-copy.ts';
import { openSqliteRecords } from './adapters/sql/sqlite-records.ts';
import type { Config } from './config.ts';
import type { FileBounds } from './discovery/fetched-file.ts';
import { createSharedFiles } from './discovery/shared-files.ts';
import { registrableDomain } from './domain/domain-name.ts';
import { RegistryError } from './errors.ts';
import type { Logger } from './ops/log.ts';
import { createMetrics, type Metrics } from './ops/metrics.ts';
import { Tally } from './pipeline/progress.ts';
import type { AgentIndex } from './ports/agent-index.ts';
import type { Clock } from './ports/clock.ts';
import type { Fetcher } from './ports/fetcher.ts';
import type { Records } from './ports/records.ts';
import type { RobotsCache } from './ports/robots-cache.ts';
import { VERSION } from './version.ts';

/** The system's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** The records and the index of one configuration. */
export interface Store {
  readonly records: Records;
  readonly index: AgentIndex;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Makes a store where there is none. */
  readonly create: boolean;
}

/** Opens the store that the configuration names. Throws a RegistryError `store_…` with what to do about it. */
export async function openStore(config: Config, options: StoreOptions): Promise<Store> {
  const path = sqlitePath(config.store);
  const records = await openSqliteRecords({ path, create: options.create });
  const index = createSqliteIndex(records.database, { clock: systemClock });
  return {
    records,
    index,
    async close() {
      await index.close();
      await records.close();
    },
  };
}

/** A private copy of the store, thrown away when it is closed: what a dry run writes to. */
export async function openScratchStore(config: Config): Promise<Store> {
  const copy = await scratchCopy(sqlitePath(config.store));
  const store = await openStore({ ...config, store: `sqlite:${copy.path}` }, { create: true });
  return {
    ...store,
    async close() {
      await store.close();
      copy.remove();
    },
  };
}

/** The path in `sqlite:PATH`; any other address is refused with what would be right. */
export function sqlitePath(address: string): string {
  const path = /^sqlite:(.+)$/.exec(address)?.[1];
  if (path !== undefined) return path;
  throw new RegistryError('usage', 'the store address is not one that this version knows', {
    hint: 'write it as sqlite:PATH',
  });
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
  config: Config,
  network: Network,
  clock: Clock,
  robots?: RobotsCache,
): Fetcher {
  const mapped = [...parseConnectToFile(network.connectToFile ?? ''), ...parseConnectTo(network.connectTo)];
  return createFetcher({
    clock,
    userAgent: { product: 'agent-registry', version: VERSION, contact: new URL(config.contact) },
    connectTo: mapped,
    rates: Object.fromEntries(
      [...(network.domains ?? [])].map(([domain, setting]) => [domain, setting.rate]),
    ),
    ...(network.ca !== undefined && { ca: network.ca }),
    ...(robots && { robots }),
  });
}

export interface CrawlParts {
  readonly config: Config;
  readonly store: Store;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly metrics?: Metrics;
  readonly domains?: DomainSettings;
}

/** Everything a crawl needs, from its parts. */
export function composeCrawl({
  config,
  store,
  fetcher,
  clock,
  log,
  signal,
  metrics,
  domains,
}: CrawlParts): CrawlContext {
  return {
    records: store.records,
    index: store.index,
    fetcher,
    clock,
    log,
    signal,
    metrics: metrics ?? createMetrics(),
    shared: createSharedFiles(() => clock.now()),
    tally: new Tally(),
    limits: limitsOf(config, domains ?? new Map()),
  };
}

function limitsOf(config: Config, domains: DomainSettings): CrawlLimits {
  const bounds: FileBounds = { maxAgents: config.maxAgentsPerFile, maxDomains: config.maxDomainsPerFile };
  const settingOf = (host: string) => domains.get(registrableDomain(host));
  return {
    concurrency: config.concurrency,
    probeConcurrency: config.probeConcurrency,
    visitDeadlineMs: config.visitDeadlineMs,
    probeDeadlineMs: config.probeDeadlineMs,
    probesPerHour: (domain) => settingOf(domain)?.probesPerHour ?? config.probesPerHour,
    bounds: (host) => ({ ...bounds, ...settingOf(host)?.bounds }),
  };
}
