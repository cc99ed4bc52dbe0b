import { readFileSync } from 'node:fs';
import { RegistryError } from './errors.ts';

/** One setting: what it is, what it is without one, where it comes from, and whether a log may show it. */
interface Setting<T> {
  readonly description: string;
  readonly env: string;
  readonly fallback: T;
  readonly secret?: true;
  readonly parse: (text: string) => T | undefined;
}

const text = (value: string) => (value === '' ? undefined : value);
/** A page or a mailbox where whoever is visited can reach us. */
const contactUrl = (value: string) =>
  ['https:', 'http:', 'mailto:'].includes(URL.parse(value)?.protocol ?? '') ? value : undefined;
const storeAddress = (value: string) => (/^(sqlite:|postgres(ql)?:\/\/)./.test(value) ? value : undefined);
const indexAddress = (value: string) =>
  value === 'records' || value.split(',').every(isEngineAddress) ? value : undefined;
/** Without TLS a password and every answer could be read and changed on the way. */
function isEngineAddress(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || url.search !== '' || url.hash !== '') return false;
  if (/%(?![\da-f]{2})/i.test(url.username + url.password)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}
const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
/** What OpenSearch takes at the beginning of a name, short enough for what follows. */
const indexPrefix = (value: string) => (/^[a-z0-9][a-z0-9_-]{0,99}$/.test(value) ? value : undefined);
const integer = (min: number, max: number) => (value: string) => {
  const number = Number(value);
  return Number.isInteger(number) && number >= min && number <= max ? number : undefined;
};
const list = (value: string) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (value: string) =>
    values.find((candidate) => candidate === value);

/** Every setting of the program. An environment variable that starts with REGISTRY_ and is not here is refused. */
export const SETTINGS = {
  store: setting(
    'REGISTRY_STORE',
    'where the records are: sqlite:PATH, or postgres://user:password@host/database',
    'sqlite:.registry/registry.sqlite',
    storeAddress,
    true,
  ),
  storeConnections: setting(
    'REGISTRY_STORE_CONNECTIONS',
    'connections of one process to a PostgreSQL store',
    10,
    integer(2, 1_000),
  ),
  index: setting(
    'REGISTRY_INDEX',
    'where the index is: `records` for the SQLite file of the records, or https://user:password@host:9200 of an OpenSearch, several nodes with commas between (http:// on loopback only)',
    'records',
    indexAddress,
    true,
  ),
  indexPrefix: setting(
    'REGISTRY_INDEX_PREFIX',
    'what all names in the OpenSearch begin with; one for each set of records',
    'registry-agents',
    indexPrefix,
  ),
  indexCa: setting(
    'REGISTRY_INDEX_CA',
    'a file with the certificates (PEM) that the OpenSearch is checked with, instead of the system’s',
    '',
    text,
  ),
  indexTimeoutMs: setting(
    'REGISTRY_INDEX_TIMEOUT_MS',
    'for a read of the OpenSearch with all its retries, milliseconds',
    1_500,
    integer(50, 60_000),
  ),
  indexRetries: setting(
    'REGISTRY_INDEX_RETRIES',
    'how often a read of the OpenSearch is tried again within that time',
    2,
    integer(0, 20),
  ),
  indexShards: setting(
    'REGISTRY_INDEX_SHARDS',
    'into how many shards a generation is divided; takes effect with the next rebuild',
    1,
    integer(1, 100),
  ),
  indexReplicas: setting(
    'REGISTRY_INDEX_REPLICAS',
    'copies of each shard on other nodes, as far as there are other nodes',
    1,
    integer(0, 10),
  ),
  indexBulkConcurrency: setting(
    'REGISTRY_INDEX_BULK_CONCURRENCY',
    'bulk requests of one process to the OpenSearch under way at once',
    4,
    integer(1, 64),
  ),
  contact: setting(
    'REGISTRY_CONTACT',
    'the URL in our User-Agent, where a site that we visit can reach us',
    'https://agent-registry.example/crawler',
    contactUrl,
  ),
  concurrency: setting('REGISTRY_CONCURRENCY', 'domains visited at the same time', 100, integer(1, 2_000)),
  probeConcurrency: setting(
    'REGISTRY_PROBE_CONCURRENCY',
    'agents probed at the same time',
    16,
    integer(1, 500),
  ),
  visitDeadlineMs: setting(
    'REGISTRY_VISIT_DEADLINE_MS',
    'for all requests of a domain’s visit together, milliseconds',
    15_000,
    integer(100, 600_000),
  ),
  probeDeadlineMs: setting(
    'REGISTRY_PROBE_DEADLINE_MS',
    'for a probe, milliseconds',
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
    'a file with what was agreed with single domains; see schemas/config/domains.json',
    '',
    text,
  ),
  schedule: setting(
    'REGISTRY_SCHEDULE',
    'a file with when each pipeline runs; see schemas/config/schedule.json',
    '',
    text,
  ),
  workerTimeoutMs: setting(
    'REGISTRY_WORKER_TIMEOUT_MS',
    'a worker that was not heard of for so long has lost its work, milliseconds',
    60_000,
    integer(10_000, 3_600_000),
  ),
  rateLimit: setting(
    'REGISTRY_RATE_LIMIT',
    'requests a minute for one key or address',
    3_000,
    integer(1, 10_000_000),
  ),
  trustedProxies: setting(
    'REGISTRY_TRUSTED_PROXIES',
    'addresses of proxies whose X-Forwarded-For counts, comma-separated',
    [] as readonly string[],
    list,
  ),
  logLevel: setting(
    'REGISTRY_LOG_LEVEL',
    'trace, debug, info, warn, error or silent',
    'info' as LogLevel,
    oneOf<LogLevel>('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  ),
} satisfies Record<string, Setting<unknown>>;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** The program's configuration, all members set. */
export type Config = { readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K]['fallback'] };

/** Whether the operator set a contact of their own; the placeholder leads nowhere. */
export function hasOwnContact({ contact }: Pick<Config, 'contact'>): boolean {
  return contact !== SETTINGS.contact.fallback;
}

/** Variables that other parts of the project read; they configure tests, not the program. */
const ELSEWHERE = ['REGISTRY_SEED'];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration from the environment; throws a RegistryError `usage` for an unknown or bad variable. A secret
 * setting REGISTRY_X may be in a file instead, which REGISTRY_X_FILE names.
 */
export function readConfig(env: Environment): Config {
  const known = new Set<string>([...Object.values(SETTINGS).flatMap(variablesOf), ...ELSEWHERE]);
  const unknown = Object.keys(env).find((name) => name.startsWith('REGISTRY_') && !known.has(name));
  if (unknown !== undefined) {
    throw new RegistryError('usage', `${unknown} is no setting of the registry`, {
      hint: `the settings are ${[...known].join(', ')}`,
    });
  }
  const entries = Object.entries(SETTINGS).map(([name, item]) => [
    name,
    settingValue(item as Setting<unknown>, textOf(item, env)),
  ]);
  return Object.fromEntries(entries) as Config;
}

function setting<T>(
  env: string,
  description: string,
  fallback: T,
  parse: Setting<T>['parse'],
  secret = false,
): Setting<T> {
  return { env, description, fallback, parse, ...(secret && { secret: true as const }) };
}

/** The variables that a setting can be read from. */
export function variablesOf({ env, secret }: Pick<Setting<unknown>, 'env' | 'secret'>): readonly string[] {
  return secret === true ? [env, `${env}_FILE`] : [env];
}

/** The text of a setting, from its variable or from the file that the other one names. */
function textOf(item: Setting<unknown>, env: Environment): string | undefined {
  const [fileVariable, text] = [`${item.env}_FILE`, env[item.env]];
  const path = item.secret === true ? env[fileVariable] : undefined;
  if (path === undefined) return text;
  if (text === undefined) return readSecret(path, fileVariable);
  throw new RegistryError('usage', `${item.env} and ${fileVariable} are both set`, {
    hint: 'leave one of them out',
  });
}

/** Without the line end that an editor or `echo` leaves. */
function readSecret(path: string, variable: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new RegistryError('usage', `${variable}: cannot read ${path}`, {
      cause,
      hint: 'check the path, and that the user of this process may read the file',
    });
  }
}

function settingValue(item: Setting<unknown>, value: string | undefined): unknown {
  if (value === undefined) return item.fallback;
  const parsed = item.parse(value);
  if (parsed !== undefined) return parsed;
  throw new RegistryError('usage', `${item.env} has a value that is not accepted`, {
    hint: `${item.description}; for example ${String(item.fallback)}`,
  });
}
