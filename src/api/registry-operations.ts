import type { FastifyInstance } from 'fastify';
import { badgeKeysOf } from '../signing/badge-keys.ts';
import { createBodyCache } from './body-cache.ts';
import { createKeyUse } from './key-use.ts';
import { cursorSecretOf } from './list-agents.ts';
import { badgeTimelineOperation } from './operations/badge-timeline.ts';
import { badgeOperations } from './operations/badges.ts';
import { complianceOperations } from './operations/compliance.ts';
import { credentialOperations } from './operations/credential.ts';
import { listAgentsOperation } from './operations/list-agents.ts';
import { settingsOperations } from './operations/settings.ts';
import { startRunOperation } from './operations/start-run.ts';
import { createOwnersLooks } from './owners-looks.ts';
import type { Limiter } from './rate-limit.ts';
import type { ServerOptions } from './server.ts';
import { identifyViewer, invalidKey, type Viewer } from './viewer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; only known in the registry's operations. */
    viewer: Viewer | undefined;
  }
}

const CACHE_BYTES = 64 * 1_024 * 1_024;

/** The registry's operations: every caller is identified and counted; then one with a wrong key is refused. */
export async function registryOperations(
  api: FastifyInstance,
  options: ServerOptions & { readonly limiter: Limiter },
): Promise<void> {
  const { records, config, limiter } = options;
  const cursorSecret = await cursorSecretOf(records);
  const noteUse = createKeyUse(records.keys);
  const looks = createOwnersLooks(records.owners);
  api.decorateRequest('viewer');
  api.addHook('onClose', () => looks.settled());
  api.addHook('onRequest', async (request, reply) => {
    const { viewer, key } = await identifyViewer(request.headers.authorization, records.keys);
    request.viewer = viewer;
    await limiter(request, reply);
    if (viewer.kind === 'refused') throw invalidKey();
    if (key !== undefined) noteUse(key, options.clock.now(), request.log);
  });
  listAgentsOperation(api, {
    ...options,
    cursorSecret,
    cache: createBodyCache(config.cacheBytes ?? CACHE_BYTES),
    baseUrl: config.baseUrl ?? '',
  });
  complianceOperations(api, {
    records,
    baseUrl: config.baseUrl ?? '',
    ...(config.tiers && { tiers: config.tiers }),
    noteLook: (look, log) => looks.note(look, options.clock.now(), log),
  });
  await startRunOperation(api, { ...options, baseUrl: config.baseUrl ?? '' });
  badgeTimelineOperation(api, { records, baseUrl: config.baseUrl ?? '' });
  badgeOperations(api, {
    ...options,
    keys: config.badgeKeys ?? (await badgeKeysOf(await records.secret('badge', 32))),
    issuer: config.baseUrl ?? `urn:uuid:${await records.id()}`,
  });
  settingsOperations(api, { ...options, ...(config.tiers && { tiers: config.tiers }) });
  credentialOperations(api, options);
}
