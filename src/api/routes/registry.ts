import type { FastifyInstance } from 'fastify';
import { createBodyCache } from '../body-cache.ts';
import { cursorSecretOf } from '../list-agents.ts';
import type { Limiter } from '../rate-limit.ts';
import type { ServerOptions } from '../server.ts';
import { identifyViewer, invalidKey, type Viewer } from '../viewer.ts';
import { listRoute } from './agents.ts';
import { complianceRoute } from './compliance.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; only known in the registry's operations. */
    viewer: Viewer | undefined;
  }
}

const CACHE_BYTES = 64 * 1_024 * 1_024;

/** The registry's operations: every caller is identified and counted; then one with a wrong key is refused. */
export async function registryRoutes(
  api: FastifyInstance,
  options: ServerOptions & { readonly limiter: Limiter },
): Promise<void> {
  const { records, config, limiter } = options;
  const cursorSecret = await cursorSecretOf(records);
  api.decorateRequest('viewer');
  api.addHook('onRequest', async (request, reply) => {
    request.viewer = await identifyViewer(request.headers.authorization, records.members);
    await limiter(request, reply);
    if (request.viewer.kind === 'refused') throw invalidKey();
  });
  listRoute(api, {
    ...options,
    cursorSecret,
    cache: createBodyCache(config.cacheBytes ?? CACHE_BYTES),
    baseUrl: config.baseUrl ?? '',
  });
  complianceRoute(api, records);
}
