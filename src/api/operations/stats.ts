import type { FastifyInstance } from 'fastify';
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
  summary: 'See how the registry itself is doing',
  description: 'Counted at most once a minute, piece by piece; `generated_at` says when.',
  parameters: [IF_NONE_MATCH],
  responses: {
    200: answer('The figures.', 'RegistryStats', { ETag: ETAG, 'Cache-Control': CACHE_CONTROL }),
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
  },
};

/** Figures are kept for so long, milliseconds. */
const KEPT_MS = 60_000;
/** One count for all who ask; while a newer one is made, the last one is given. */
export interface KeptFigures {
  current(onFault: (error: unknown) => void): Promise<RegistryFigures>;
}

export function keepFigures(parts: FigureParts): KeptFigures {
  let last: { readonly at: number; readonly figures: RegistryFigures } | undefined;
  let counting: Promise<RegistryFigures> | undefined;
  const count = (now: number): Promise<RegistryFigures> => {
    counting ??= countFigures(parts, now)
      .then((figures) => {
        last = { at: now, figures };
        return figures;
      })
      .finally(() => {
        counting = undefined;
      });
    return counting;
  };
  return {
    async current(onFault) {
      const now = parts.clock.now();
      const isOld = last === undefined || Math.abs(now - last.at) >= KEPT_MS;
      const made = isOld ? count(now) : undefined;
      if (last === undefined) return made ?? count(now);
      made?.catch(onFault);
      return last.figures;
    },
  };
}

/** GET /api/registry/stats. */
export function statsOperation(
  server: FastifyInstance,
  { figures }: { readonly figures: KeptFigures },
): void {
  server.get('/api/registry/stats', describedBy(STATS), async (request, reply) => {
    refuseParameters(queryText(request), 'the figures of the registry');
    const current = await figures.current((err) => request.log.warn({ err }, 'the figures were not counted'));
    const body = Buffer.from(JSON.stringify(current));
    reply.header('cache-control', 'public, no-cache');
    return sendPublic(request, reply, { body, etag: entityTag(body) });
  });
}
