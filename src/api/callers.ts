import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Budgets, type Party, partyOfMember } from '../budgets/budgets.ts';
import type { ApiScope } from '../domain/api-scope.ts';
import { networkOf, peerOf } from '../edge/peer.ts';
import { apiKeyId, isApiKey } from '../owners/secrets.ts';
import type { Clock } from '../ports/clock.ts';
import type { ApiKey, ApiKeyStore } from '../records/owners/keys.ts';
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
  readonly budgets: Budgets;
}

/**
 * Identifies and counts the caller of every operation registered in `server`; then one with a wrong key is refused. What needs
 * another scope than `read` changes something, and has a budget of its own: each change is a write that others wait for, and a record
 * that is kept for ever.
 */
export function identifyCallers(server: FastifyInstance, parts: CallerParts): void {
  const { keys, clock, limiter, budgets } = parts;
  const noteUse = createKeyUseLog(keys);
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
    if (scope !== 'read') await budgets.spend('changes', { party: partyOf(request) });
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
    'the API key is malformed, unknown, revoked or expired; send "Authorization: Bearer KEY" with a valid key, or omit the header',
    {},
    { 'www-authenticate': 'Bearer realm="registry", error="invalid_token"' },
  );
}

export interface RateLimit {
  /** Requests that one party may make in a window. */
  readonly max: number;
  /** Length of the window, milliseconds. */
  readonly windowMs: number;
}

/** Bits of an IPv6 address that make a party. */
const PARTY_PREFIX = 48;
/** Parties remembered at once; beyond it the one unseen for longest is forgotten. */
const PARTIES = 20_000;

/** Counts requests, and throws an HttpProblem when their caller has made too many. */
export interface Limiter {
  (request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  /** Counts so many more requests that came in one, as the messages of a batch do. */
  more(request: FastifyRequest, count: number): Promise<void>;
}

/**
 * Counts requests by party. No route is limited by itself: who wants to be calls the limiter. Without a limit nothing is
 * counted.
 */
export function registerRateLimit(server: FastifyInstance, limit: RateLimit | undefined): Limiter {
  if (limit === undefined) return Object.assign(async () => {}, { more: async () => {} });
  server.register(rateLimit, {
    global: false,
    max: limit.max,
    timeWindow: limit.windowMs,
    cache: PARTIES,
    enableDraftSpec: true,
    keyGenerator: ({ viewer, ip }) =>
      viewer?.kind === 'member' ? `member:${viewer.member}` : rateLimit.normalizeIP(ip, PARTY_PREFIX),
    errorResponseBuilder: (_request, { ttl }) => tooMany(limit, ttl),
  });
  // The plugin is loaded when the server is ready, which it is once it answers.
  let count: ((request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) | undefined;
  let countAgain: ReturnType<FastifyInstance['createRateLimit']> | undefined;
  return Object.assign(
    (request: FastifyRequest, reply: FastifyReply) => {
      count ??= server.rateLimit().bind(server) as NonNullable<typeof count>;
      return count(request, reply);
    },
    {
      async more(request: FastifyRequest, times: number) {
        countAgain ??= server.createRateLimit();
        for (let time = 0; time < times; time += 1) {
          const counted = await countAgain(request);
          if (!counted.isAllowed && counted.isExceeded) throw tooMany(limit, counted.ttl);
        }
      },
    },
  );
}

function tooMany({ max, windowMs }: RateLimit, waitMs: number): HttpProblem {
  const seconds = Math.ceil(waitMs / 1_000);
  return new HttpProblem(
    'rate_limited',
    `rate limit reached: ${max} requests in ${windowMs / 1_000} s; try again in ${seconds} s`,
    {},
    { 'retry-after': String(seconds) },
  );
}

/** Whom a request is counted for: the member, with whichever key, or else the address. */
export function partyOf({ viewer, ip }: Pick<FastifyRequest, 'viewer' | 'ip'>): Party {
  if (viewer?.kind === 'member') return partyOfMember(viewer.member);
  return { id: `address:${peerOf(ip)}`, network: networkOf(ip) };
}
