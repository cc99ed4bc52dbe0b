import type { FastifyInstance, FastifyRequest } from 'fastify';
import { storyboardPage } from '../../pages/storyboards/storyboard.ts';
import { storyboardsPage } from '../../pages/storyboards/storyboards.ts';
import type { KeptFigures } from '../operations/stats.ts';
import { noSuchStoryboard, type StoryboardCatalogue } from '../operations/storyboards.ts';
import { queryText, refuseParameters } from '../parameters.ts';
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
  const { site } = pages;
  const read = async (request: FastifyRequest) => {
    refuseParameters(queryText(request), 'the storyboards');
    const current = await figures.current((err) => request.log.warn({ err }, 'the figures were not counted'));
    return { ...(await storyboards.of()), counts: current.storyboards };
  };
  server.get('/storyboards', NO_OPERATION, async (request, reply) => {
    const { storyboards: all, counts, version } = await read(request);
    const view = { storyboards: all.map(storyboardSummary), counts, version };
    return pages.send(request, reply, keptPage(site, storyboardsPage(site, view)));
  });
  server.get(
    '/storyboards/:id',
    NO_OPERATION,
    async (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
      const { storyboards: all, counts, version } = await read(request);
      const { id } = request.params;
      const found = all.find(({ storyboard }) => storyboard.id === id);
      if (found === undefined) throw noSuchStoryboard();
      const count = counts[id];
      const view = { ...storyboardDetail(found), version, ...(count && { count }) };
      return pages.send(request, reply, keptPage(site, storyboardPage(site, view)));
    },
  );
}
