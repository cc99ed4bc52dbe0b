import { readFile } from 'node:fs/promises';
import { directoryBodies } from '../adapters/bodies/directory-bodies.ts';
import type { PgBossQueueOptions } from '../adapters/queue/pg-boss-queue.ts';
import { type Config, indexNodes, readSecretAgain } from '../config.ts';
import { RegistryError } from '../errors.ts';
import { openSqliteIndex } from '../index/embedded/sqlite-index.ts';
import type { AgentIndex } from '../ports/agent-index.ts';
import type { BodyStore } from '../ports/body-store.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { Records } from '../ports/records.ts';
import type { RecordsDatabase } from '../records/database.ts';
import { scratchCopy } from '../records/sqlite/scratch-copy.ts';
import { openSqliteRecords } from '../records/sqlite/sqlite-records.ts';

/** Deadline of a bulk request including its retries, milliseconds; the next update tries again. */
const BULK_DEADLINE_MS = 60_000;

/** How long a rebuild waits for replicas on other nodes before it switches, milliseconds. */
const REPLICAS_WAIT_MS = 120_000;

interface IndexOptions {
  /** Called with the number of items that are sent again. */
  readonly onIndexRetried?: (items: number) => void;
  /** How long a command waits for an OpenSearch that is starting or busy instead of failing, milliseconds. */
  readonly indexPatienceMs?: number;
  /** Deadline of a bulk request including its retries, milliseconds. Default 60,000. */
  readonly indexDeadlineMs?: number;
}

/** The records and the index of one configuration. */
export interface Store {
  readonly records: Records;
  readonly index: AgentIndex;
  close(): Promise<void>;
}

export interface StoreOptions extends IndexOptions {
  /** Creates a store that does not exist. */
  readonly create: boolean;
  /** For work that writes nothing: the store may then be on a read-only disk or in a read-only folder. Default false. */
  readonly readOnly?: boolean;
  /**
   * How long work waits for an unreachable database server, milliseconds. Default: the timeout of a worker for work that writes, 0
   * for work that only reads.
   */
  readonly patienceMs?: number;
}

/** Opens the records and the index of the configuration. Rejects with a RegistryError `store_…` or `index_…` with a hint. */
export async function openStore(config: Config, options: StoreOptions): Promise<Store> {
  const opened = await openRecords(config, options);
  try {
    const index = await openIndex(config, opened, options);
    return { records: opened.records, index, close: () => closeAll(index, opened.records) };
  } catch (error) {
    await opened.records.close();
    throw error;
  }
}

/** The records of a configuration, without the index. */
export interface OpenedRecords {
  readonly records: Records;
  /** Present when the index can share the file. */
  readonly database?: RecordsDatabase;
}

/** Opens only the records, for work that needs no index. Rejects like `openStore`. */
export async function openRecords(
  config: Config,
  { create, readOnly = false, patienceMs = readOnly ? 0 : config.workerTimeoutMs }: StoreOptions,
): Promise<OpenedRecords> {
  if (/^postgres(ql)?:/.test(config.store)) {
    // the operator creates the database, so the tables are created without --create
    const { store: url, storeConnections: connections } = config;
    const readUrl = () => readSecretAgain(config, 'store');
    const bodies = await openBodies(config);
    const options = { url, readUrl, connections, create: !readOnly, readOnly, patienceMs, bodies };
    const { openPostgresRecords } = await import('../records/postgres/postgres-records.ts');
    return { records: await openPostgresRecords(options) };
  }
  const durableLog = config.index !== 'records';
  const bodies = await openBodies(config);
  const more = { durableLog, ...(bodies && { bodies }) };
  const records = await openSqliteRecords({ path: sqlitePath(config.store), create, readOnly, ...more });
  return { records, database: records.store };
}

/** The store that bodies are moved to; undefined if they stay in the records. Does not connect yet. */
export async function openBodies({ bodies }: Pick<Config, 'bodies'>): Promise<BodyStore | undefined> {
  if (bodies === '') return undefined;
  const folder = /^directory:(.+)$/.exec(bodies)?.[1];
  if (folder !== undefined) return directoryBodies(folder);
  const { s3Bodies } = await import('../adapters/bodies/s3-bodies.ts');
  return s3Bodies(bodies);
}

async function openIndex(
  config: Config,
  { records, database }: OpenedRecords,
  options: IndexOptions,
): Promise<AgentIndex> {
  if (config.index !== 'records') return openOpenSearch(config, records, options);
  if (database !== undefined) return openSqliteIndex(database, { clock: records.clock });
  throw new RegistryError(
    'usage',
    'REGISTRY_INDEX=records requires an SQLite store, but the records are in PostgreSQL',
    {
      hint: 'set REGISTRY_INDEX to the address of an OpenSearch',
    },
  );
}

async function closeAll(...parts: readonly { close(): Promise<void> }[]): Promise<void> {
  for (const part of parts) await part.close();
}

/** A private copy of the store for a dry run, deleted when it is closed. */
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

/** The path in `sqlite:PATH`. Throws a RegistryError `usage` for any other address. */
export function sqlitePath(address: string): string {
  const path = /^sqlite:(.+)$/.exec(address)?.[1];
  if (path !== undefined) return path;
  throw new RegistryError('usage', 'this command requires an SQLite store', {
    hint: 'give the address as sqlite:PATH',
  });
}

/** Opens the index in the OpenSearch of the configuration, which need not be running yet. */
async function openOpenSearch(
  config: Config,
  records: Records,
  { onIndexRetried, indexPatienceMs, indexDeadlineMs = BULK_DEADLINE_MS }: IndexOptions,
): Promise<AgentIndex> {
  const ca = config.indexCa === '' ? undefined : await readCertificates(config.indexCa);
  const { createOpenSearchIndex } = await import('../index/opensearch/opensearch-index.ts');
  return createOpenSearchIndex({
    nodes: indexNodes(config),
    readNodes: () => {
      const index = readSecretAgain(config, 'index');
      return index === undefined ? undefined : indexNodes({ index });
    },
    ...(ca !== undefined && { ca }),
    prefix: config.indexPrefix,
    timeoutMs: config.indexTimeoutMs,
    retries: config.indexRetries,
    shards: config.indexShards,
    replicas: config.indexReplicas,
    replicasWaitMs: REPLICAS_WAIT_MS,
    concurrency: config.indexBulkConcurrency,
    deadlineMs: indexDeadlineMs,
    recordsId: await records.id(),
    recordsEmpty: async () => (await records.agents.lastSeq()) === 0,
    clock: records.clock,
    onWarning: (message) => process.emitWarning(message),
    ...(onIndexRetried && { onRetried: onIndexRetried }),
    ...(indexPatienceMs !== undefined && { patienceMs: indexPatienceMs }),
  });
}

async function readCertificates(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new RegistryError('usage', `cannot read REGISTRY_INDEX_CA ${path}`, {
      cause,
      hint: 'check the path and its permissions',
    });
  }
}

/** Opens the job queue in the database of the records. Rejects with `queue_unavailable`. */
export async function openQueue(
  config: Config,
  options: Pick<PgBossQueueOptions, 'cron' | 'onFault'>,
): Promise<JobQueue> {
  const aliveSeconds = Math.ceil(config.workerTimeoutMs / 1_000);
  const superviseSeconds = Math.ceil(aliveSeconds / 4);
  const readAddress = () => readSecretAgain(config, 'store');
  const given = { address: config.store, readAddress, aliveSeconds, superviseSeconds };
  const { openPgBossQueue } = await import('../adapters/queue/pg-boss-queue.ts');
  return openPgBossQueue({ ...options, ...given });
}
