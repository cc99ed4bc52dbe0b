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
    'address of the records: sqlite:PATH, or postgres://user:password@host/database. In names and passwords, write %40 for @, %2F for /, %23 for #, %25 for % and %3F for ?',
    'sqlite:.registry/registry.sqlite',
    storeAddress,
    true,
  ),
  bodies: setting(
    'REGISTRY_BODIES',
    'where `agent-registry prune` moves file bodies out of the records: directory:PATH, or https://KEY:SECRET@host/bucket/prefix?region=REGION of an S3-compatible store. http:// is for loopback only. Without it, bodies stay in the records',
    '',
    bodiesAddress,
    true,
  ),
  exports: setting('REGISTRY_EXPORTS', 'folder of the exports', '.registry/exports', text),
  storeConnections: setting(
    'REGISTRY_STORE_CONNECTIONS',
    'maximum number of connections of one process to a PostgreSQL store',
    10,
    integer(2, 1_000),
  ),
  index: setting(
    'REGISTRY_INDEX',
    'address of the index: `records` for the SQLite file of the records, or https://user:password@host:9200 of an OpenSearch cluster. Separate several nodes with commas; http:// is for loopback only',
    'records',
    indexAddress,
    true,
  ),
  indexPrefix: setting(
    'REGISTRY_INDEX_PREFIX',
    'prefix of all index names in OpenSearch; use a different one for each set of records',
    'registry-agents',
    indexPrefix,
  ),
  indexCa: setting(
    'REGISTRY_INDEX_CA',
    'PEM file with the certificate authorities to trust for OpenSearch, instead of the system ones',
    '',
    text,
  ),
  indexTimeoutMs: setting(
    'REGISTRY_INDEX_TIMEOUT_MS',
    'deadline of a read from OpenSearch including its retries, in milliseconds',
    1_500,
    integer(50, 60_000),
  ),
  indexRetries: setting(
    'REGISTRY_INDEX_RETRIES',
    'maximum number of retries of a read from OpenSearch, within REGISTRY_INDEX_TIMEOUT_MS',
    2,
    integer(0, 20),
  ),
  indexShards: setting(
    'REGISTRY_INDEX_SHARDS',
    'number of shards of a generation; applies from the next rebuild',
    1,
    integer(1, 100),
  ),
  indexReplicas: setting(
    'REGISTRY_INDEX_REPLICAS',
    'maximum number of copies of each shard on other nodes',
    1,
    integer(0, 10),
  ),
  indexBulkConcurrency: setting(
    'REGISTRY_INDEX_BULK_CONCURRENCY',
    'maximum number of bulk requests that one process sends to OpenSearch at the same time',
    4,
    integer(1, 64),
  ),
  contact: setting(
    'REGISTRY_CONTACT',
    'contact URL in the User-Agent (https: or mailto:), where sites can reach the operator of the crawler',
    'https://agent-registry.example/crawler',
    contactUrl,
  ),
  concurrency: setting(
    'REGISTRY_CONCURRENCY',
    'maximum number of domains visited at the same time',
    300,
    integer(1, 2_000),
  ),
  probeConcurrency: setting(
    'REGISTRY_PROBE_CONCURRENCY',
    'maximum number of agents probed at the same time',
    16,
    integer(1, 500),
  ),
  visitDeadlineMs: setting(
    'REGISTRY_VISIT_DEADLINE_MS',
    'deadline of one visit to a domain with all its requests, in milliseconds',
    15_000,
    integer(100, 600_000),
  ),
  probeDeadlineMs: setting(
    'REGISTRY_PROBE_DEADLINE_MS',
    'deadline of one probe of an agent, in milliseconds',
    30_000,
    integer(100, 600_000),
  ),
  probesPerHour: setting(
    'REGISTRY_PROBES_PER_HOUR',
    'maximum number of probes per hour for one registrable domain',
    50,
    integer(1, 100_000),
  ),
  maxAgentsPerFile: setting(
    'REGISTRY_MAX_AGENTS_PER_FILE',
    'maximum number of agents read from one file',
    500,
    integer(1, 100_000),
  ),
  maxDomainsPerFile: setting(
    'REGISTRY_MAX_DOMAINS_PER_FILE',
    'maximum number of domains read from one file',
    10_000,
    integer(1, 1_000_000),
  ),
  domains: setting(
    'REGISTRY_DOMAINS',
    'file with crawl settings for single domains; see schemas/config/domains.json',
    '',
    text,
  ),
  schedule: setting(
    'REGISTRY_SCHEDULE',
    'file with the schedule of each pipeline; see schemas/config/schedule.json',
    '',
    text,
  ),
  workerTimeoutMs: setting(
    'REGISTRY_WORKER_TIMEOUT_MS',
    'time after which a job whose worker sends no heartbeat is redelivered, in milliseconds',
    60_000,
    integer(10_000, 3_600_000),
  ),
  badgeKeys: setting(
    'REGISTRY_BADGE_KEYS',
    'keys that sign badges: a folder made by `agent-registry keys generate --kind badge`, a private JWK set, or `command:PROGRAM ARGUMENTS` that prints a set or signs. Without it, a key stored in the records is used',
    '',
    text,
  ),
  auditKeys: setting(
    'REGISTRY_AUDIT_KEYS',
    'keys that sign heads of the audit log: a folder made by `agent-registry keys generate --kind audit`, a private JWK set, or a command. Without it, heads are not signed',
    '',
    text,
  ),
  tiers: setting(
    'REGISTRY_TIERS',
    'file with the membership tiers and which of them can earn badges; see schemas/config/tiers.json',
    '',
    text,
  ),
  ...RUN_SETTINGS,
  ...SERVE_SETTINGS,
  logLevel: setting(
    'REGISTRY_LOG_LEVEL',
    'minimum level of log messages: trace, debug, info, warn, error or silent',
    'info' as LogLevel,
    oneOf<LogLevel>('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  ),
} satisfies Record<string, Setting<unknown>>;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
