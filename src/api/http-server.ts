import type { RequestListener, Server } from 'node:http';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { createGuardedServer, type EdgeOptions } from '../edge/guarded-server.ts';
import { checkedProxies, isNearby, trusting } from '../edge/peer.ts';
import { OVERLOADED, watchEventLoop } from '../edge/watchdog.ts';
import type { EdgeMetrics } from '../ops/edge-metrics.ts';
import { countFault } from '../ops/engine-metrics.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { Clock } from '../ports/clock.ts';
import { answerHead, COMMON_HEADERS, REQUEST_ID, requestIds } from './answers.ts';
import { type Limiter, type RateLimit, registerRateLimit } from './callers.ts';
import {
  answerClientError,
  answerExpectation,
  answerRefusal,
  createSendProblem,
  type PageOfProblem,
} from './error-answers.ts';
import { keepQueryText } from './parameters.ts';
import { takeJson } from './take-json.ts';
import { createAnswerUnrouted } from './unrouted.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** It goes on for as long as its reader wants: its time says nothing of the server. */
    isHeldOpen: boolean;
  }
}

export interface HttpServerOptions {
  readonly logger: FastifyBaseLogger;
  readonly metrics: Pick<Metrics, 'httpRequest' | 'fault' | keyof EdgeMetrics>;
  readonly clock: Clock;
  /** Absent: no limit. */
  readonly rateLimit?: RateLimit;
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-For and -Proto are trusted. */
  readonly trustedProxies: readonly string[];
  /** Called with the address of a proxy that is not trusted, once. */
  readonly onUntrustedProxy?: (address: string) => void;
  /** The public address. Default: what each request was sent to. */
  readonly baseUrl?: string;
  /** For an answer, milliseconds; 503 after it. Default 5,000. */
  readonly answerWithinMs?: number;
  /** By which bounds and clock connections are judged. Default: as those of every server of ours. */
  readonly edge?: Pick<EdgeOptions, 'bounds' | 'now'>;
  /** What browsers are shown in place of a problem. Default: the problem. */
  readonly pageOfProblem?: PageOfProblem;
}

/** The route label of whatever no route took: addresses of strangers never become labels. */
const UNMATCHED = 'unmatched';

/** A caller of a store that hangs gets a 503 and may come back; reads of an index engine give up long before. */
const ANSWER_WITHIN_MS = 5_000;

// A path of 2,000 characters outside ASCII takes up to nine bytes each once it is percent-encoded.
const MAX_HEADER_BYTES = 32_768;

export interface HttpServer {
  readonly server: FastifyInstance;
  /** Counts the requests of a caller. */
  readonly limiter: Limiter;
}

/**
 * Makes the HTTP server without any operation: its bounds, what every answer carries, what is measured of it, and the
 * answers to what it cannot understand and to what no operation takes.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { logger, metrics, trustedProxies, answerWithinMs = ANSWER_WITHIN_MS } = options;
  const sendProblem = createSendProblem(options.pageOfProblem);
  const server = fastify({
    loggerInstance: logger,
    // One line for each request is written by measureRequests, with our own fields.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (parent) => parent,
    handlerTimeout: answerWithinMs,
    pluginTimeout: 0, // they wait for the processor alone, which others may hold for longer than its ten seconds
    genReqId: requestIds(),
    trustProxy: checkedProxies(trustedProxies),
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
    exposeHeadRoutes: false,
    serverFactory: (listener) => guarded(listener, options),
  });
  takeJson(server);
  server.setErrorHandler(sendProblem);
  server.server.on('checkExpectation', answerExpectation);
  answerHead(server);
  setCommonHeaders(server);
  measureRequests(server, metrics);
  const limiter = registerRateLimit(server, options.rateLimit);
  const answerUnrouted = createAnswerUnrouted(server, limiter);
  const noteProxy = createProxyNote(options);
  server.addHook('onRequest', async (request, reply) => {
    noteProxy(request);
    if (request.is404) return answerUnrouted(request, reply); // before any body is read
  });
  return { server, limiter };
}

/** Health checks, which matter most under overload: never shed and never queued. */
const ABOUT_US = /^\/(?:healthz|readyz|metrics)(?:$|\?)/;

/** Where programs ask. All else is a page for people, who feel no millisecond. */
export const FOR_PROGRAMS =
  /^\/(?:api|v1|schemas|healthz|readyz|metrics|openapi\.json|\.well-known|assets)(?:\/|$|\?)/;

/** A server with the bounds of the edge, whose requests are sent away while the event loop is blocked for too long. */
function guarded(
  listener: RequestListener,
  { metrics, trustedProxies, pageOfProblem, edge = {} }: HttpServerOptions,
): Server {
  const server = createGuardedServer(listener, {
    ...edge,
    bounds: { headerBytes: MAX_HEADER_BYTES, ...edge.bounds },
    trustedProxies,
    isUrgent: ({ url = '' }) => ABOUT_US.test(url),
    isCostly: ({ url = '' }) => !FOR_PROGRAMS.test(url),
    turnAway({ url = '' }, others) {
      if (!watchdog.isOverloaded(others) || ABOUT_US.test(url)) return undefined;
      metrics.requestShed();
      return OVERLOADED;
    },
    refuse(refusal, request, response) {
      metrics.httpRequest(UNMATCHED, request.method ?? '', refusal.status, 0);
      answerRefusal(refusal, request, response, pageOfProblem);
    },
    onCut: metrics.connectionCut,
  });
  const watchdog = watchEventLoop(server);
  metrics.watchBlocks(watchdog.longestBlockMs);
  return server;
}

/** Sets the common headers and the request id before anything else can answer. */
function setCommonHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(COMMON_HEADERS).header(REQUEST_ID, request.id);
    done();
  });
}

/**
 * Says once that requests come through a proxy that is not trusted: then all of its callers are one party. Only an address
 * that is not public counts, as anybody may send the header.
 */
function createProxyNote({ logger, trustedProxies, onUntrustedProxy }: HttpServerOptions) {
  const isTrusted = trusting(trustedProxies);
  let isSaid = false;
  return ({ headers, socket: { remoteAddress: address = '' } }: FastifyRequest): void => {
    const isForwarded = 'x-forwarded-for' in headers || 'x-forwarded-proto' in headers;
    if (isSaid || !isForwarded || isTrusted(address) || !isNearby(address)) return;
    isSaid = true;
    logger.warn(
      { address, setting: 'REGISTRY_TRUSTED_PROXIES' },
      'requests come through an untrusted proxy: all of its callers share one rate limit. Set REGISTRY_TRUSTED_PROXIES',
    );
    onUntrustedProxy?.(address);
  };
}

/** Counts every answer and every fault of an engine behind one, and logs one line for each at level debug. */
function measureRequests(server: FastifyInstance, metrics: Pick<Metrics, 'httpRequest' | 'fault'>): void {
  server.decorateReply('isHeldOpen', false);
  server.addHook('onError', (_request, _reply, error, done) => {
    countFault(metrics, error);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { id, method, routeOptions } = request;
    const { statusCode: status, elapsedTime: ms } = reply;
    const route = routeOptions.url ?? UNMATCHED;
    metrics.httpRequest(route, method, status, reply.isHeldOpen ? 0 : ms / 1_000);
    request.log.debug({ request_id: id, method, route, status, ms }, 'request completed');
    done();
  });
}

/** A server must take the absolute form of a request target too (RFC 9112, section 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  return /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1]?.replace(/^(?!\/)/, '/') ?? target;
}
