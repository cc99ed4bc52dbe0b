import type { FastifyInstance } from 'fastify';
import { PREFLIGHT_HEADERS } from './headers.ts';
import { HttpProblem } from './problem.ts';
import type { Limiter } from './rate-limit.ts';

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/**
 * Answers what no route takes, before any body is read: OPTIONS and 405 with Allow where the path is known by
 * other methods (RFC 9110, section 15.5.6), else 404. `limiter` counts these requests too.
 */
export function registerUnrouted(server: FastifyInstance, limiter: Limiter): void {
  const paths = new Map<string, KnownPath>();
  server.addHook('onRoute', ({ url, method }) => {
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set(['OPTIONS']) };
    for (const name of [method].flat()) known.methods.add(name);
    paths.set(url, known);
  });
  server.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    await limiter(request, reply);
    const path = request.raw.url?.split(/[?#]/, 1)[0] ?? '/';
    const known = paths.values().find(({ pattern }) => pattern.test(path));
    if (known === undefined) throw notFound(path);
    const allow = [...known.methods].sort().join(', ');
    if (request.method === 'OPTIONS')
      return reply
        .code(204)
        .headers({ allow, ...PREFLIGHT_HEADERS })
        .send();
    throw methodNotAllowed(request.method, allow);
  });
}

function patternOf(url: string): RegExp {
  const text = url
    .replace(/[.+?^$()[\]{}|\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/:\w+/g, '[^/]*');
  return new RegExp(`^${text}$`);
}

function notFound(path: string): HttpProblem {
  const unencoded = /^\/api\/registry\/agents\/https?:\//i.test(path);
  return new HttpProblem(
    'not_found',
    unencoded
      ? 'percent-encode the agent URL, slashes included, as one segment: /api/registry/agents/{encodedUrl}/compliance'
      : 'there is nothing at this address; / lists the operations',
  );
}

function methodNotAllowed(method: string, allow: string): HttpProblem {
  const validValues = allow.split(', ');
  return new HttpProblem('method_not_allowed', `${method} is not possible here`, { validValues }, { allow });
}
