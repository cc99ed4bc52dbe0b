import { RUN_SETTINGS } from './run-settings.ts';
import { SERVE_SETTINGS } from './serve-settings.ts';
import {
  bodiesAddress,
  contactUrl,
  indexAddress,
  indexPrefix,
  integer,
  oneOf,
  type Setting,
  setting,
  storeAddress,
  text,
} from './setting.ts';

/** Every setting of the program. An environment variable that starts with REGISTRY_ and is not here is refused. */
export const SETTINGS = {
  store: setting(
    'REGISTRY_STORE',
    'where the records are: sqlite:PATH, or postgres://user:password@host/database. Write %40 for @, %2F for /, %23 for #, %25 for % and %3F for ? in names and passwords',
    'sqlite:.registry/registry.sqlite',
    storeAddress,
    true,
  ),
  bodies: setting(
    'REGISTRY_BODIES',
    'where `agent-registry prune` moves the bytes of files out of the records: directory:PATH, or https://KEY:SECRET@host/bucket/prefix?region=REGION of a store with the API of S3. http:// is for loopback only. Without it they stay in the records',
    '',
    bodiesAddress,
    true,
  ),
  exports: setting('REGISTRY_EXPORTS', 'the folder of the exports', '.registry/exports', text),
  storeConnections: setting(
    'REGISTRY_STORE_CONNECTIONS',
    'connections of one process to a PostgreSQL store',
    10,
    integer(2, 1_000),
  ),
  index: setting(
    'REGISTRY_INDEX',
    'where the index is: `records` for the SQLite file of the records, or https://user:password@host:9200 of an OpenSearch. Separate several nodes with commas; http:// is for loopback only',
    'records',
    indexAddress,
    true,
  ),
  indexPrefix: setting(
    'REGISTRY_INDEX_PREFIX',
    'the prefix of all names in the OpenSearch; use one for each set of records',
    'registry-agents',
    indexPrefix,
  ),
  indexCa: setting(
    'REGISTRY_INDEX_CA',
    'a file with certificates (PEM) to check the OpenSearch with, instead of those of the system',
    '',
    text,
  ),
  indexTimeoutMs: setting(
    'REGISTRY_INDEX_TIMEOUT_MS',
    'the time for a read of the OpenSearch with all its retries, in milliseconds',
    1_500,
    integer(50, 60_000),
  ),
  indexRetries: setting(
    'REGISTRY_INDEX_RETRIES',
    'how often a read of the OpenSearch is tried again within REGISTRY_INDEX_TIMEOUT_MS',
    2,
    integer(0, 20),
  ),
  indexShards: setting(
    'REGISTRY_INDEX_SHARDS',
    'the number of shards of a generation; takes effect with the next rebuild',
    1,
    integer(1, 100),
  ),
  indexReplicas: setting(
    'REGISTRY_INDEX_REPLICAS',
    'copies of each shard on other nodes, if there are other nodes',
    1,
    integer(0, 10),
  ),
  indexBulkConcurrency: setting(
    'REGISTRY_INDEX_BULK_CONCURRENCY',
    'bulk requests that one process sends to the OpenSearch at once',
    4,
    integer(1, 64),
  ),
  contact: setting(
    'REGISTRY_CONTACT',
    'the URL in our User-Agent, where a site that we visit can reach us',
    'https://agent-registry.example/crawler',
    contactUrl,
  ),
  concurrency: setting(
    'REGISTRY_CONCURRENCY',
    'domains visited at the same time; a visit mostly waits for its site',
    200,
    integer(1, 2_000),
  ),
  probeConcurrency: setting(
    'REGISTRY_PROBE_CONCURRENCY',
    'agents probed at the same time',
    16,
    integer(1, 500),
  ),
  visitDeadlineMs: setting(
    'REGISTRY_VISIT_DEADLINE_MS',
    'the time for all requests of a domain’s visit together, in milliseconds',
    15_000,
    integer(100, 600_000),
  ),
  probeDeadlineMs: setting(
    'REGISTRY_PROBE_DEADLINE_MS',
    'the time for a probe, in milliseconds',
    30_000,
    integer(100, 600_000),
  ),
  probesPerHour: setting(
    'REGISTRY_PROBES_PER_HOUR',
    'probes an hour for one registrable domain',
    50,
    integer(1, 100_000),
  ),
  maxAgentsPerFile: setting(
    'REGISTRY_MAX_AGENTS_PER_FILE',
    'agents taken from one file',
    500,
    integer(1, 100_000),
  ),
  maxDomainsPerFile: setting(
    'REGISTRY_MAX_DOMAINS_PER_FILE',
    'domains taken from one file',
    10_000,
    integer(1, 1_000_000),
  ),
  domains: setting(
    'REGISTRY_DOMAINS',
    'a file with the agreements with single domains; see schemas/config/domains.json',
    '',
    text,
  ),
  schedule: setting(
    'REGISTRY_SCHEDULE',
    'a file with the times of each pipeline; see schemas/config/schedule.json',
    '',
    text,
  ),
  workerTimeoutMs: setting(
    'REGISTRY_WORKER_TIMEOUT_MS',
    'a worker that is silent for longer than this loses its jobs, in milliseconds',
    60_000,
    integer(10_000, 3_600_000),
  ),
  badgeKeys: setting(
    'REGISTRY_BADGE_KEYS',
    'the keys that sign badges: a folder of `agent-registry keys generate --kind badge`, a private JWK set, or `command:PROGRAM ARGUMENTS` that prints one or signs. Without it, a key of the records',
    '',
    text,
  ),
  auditKeys: setting(
    'REGISTRY_AUDIT_KEYS',
    'the keys that sign heads of the audit log: a folder of `agent-registry keys generate --kind audit`, a set or a command. Without it they are not signed',
    '',
    text,
  ),
  tiers: setting(
    'REGISTRY_TIERS',
    'a file with the membership tiers and which of them grant badges; see schemas/config/tiers.json',
    '',
    text,
  ),
  ...RUN_SETTINGS,
  ...SERVE_SETTINGS,
  logLevel: setting(
    'REGISTRY_LOG_LEVEL',
    'trace, debug, info, warn, error or silent',
    'info' as LogLevel,
    oneOf<LogLevel>('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  ),
} satisfies Record<string, Setting<unknown>>;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
