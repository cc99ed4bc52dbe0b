import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createAllowance } from '../base/allowance.ts';
import type { ApiScope } from '../domain/api-scope.ts';
import { NETWORK_SHARES, siteOf } from '../edge/peer.ts';
import { apiKeyId, isApiKey } from '../owners/secrets.ts';
import type { Clock } from '../ports/clock.ts';
import type { ApiKey, ApiKeyStore } from '../ports/members.ts';
import { createKeyUseLog } from './access-log.ts';
import { HttpProblem, missingScope } from './problem.ts';

/** Who asks. A wrong key is its own kind: it is counted against its address, then refused. */
export type Viewer = { readonly kind: 'public' } | MemberViewer | { readonly kind: 'refused' };

/** A member, by one of its API keys. */
export interface MemberViewer {
  readonly kind: 'member';
  readonly member: string;
  readonly keyId: string;
  /** Absent: every scope. */
  readonly scopes?: readonly ApiScope[];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What an API key has to be for here; asked before anything is looked at, so it is the same for every agent. */
    readonly scope?: ApiScope;
  }
  interface FastifyRequest {
    /** Who asks; only known in the registry's operations. */
    viewer: Viewer | undefined;
  }
}

interface CallerParts {
  /** Who asks. Default: by the Authorization header. */
  readonly identify?: (request: FastifyRequest) => Promise<IdentifiedViewer>;
  readonly keys: Pick<ApiKeyStore, 'find' | 'noteUse'>;
  readonly clock: Clock;
  readonly limiter: Limiter;
  /** Absent: no limit. */
  readonly rateLimit?: RateLimit;
}

/**
 * The part of what one key may ask that a member may change with all its keys: each change is a write that others wait for,
 * and a record that is kept for ever.
 */
const CHANGES_PART = 25;

/**
 * Identifies and counts the caller of every operation registered in `server`; then one with a wrong key is refused. What needs
 * another scope than `read` changes something, and is counted by member too.
 */
export function identifyCallers(server: FastifyInstance, parts: CallerParts): void {
  const { keys, clock, limiter, rateLimit: limit } = parts;
  const noteUse = createKeyUseLog(keys);
  const changes = limit && { ...limit, max: Math.ceil(limit.max / CHANGES_PART) };
  const changeWaitMs = changes && createAllowance({ clock, ...changes });
  server.decorateRequest('viewer');
  const byHeader = ({ headers }: FastifyRequest) => identifyViewer(headers.authorization, keys, clock);
  const { identify = byHeader } = parts;
  server.addHook('onRequest', async (request, reply) => {
    const { viewer, key } = await identify(request);
    request.viewer = viewer;
    await limiter(request, reply);
    if (viewer.kind === 'refused') throw invalidKey();
    if (key !== undefined) noteUse(key, clock.now(), request.log);
    const { scope } = request.routeOptions.config;
    if (scope === undefined || viewer.kind !== 'member') return;
    if (!hasScope(viewer, scope)) throw missingScope(scope);
    if (scope !== 'read')
      refuseWhile(changeWaitMs?.(viewer.member) ?? 0, `${changes?.max} changes of a member`);
  });
}

/** Whether a key may do this. */
export function hasScope({ scopes }: MemberViewer, scope: ApiScope): boolean {
  return scopes === undefined || scopes.includes(scope);
}

const PUBLIC_VIEWER: Viewer = { kind: 'public' };

/** A caller, and the key it is known by. */
export interface IdentifiedViewer {
  readonly viewer: Viewer;
  readonly key?: ApiKey;
}

const REFUSED: IdentifiedViewer = { viewer: { kind: 'refused' } };

// RFC 6750, section 2.1; the bound keeps anybody from making us hash a header of any length.
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]{1,512}=*)$/i;

/**
 * The caller behind an Authorization header: a member by an API key, or the public without one. The store is asked for
 * each request, so that a revoked key ends at once in every process. A malformed, unknown, revoked or expired key is
 * `refused`, never silently public.
 */
export async function identifyViewer(
  authorization: string | undefined,
  keys: Pick<ApiKeyStore, 'find'>,
  clock: Clock,
): Promise<IdentifiedViewer> {
  if (authorization === undefined) return { viewer: PUBLIC_VIEWER };
  const token = BEARER.exec(authorization)?.[1] ?? '';
  const id = apiKeyId(token);
  const key = id === undefined ? undefined : await keys.find(id);
  return key !== undefined && isApiKey(token, key.hash) ? viewerOf(key, clock.now()) : REFUSED;
}

/** The caller behind a key that is known to be its own; `refused` where the key is revoked or over. */
export function viewerOf(key: ApiKey, now: number): IdentifiedViewer {
  const { id: keyId, member, scopes, expiresAt, revokedAt } = key;
  if (revokedAt !== undefined || (expiresAt !== undefined && expiresAt <= now)) return REFUSED;
  return { viewer: { kind: 'member', member, keyId, ...(scopes && { scopes }) }, key };
}

/** The answer to a refused caller (RFC 6750, section 3). */
export function invalidKey(): HttpProblem {
  return new HttpProblem(
    'invalid_key',
    'the API key is malformed, unknown, revoked or expired; send "Authorization: Bearer KEY" with a valid key, or no header at all',
    {},
    { 'www-authenticate': 'Bearer realm="registry", error="invalid_token"' },
  );
}

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
 * Counts requests by API key, or by address (an IPv6 /64 counts as one) where there is none, and then by the IPv6 /48 too,
 * which may do what eight addresses may. No route is limited by itself: who wants to be calls the limiter. Without a limit
 * nothing is counted.
 */
export function registerRateLimit(
  server: FastifyInstance,
  limit: RateLimit | undefined,
  clock: Clock,
): Limiter {
  if (limit === undefined) return () => Promise.resolve();
  const ofNetwork = { max: limit.max * NETWORK_SHARES, windowMs: limit.windowMs };
  const networkWaitMs = createAllowance({ clock, ...ofNetwork });
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
  return async (request, reply) => {
    // The plugin is loaded when the server is ready, which it is once it answers.
    count ??= server.rateLimit().bind(server) as Limiter;
    await count(request, reply); // first: what one address does too often is not its neighbours' fault
    if (request.viewer?.kind === 'member' || !request.ip.includes(':')) return;
    const network = siteOf(request.ip);
    if (network !== undefined) refuseWhile(networkWaitMs(network), `${ofNetwork.max} requests of ${network}`);
  };
}

/** Throws the HttpProblem for a caller that has to wait; `allowed` says what there is in a minute. */
export function refuseWhile(waitMs: number, allowed: string): void {
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1_000);
  throw new HttpProblem(
    'rate_limited',
    `more than ${allowed} in a minute; try again in ${seconds} s`,
    {},
    { 'retry-after': String(seconds) },
  );
}

/** Whom requests are counted for: an API key, or an address. */
export function callerOf(request: FastifyRequest): string {
  const { viewer } = request;
  return viewer?.kind === 'member' ? `key:${viewer.keyId}` : rateLimit.normalizeIP(request.ip);
}
