import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from './problem.ts';

export interface RateLimit {
  /** Requests that one key, or one address without a key, may make in a window. */
  readonly max: number;
  /** Length of the window, milliseconds. */
  readonly windowMs: number;
}

// Callers remembered at once; beyond it the one unseen for longest is forgotten.
const CALLERS = 20_000;

/** Counts a request and throws an HttpProblem when its caller has made too many. */
export type Limiter = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/**
 * Counts requests by API key, or by address (an IPv6 /64 counts as one) where there is none. No route is
 * limited by itself: who wants to be calls the limiter. Without a limit nothing is counted.
 */
export function registerRateLimit(server: FastifyInstance, limit: RateLimit | undefined): Limiter {
  if (limit === undefined) return () => Promise.resolve();
  server.register(rateLimit, {
    global: false,
    max: limit.max,
    timeWindow: limit.windowMs,
    cache: CALLERS,
    enableDraftSpec: true,
    keyGenerator: callerOf,
    errorResponseBuilder: (_request, context) =>
      new HttpProblem(
        'rate_limited',
        `more than ${context.max} requests in ${limit.windowMs / 1_000} s; try again in ${context.after}`,
      ),
  });
  let count: Limiter | undefined;
  return (request, reply) => {
    // The plugin is loaded when the server is ready, which it is once it answers.
    count ??= server.rateLimit().bind(server) as Limiter;
    return count(request, reply);
  };
}

/** Whom requests are counted for: an API key, or an address. */
export function callerOf(request: FastifyRequest): string {
  const { viewer } = request;
  return viewer?.kind === 'member' ? `key:${viewer.keyId}` : rateLimit.normalizeIP(request.ip);
}
