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
    'where the records are: sqlite:PATH',
    'sqlite:.registry/registry.sqlite',
    text,
    true,
  ),
  index: setting(
    'REGISTRY_INDEX',
    'where the index is; `records` is the SQLite file of the records',
    'records',
    oneOf('records'),
    true,
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

/** Reads the configuration from the environment; throws a RegistryError `usage` for an unknown or bad variable. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const known = new Set<string>([...Object.values(SETTINGS).map((item) => item.env), ...ELSEWHERE]);
  const unknown = Object.keys(env).find((name) => name.startsWith('REGISTRY_') && !known.has(name));
  if (unknown !== undefined) {
    throw new RegistryError('usage', `${unknown} is no setting of the registry`, {
      hint: `the settings are ${[...known].join(', ')}`,
    });
  }
  const entries = Object.entries(SETTINGS).map(([name, item]) => [
    name,
    settingValue(item as Setting<unknown>, env[item.env]),
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

function settingValue(item: Setting<unknown>, value: string | undefined): unknown {
  if (value === undefined) return item.fallback;
  const parsed = item.parse(value);
  if (parsed !== undefined) return parsed;
  throw new RegistryError('usage', `${item.env} has a value that is not accepted`, {
    hint: `${item.description}; for example ${String(item.fallback)}`,
  });
}
