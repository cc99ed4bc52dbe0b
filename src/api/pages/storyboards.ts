import type { FastifyInstance, FastifyRequest } from 'fastify';
import { storyboardPage } from '../../pages/storyboards/storyboard.ts';
import { storyboardsPage, unknownStoryboardPage } from '../../pages/storyboards/storyboards.ts';
import type { KeptFigures } from '../operations/stats.ts';
import { nearestStoryboards, type StoryboardCatalogue } from '../operations/storyboards.ts';
import { queryText, readParameters } from '../parameters.ts';
import { storyboardDetail, storyboardSummary } from '../render/storyboards.ts';
import { type HtmlPages, keptPage, NO_OPERATION } from './html-pages.ts';

interface StoryboardPageParts {
  readonly storyboards: StoryboardCatalogue;
  readonly figures: KeptFigures;
}

/** GET /storyboards and GET /storyboards/{id}: what agents are tested with, for people. */
export function storyboardPages(
  server: FastifyInstance,
  pages: HtmlPages,
  { storyboards, figures }: StoryboardPageParts,
): void {
  const read = async (request: FastifyRequest) => {
    const parameters = readParameters(queryText(request), ['compliance_target'], 'the storyboards');
    const target = parameters.get('compliance_target');
    const of = await storyboards.of(target);
    const current = await figures.last((err) => request.log.warn({ err }, 'counting the statistics failed'));
    const bundles = (await storyboards.bundles()).map(({ version }) => version);
    const { version } = of;
    return { of, counts: current.storyboards, bundles: { version, all: bundles, ...(target && { target }) } };
  };
  server.get('/storyboards', NO_OPERATION, async (request, reply) => {
    const { of, counts, bundles } = await read(request);
    const site = pages.siteFor(request);
    const view = { storyboards: of.storyboards.map(storyboardSummary), counts, bundles };
    return pages.send(request, reply, keptPage(site, storyboardsPage(site, view)));
  });
  server.get(
    '/storyboards/:id',
    NO_OPERATION,
    async (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
      const { of, counts, bundles } = await read(request);
      const { id } = request.params;
      const site = pages.siteFor(request);
      const found = of.storyboards.find(({ storyboard }) => storyboard.id === id);
      if (found === undefined) {
        const unknown = unknownStoryboardPage(site, { id, nearest: nearestStoryboards(of, id), bundles });
        return pages.send(request, reply.code(404), keptPage(site, unknown));
      }
      const count = counts[id];
      const view = { ...storyboardDetail(found), bundles, ...(count && { count }) };
      return pages.send(request, reply, keptPage(site, storyboardPage(site, view)));
    },
  );
}
