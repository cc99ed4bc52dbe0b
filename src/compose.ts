import { readFile } from 'node:fs/promises';
import type { CrawlContext, CrawlLimits, VisitContext } from '../pipelines/crawl-context.ts';
import { parseConnectTo, parseConnectToFile } from './adapters/fetch/connect-to.ts';
import { createFetcher } from './adapters/fetch/fetcher.ts';
import type { Rate } from './adapters/fetch/rate.ts';
import { createOpenSearchIndex } from './adapters/opensearch/opensearch-index.ts';
import { openPgBossQueue, type PgBossQueueOptions } from './adapters/queue/pg-boss-queue.ts';
import type { SqliteDatabase } from './adapters/sql/database.ts';
import { createSqliteIndex } from './adapters/sql/index/sqlite-index.ts';
import { openPostgresRecords } from './adapters/sql/postgres/postgres-records.ts';
import { scratchCopy } from './adapters/sql/scratch-copy.ts';
import { openSqliteRecords } from './adapters/sql/sqlite-records.ts';
import type { Config } from './config.ts';
import type { FileBounds } from './discovery/fetched-file.ts';
import { createSharedFiles } from './discovery/shared-files.ts';
import { registrableDomain } from './domain/domain-name.ts';
import { RegistryError } from './errors.ts';
import type { Logger } from './ops/log.ts';
import { createMetrics, type Metrics } from './ops/metrics.ts';
import { NO_TRACING } from './ops/trace.ts';
import { Tally } from './pipeline/progress.ts';
import type { AgentIndex } from './ports/agent-index.ts';
import type { Clock } from './ports/clock.ts';
import type { Fetcher } from './ports/fetcher.ts';
import type { JobQueue } from './ports/job-queue.ts';
import type { Records } from './ports/records.ts';
import type { RobotsCache } from './ports/robots-cache.ts';
import type { Tracing } from './ports/tracing.ts';
import { VERSION } from './version.ts';

export { moveStore } from './adapters/sql/move/move-store.ts';

/** A bulk request with its retries may take so long; after it the feed tries again. */
const BULK_DEADLINE_MS = 60_000;
/** How long a rebuild waits for the copies on other nodes before it switches. */
const REPLICAS_WAIT_MS = 120_000;

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
  /** For work that writes nothing: the store may then be on a disk, or in a folder, that cannot be written. Default false. */
  readonly readOnly?: boolean;
  /** For how long work waits for a database server that is away, milliseconds; absent: not at all. */
  readonly patienceMs?: number;
}

/** Opens the records and the index that the configuration names. Rejects with a RegistryError `store_…` or `index_…` with what to do about it. */
export async function openStore(config: Config, options: StoreOptions): Promise<Store> {
  const opened = await openRecords(config, options);
  try {
    const index = await openIndex(config, opened);
    return { records: opened.records, index, close: () => closeAll(index, opened.records) };
  } catch (error) {
    await opened.records.close();
    throw error;
  }
}

/** The records that a configuration names, without the index. */
export interface OpenedRecords {
  readonly records: Records;
  /** Present when the index can share the file. */
  readonly database?: SqliteDatabase;
}

/** Opens the records alone, for work that needs no index. Rejects as `openStore` does. */
export async function openRecords(
  config: Config,
  { create, readOnly = false, patienceMs }: StoreOptions,
): Promise<OpenedRecords> {
  if (/^postgres(ql)?:/.test(config.store)) {
    // a database is made by its operator, not by a typing error: whoever may write makes the tables in it
    const options = { url: config.store, connections: config.storeConnections, create: !readOnly };
    return {
      records: await openPostgresRecords({ ...options, ...(patienceMs !== undefined && { patienceMs }) }),
    };
  }
  const records = await openSqliteRecords({ path: sqlitePath(config.store), create, readOnly });
  return { records, database: records.database };
}

async function openIndex(config: Config, { records, database }: OpenedRecords): Promise<AgentIndex> {
  if (config.index !== 'records') return openOpenSearch(config, records);
  if (database !== undefined) return createSqliteIndex(database, { clock: systemClock });
  throw new RegistryError('usage', 'the index cannot be in the records, as these are in PostgreSQL', {
    hint: 'set REGISTRY_INDEX to the address of an OpenSearch',
  });
}

async function openOpenSearch(config: Config, records: Records): Promise<AgentIndex> {
  const ca = config.indexCa === '' ? undefined : await readCertificates(config.indexCa);
  return createOpenSearchIndex({
    nodes: config.index.split(',').map((address) => new URL(address.trim())),
    ...(ca !== undefined && { ca }),
    prefix: config.indexPrefix,
    timeoutMs: config.indexTimeoutMs,
    retries: config.indexRetries,
    shards: config.indexShards,
    replicas: config.indexReplicas,
    replicasWaitMs: REPLICAS_WAIT_MS,
    concurrency: config.indexBulkConcurrency,
    deadlineMs: BULK_DEADLINE_MS,
    recordsId: await records.id(),
    recordsEmpty: async () => (await records.agents.lastSeq()) === 0,
    clock: systemClock,
    onWarning: (message) => process.emitWarning(message),
  });
}

async function readCertificates(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new RegistryError('usage', `REGISTRY_INDEX_CA: cannot read ${path}`, {
      cause,
      hint: 'check the path and the permissions',
    });
  }
}

/** Opens the job queue, which is in the database of the records; rejects with `queue_unavailable`. */
export function openQueue(
  config: Config,
  options: Pick<PgBossQueueOptions, 'cron' | 'onFault'>,
): Promise<JobQueue> {
  const aliveSeconds = Math.ceil(config.workerTimeoutMs / 1_000);
  const superviseSeconds = Math.ceil(aliveSeconds / 4);
  return openPgBossQueue({ ...options, address: config.store, aliveSeconds, superviseSeconds });
}

async function closeAll(...parts: readonly { close(): Promise<void> }[]): Promise<void> {
  for (const part of parts) await part.close();
}

/** A private copy of the store, thrown away when it is closed: what a dry run writes to. */
export async function openScratchStore(config: Config): Promise<Store> {
  const copy = await scratchCopy(sqlitePath(config.store));
  const store = await openStore(
    { ...config, store: `sqlite:${copy.path}`, index: 'records' },
    { create: true },
  );
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
  throw new RegistryError('usage', 'the store is not one file that could be used for this', {
    hint: 'write its address as sqlite:PATH',
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

export interface VisitParts {
  readonly config: Config;
  readonly records: Records;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly metrics?: Metrics;
  readonly tracing?: Tracing;
  readonly domains?: DomainSettings;
}

/** Everything that visits need, from its parts. */
export function composeVisits(parts: VisitParts): VisitContext {
  const { config, records, fetcher, clock, log, signal, metrics, tracing, domains } = parts;
  return {
    ...{ records, fetcher, clock, log, signal },
    metrics: metrics ?? createMetrics(),
    shared: createSharedFiles(() => clock.now()),
    tally: new Tally(),
    tracing: tracing ?? NO_TRACING,
    limits: limitsOf(config, domains ?? new Map()),
  };
}

export interface CrawlParts extends Omit<VisitParts, 'records'> {
  readonly store: Store;
}

/** Everything a crawl needs, from its parts. */
export function composeCrawl({ store, ...parts }: CrawlParts): CrawlContext {
  return { ...composeVisits({ ...parts, records: store.records }), index: store.index };
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
