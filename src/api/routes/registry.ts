import type { FastifyInstance } from 'fastify';
import { createBodyCache } from '../body-cache.ts';
import { createKeyUse } from '../key-use.ts';
import { cursorSecretOf } from '../list-agents.ts';
import type { Limiter } from '../rate-limit.ts';
import type { ServerOptions } from '../server.ts';
import { identifyViewer, invalidKey, type Viewer } from '../viewer.ts';
import { listRoute } from './agents.ts';
import { badgeRoute } from './badge.ts';
import { complianceRoutes } from './compliance.ts';
import { settingsRoutes } from './settings.ts';

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
  const noteUse = createKeyUse(records.keys);
  api.decorateRequest('viewer');
  api.addHook('onRequest', async (request, reply) => {
    const { viewer, key } = await identifyViewer(request.headers.authorization, records.keys);
    request.viewer = viewer;
    await limiter(request, reply);
    if (viewer.kind === 'refused') throw invalidKey();
    if (key !== undefined) noteUse(key, options.clock.now(), request.log);
  });
  listRoute(api, {
    ...options,
    cursorSecret,
    cache: createBodyCache(config.cacheBytes ?? CACHE_BYTES),
    baseUrl: config.baseUrl ?? '',
  });
  complianceRoutes(api, { records, baseUrl: config.baseUrl ?? '' });
  badgeRoute(api, { records });
  settingsRoutes(api, options);
}
