import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { TierTable } from '../compliance/badges/tiers.ts';
import { RegistryError } from '../errors.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { Credentials } from '../owners/credentials.ts';
import type { AgentIndex } from '../ports/agent-index.ts';
import type { Clock } from '../ports/clock.ts';
import type { Records } from '../ports/records.ts';
import type { AgentSignatures } from '../signing/agent-keys.ts';
import type { BadgeKeys } from '../signing/badge-keys.ts';
import { answerClientError, answerExpectation } from './client-error.ts';
import { sendProblem } from './error-handler.ts';
import { registerFigures, UNMATCHED } from './figures.ts';
import { registerHeaders } from './headers.ts';
import { collectPaths } from './openapi.ts';
import { documentOperations } from './operations/documents.ts';
import { healthOperations } from './operations/health.ts';
import { metricsOperation } from './operations/metrics.ts';
import { schemaOperations } from './operations/schemas.ts';
import { keepQueryText } from './query-text.ts';
import { type RateLimit, registerRateLimit } from './rate-limit.ts';
import { registryOperations } from './registry-operations.ts';
import { registerUnrouted } from './unrouted.ts';

export interface ServerConfig {
  /** Absent: no limit. */
  readonly rateLimit?: RateLimit;
  /** Addresses or CIDR ranges whose X-Forwarded-For is believed; nobody else's is. */
  readonly trustedProxies: readonly string[];
  /** Of the program. */
  readonly version: string;
  /** The public address without a trailing slash; absent: links are relative. */
  readonly baseUrl?: string;
  /** What badges are signed with; absent: with a key that is kept in the records. */
  readonly badgeKeys?: BadgeKeys;
  /** Which memberships grant badges; absent: the usual ones. */
  readonly tiers?: TierTable;
  /** For rendered list answers, bytes. Default 64 MiB. */
  readonly cacheBytes?: number;
  /** For an answer, milliseconds; 503 after it. Default 5,000. */
  readonly answerWithinMs?: number;
}

export interface ServerOptions {
  readonly records: Records;
  readonly index: AgentIndex;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  /** Why this process could not write to the records or the index when it last tried; undefined while it can. */
  readonly writeFaults?: () => readonly unknown[];
  /** Whether this process counts the visits that are due for its figures. Default true. */
  readonly countsDue?: boolean;
  /** Brings what an owner changed into the list, within the time that a caller may wait for it. */
  readonly onChanged?: () => Promise<void>;
  /** What requests are verified with that agents sign; absent: no signed request is taken. */
  readonly signatures?: AgentSignatures;
  /** The test credentials of owners; absent: none can be stored. */
  readonly credentials?: Credentials;
  readonly config: ServerConfig;
}

/** Makes the HTTP server with all its routes; `serve` makes it listen, `close` ends it. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { metrics, config } = options;
  const server = bareServer(options);
  registerHeaders(server);
  registerFigures(server, metrics);
  const limiter = registerRateLimit(server, config.rateLimit);
  registerUnrouted(server, limiter);
  server.register(async (all) => {
    const paths = collectPaths(all);
    await all.register((api) => registryOperations(api, { ...options, limiter }));
    schemaOperations(all);
    healthOperations(all, options);
    metricsOperation(all, options);
    documentOperations(all, config, paths);
  });
  return server;
}

/** A store that hangs is told to the caller, who may come back; reads of an index engine give up long before. */
const ANSWER_WITHIN_MS = 5_000;

// A path of 2,000 characters outside ASCII takes up to nine bytes each once it is percent-encoded.
const MAX_HEADER_BYTES = 32_768;

function bareServer({ logger, metrics, config }: ServerOptions): FastifyInstance {
  const server = fastify({
    loggerInstance: logger,
    // One line for each request is written by registerFigures, with our own fields.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (parent) => parent,
    handlerTimeout: config.answerWithinMs ?? ANSWER_WITHIN_MS,
    genReqId: requestIds(),
    trustProxy: trustedProxies(config),
    routerOptions: { maxParamLength: MAX_HEADER_BYTES, querystringParser: keepQueryText },
    rewriteUrl: (request) => originForm(request.url ?? '/'),
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      metrics.httpRequest(UNMATCHED, request.method, 400, 0);
      sendProblem(error, request, reply);
    },
    // What arrives on an open connection while we stop is still answered, with "connection: close".
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: 30_000,
    // Node would refuse a request without Host with an empty body; registerHeaders does it as a problem.
    http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: 15_000, requireHostHeader: false },
  });
  server.setErrorHandler(sendProblem);
  server.server.on('checkExpectation', answerExpectation);
  return server;
}

/** Who may say for whom it asks; a list that holds anything but addresses and ranges is refused. */
function trustedProxies(config: ServerConfig): string[] | false {
  const wrong = config.trustedProxies.find((proxy) => !isAddressOrRange(proxy));
  if (wrong === undefined) return config.trustedProxies.length > 0 ? [...config.trustedProxies] : false;
  throw new RegistryError('usage', `${wrong} is not the address of a proxy`, {
    hint: 'list IP addresses or CIDR ranges, for example 192.0.2.1,2001:db8::/32',
  });
}

function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Ids that are unlike those of another process, and cheap: a random start and a count. */
function requestIds(): () => string {
  const start = randomBytes(6).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${start}-${count.toString(36)}`;
  };
}

/** A server must take the absolute form of a request target too (RFC 9112, section 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  return /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1]?.replace(/^(?!\/)/, '/') ?? target;
}
