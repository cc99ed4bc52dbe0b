import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { elements, member } from '../base/json.ts';
import { once } from '../base/once.ts';
import type { Limiter } from './callers.ts';
import { HttpProblem, NOTHING_HERE } from './problem.ts';

/** CORS preflight response for an Authorization or a conditional header. */
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, OPTIONS, DELETE, PATCH, POST, PUT',
  'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match, Mcp-Protocol-Version',
  'access-control-max-age': '86400',
} as const;

interface KnownPath {
  readonly openapi: unknown;
  readonly methods: Set<string>;
}

/** Answers a request that no route takes, or throws the HttpProblem that refuses it. */
export type AnswerUnrouted = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * Answers what no route of `server` takes: OPTIONS and 405 with Allow where the path is known by other methods
 * (RFC 9110, section 15.5.6), else 404. `limiter` counts these requests too.
 */
export function createAnswerUnrouted(server: FastifyInstance, limiter: Limiter): AnswerUnrouted {
  const paths = new Map<string, KnownPath>();
  server.addHook('onRoute', ({ url, method, config }) => {
    const known = paths.get(url) ?? { openapi: config?.openapi, methods: new Set(['OPTIONS']) };
    for (const name of [method].flat()) known.methods.add(name);
    paths.set(url, known);
  });
  // made for the first request that no route takes, when all are registered
  const patterns = once(() =>
    [...paths].map(([url, { openapi, methods }]) => [patternOf(url, valuesIn(openapi)), methods] as const),
  );
  return async (request, reply) => {
    await limiter(request, reply);
    const path = request.raw.url?.split(/[?#]/, 1)[0] ?? '/';
    const [, methods] = patterns().find(([pattern]) => pattern.test(path)) ?? [];
    if (methods === undefined) throw notFound(path);
    const allow = [...methods].sort().join(', ');
    if (request.method === 'OPTIONS')
      return reply
        .code(204)
        .headers({ allow, ...PREFLIGHT_HEADERS })
        .send();
    // the router takes less than the pattern: no control character before a suffix
    if (methods.has(request.method)) throw notFound(path);
    throw methodNotAllowed(request.method, allow);
  };
}

/** The values that a parameter of the path can have, by its name, as its operation describes it. */
function valuesIn(openapi: unknown): ReadonlyMap<string, readonly string[]> {
  const inPath = elements(member(openapi, 'parameters')).filter((one) => member(one, 'in') === 'path');
  const described = inPath.map((one) => [String(member(one, 'name')), member(one, 'schema')] as const);
  return new Map(described.map(([name, schema]) => [name, elements(member(schema, 'enum')).map(String)]));
}

/** What the router takes by any method; a place where nothing can be is unknown by all of them. */
function patternOf(url: string, values: ReadonlyMap<string, readonly string[]>): RegExp {
  const text = url
    .replace(/[.+?^$()[\]{}|\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/:(\w+)/g, (_, name: string) => `(?:${values.get(name)?.join('|') || '[^/]+'})`);
  return new RegExp(`^${text}$`);
}

function notFound(path: string): HttpProblem {
  const unencoded = /^\/api\/registry\/agents\/https?:\//i.test(path);
  return new HttpProblem(
    'not_found',
    unencoded
      ? 'percent-encode the agent URL, including slashes, as one path segment: /api/registry/agents/{encodedUrl}/compliance'
      : NOTHING_HERE,
  );
}

function methodNotAllowed(method: string, allow: string): HttpProblem {
  const validValues = allow.split(', ');
  return new HttpProblem(
    'method_not_allowed',
    `${method} is not supported at this path`,
    { validValues },
    { allow },
  );
}
