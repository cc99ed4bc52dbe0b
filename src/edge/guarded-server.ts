import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { type ConnectionBounds, type CutReason, createConnections } from './connections.ts';
import { createFairQueue } from './fair-queue.ts';
import { onceAnswered } from './held-open.ts';
import { callerBehind, trusting } from './peer.ts';
import { PROBLEM_MEDIA_TYPE, type Refusal, requestFault } from './request-form.ts';
import { createQueues } from './request-queue.ts';

export interface EdgeBounds extends ConnectionBounds {
  /** Of the request line and the header. */
  readonly headerBytes: number;
  /** From the first byte of a request to the end of its header, and to its own end, milliseconds. */
  readonly headersMs: number;
  readonly requestMs: number;
  /**
   * Without a byte in either direction while a request is under way, milliseconds; 0: no bound. Longer than any answer takes.
   * Node looks twice at a reader who took a first part, so that one is gone after twice that time.
   */
  readonly inactiveMs: number;
  /** Between two requests, milliseconds. */
  readonly idleMs: number;
  /** Requests that wait on one connection behind the one that is answered. */
  readonly waiting: number;
  /** Between two looks at all connections, milliseconds. */
  readonly sweepMs: number;
  /** A turn of those who ask much is over with its answer, or after this: then it waits itself, for an engine. Milliseconds. */
  readonly turnMs: number;
}

/** What every server of ours bounds, unless it says otherwise. */
const BOUNDS: EdgeBounds = {
  headerBytes: 16_384,
  headersMs: 10_000,
  requestMs: 20_000,
  inactiveMs: 13_000,
  idleMs: 15_000,
  waiting: 16,
  sweepMs: 1_000,
  turnMs: 250,
  ofAddress: 256,
  ofAddressInNeed: 16,
  inAll: 8_192,
  writingMs: 15_000,
  bytesPerSecond: 16_384,
  unreadBytes: 256 * 1024 * 1024,
  lingerMs: 10_000,
  lingerBytes: 64 * 1024 * 1024,
};
/** A proxy in front keeps its connections for a minute, and must not lose a request on one that we end first. */
const IDLE_BEHIND_PROXY_MS = 72_000;

export interface EdgeOptions {
  readonly bounds?: Partial<EdgeBounds>;
  /** Addresses or CIDR ranges of proxies, whose connections are not counted. */
  readonly trustedProxies?: readonly string[];
  /** Why a well-formed request is not taken now, while so many others are answered; undefined to take it. */
  readonly turnAway?: (request: IncomingMessage, others: number) => Refusal | undefined;
  /**
   * Callers take turns, but not with these requests, such as those that ask how we are. Absent: nobody does, as where a few
   * known callers ask for all.
   */
  readonly isUrgent?: (request: IncomingMessage) => boolean;
  /** Whether an answer takes longer to make than most: others go first, and few of these are under way. Default: none does. */
  readonly isCostly?: (request: IncomingMessage) => boolean;
  /** Answers what is refused; default: a problem (RFC 9457). The connection is ended after it. */
  readonly refuse?: (refusal: Refusal, request: IncomingMessage, response: ServerResponse) => void;
  /** Hears of each connection that was ended for its reader's sake. */
  readonly onCut?: (reason: CutReason) => void;
  /** A clock that never goes back, milliseconds, by which readers are judged. Default: that of the process. */
  readonly now?: () => number;
}

/**
 * An HTTP server that no stranger holds: bounds on the header, on the time of reading and of writing, on connections by
 * address, one request at a time on each connection, and turns for callers, the least asking first. A request that can be read in two ways is refused.
 */
export function createGuardedServer(listener: RequestListener, options: EdgeOptions = {}): Server {
  const { trustedProxies = [], turnAway, isUrgent, isCostly = () => false } = options;
  const { refuse = refuseAsProblem, onCut = () => {}, now = () => performance.now() } = options;
  const callerOf = callerBehind(trustedProxies);
  const behindProxy = trustedProxies.length > 0 ? { idleMs: IDLE_BEHIND_PROXY_MS } : {};
  const bounds = { ...BOUNDS, ...behindProxy, ...options.bounds };
  const server = createServer({
    maxHeaderSize: bounds.headerBytes,
    headersTimeout: bounds.headersMs,
    requestTimeout: bounds.requestMs,
    keepAliveTimeout: bounds.idleMs,
    connectionsCheckingInterval: bounds.sweepMs,
    // Node would refuse it with an empty body; requestFault says why
    requireHostHeader: false,
  });
  // Node drops further lines silently; requestFault counts them all
  server.maxHeadersCount = 0;
  server.setTimeout(bounds.inactiveMs);
  let underWay = 0;
  const connections = createConnections(bounds, trusting(trustedProxies), onCut, now);
  const turns = isUrgent && createFairQueue({ turnMs: bounds.turnMs, refuse, isCostly });
  // what waits for its turn is answered, though its caller has said that nothing more comes
  if (turns !== undefined) Object.assign(server, { httpAllowHalfOpen: true });
  const queues = createQueues(bounds.waiting, answer, refuse);
  server.on('connection', (socket: Socket) => {
    if (connections.add(socket)) turns?.connected();
  });
  server.on('request', (request, response) => {
    connections.mayEndEarly(request);
    queues.add(request, response);
  });
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0) onCut('slow_reader');
    socket.destroy();
  });
  let sweeper: NodeJS.Timeout | undefined;
  server.on('listening', () => {
    sweeper = setInterval(() => connections.sweep(), bounds.sweepMs).unref();
  });
  server.on('close', () => clearInterval(sweeper));

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const refusal = requestFault(request) ?? turnAway?.(request, underWay);
    if (refusal !== undefined) {
      refuse(refusal, request, response);
      return;
    }
    if (turns === undefined || isUrgent?.(request)) begin(request, response);
    else turns.add(callerOf(request), request, response, () => begin(request, response));
  }

  function begin(request: IncomingMessage, response: ServerResponse): void {
    underWay += 1;
    onceAnswered(response, () => {
      underWay -= 1;
    });
    listener(request, response);
  }

  return server;
}

function refuseAsProblem(
  { status, code, detail, retryAfter }: Refusal,
  _: IncomingMessage,
  response: ServerResponse,
): void {
  const body = JSON.stringify({
    type: 'about:blank',
    title: code.replaceAll('_', ' '),
    status,
    code,
    detail,
  });
  response
    .writeHead(status, {
      'content-type': PROBLEM_MEDIA_TYPE,
      'cache-control': 'no-store',
      connection: 'close',
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    })
    .end(body);
}
