import type { FastifyInstance } from 'fastify';
import { type KeptWork, keep } from '../../base/kept.ts';
import { entityTag, sendPublic } from '../answers.ts';
import { countFigures, type FigureParts, type RegistryFigures } from '../figures.ts';
import { queryText, refuseParameters } from '../parameters.ts';
import {
  answer,
  CACHE_CONTROL,
  describedBy,
  ETAG,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  problems,
} from './description.ts';

const STATS = {
  operationId: 'getRegistryStats',
  summary: 'Get statistics of the registry',
  description: 'The figures are counted at most once a minute; `generated_at` is the time of the last count.',
  parameters: [IF_NONE_MATCH],
  responses: {
    200: answer('The statistics.', 'RegistryStats', { ETag: ETAG, 'Cache-Control': CACHE_CONTROL }),
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
  },
};

/** To count millions of sources takes minutes: counting takes about a tenth of the time, however many callers ask. */
const KEPT_TIMES = 10;
const LEAST_KEPT_MS = 60_000;
const MOST_KEPT_MS = 3 * 3_600_000;

export type KeptFigures = KeptWork<RegistryFigures>;

/** One count for all callers. */
export function keepFigures(parts: FigureParts): KeptFigures {
  return keep((now) => countFigures(parts, now), {
    clock: parts.clock,
    times: KEPT_TIMES,
    leastMs: LEAST_KEPT_MS,
    mostMs: MOST_KEPT_MS,
  });
}

/** GET /api/registry/stats. */
export function statsOperation(
  server: FastifyInstance,
  { figures }: { readonly figures: KeptFigures },
): void {
  server.get('/api/registry/stats', describedBy(STATS), async (request, reply) => {
    refuseParameters(queryText(request), 'the figures of the registry');
    const current = await figures.last((err) => request.log.warn({ err }, 'counting the statistics failed'));
    const body = Buffer.from(JSON.stringify(current));
    reply.header('cache-control', 'public, no-cache');
    return sendPublic(request, reply, { body, etag: entityTag(body) });
  });
}
