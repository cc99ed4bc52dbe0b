import type { FastifyInstance, FastifyRequest } from 'fastify';
import { publicRunPage } from '../../pages/public-run.ts';
import { segmentOf } from '../../pages/texts.ts';
import type { ComplianceStore } from '../../ports/compliance.ts';
import type { OwnerStore } from '../../ports/owners.ts';
import { shownStatement } from '../operations/owner-statement.ts';
import type { StoryboardCatalogue } from '../operations/storyboards.ts';
import { agentOf, queryText, refuseParameters } from '../parameters.ts';
import { unknownAgent } from '../problem.ts';
import { complianceRun } from '../render/compliance-runs.ts';
import { type HtmlPages, keptPage, NO_OPERATION } from './html-pages.ts';

interface RunPageParts {
  readonly records: {
    readonly compliance: Pick<ComplianceStore, 'state' | 'run' | 'badgeEvents'>;
    readonly owners: Pick<OwnerStore, 'statement'>;
  };
  readonly storyboards: StoryboardCatalogue;
}

/** Of a timeline, to find the run that a badge stands on. */
const MOST_EVENTS = 100;

/** GET /runs/{encodedUrl}/{id}: a run as everybody may see it. GET /badges/{encodedUrl}/{role} leads to the run that earned the badge. */
export function runPages(
  server: FastifyInstance,
  pages: HtmlPages,
  { records: { compliance, owners }, storyboards }: RunPageParts,
): void {
  const { site } = pages;
  server.get(
    '/runs/:encodedUrl/:id',
    NO_OPERATION,
    async (request: FastifyRequest<{ Params: { encodedUrl: string; id: string } }>, reply) => {
      refuseParameters(queryText(request), 'a run');
      const agent = agentOf(request.params.encodedUrl);
      const state = await compliance.state(agent);
      if (state === undefined) throw unknownAgent('encodedUrl');
      const run = complianceRun(
        { agent, state, isOwner: false },
        await compliance.run(agent, request.params.id),
      );
      if (run.status === 'opted_out' || !('run_id' in run)) return reply.redirect(agentAt(agent), 302);
      const ids = (await storyboards.of()).storyboards.map(({ storyboard }) => storyboard.id);
      const statement = await shownStatement(owners, agent);
      const view = { ...run, ...(statement && { statement }), linked: new Set(ids) } as Parameters<
        typeof publicRunPage
      >[1];
      return pages.send(request, reply, keptPage(site, publicRunPage(pages.siteFor(request), view)));
    },
  );
  server.get(
    '/badges/:encodedUrl/:role',
    NO_OPERATION,
    async (request: FastifyRequest<{ Params: { encodedUrl: string; role: string } }>, reply) => {
      refuseParameters(queryText(request), 'a badge');
      const { encodedUrl, role } = request.params;
      const agent = agentOf(encodedUrl);
      const state = await compliance.state(agent);
      if (state === undefined) throw unknownAgent('encodedUrl');
      const events = state.settings.optedOut
        ? []
        : await compliance.badgeEvents(agent, { limit: MOST_EVENTS });
      const earned = events.find((one) => one.role === role && one.kind === 'earned' && one.runId !== null);
      const path =
        earned?.runId == null ? agentAt(agent) : `${site.root}/runs/${segmentOf(agent)}/${earned.runId}`;
      return reply.redirect(path, 302);
    },
  );

  function agentAt(agent: string): string {
    return `${site.root}/agents/${segmentOf(agent)}`;
  }
}
