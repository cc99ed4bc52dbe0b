import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RegistryError } from '../../errors.ts';
import { publicRunPage } from '../../pages/public-run.ts';
import { segmentOf } from '../../pages/texts.ts';
import type { OwnerStore } from '../../records/owners/owner-store.ts';
import type { ComplianceStore } from '../../records/runs/compliance-store.ts';
import { shownStatement } from '../operations/owner-statement.ts';
import type { StoryboardCatalogue } from '../operations/storyboards.ts';
import { agentOf, queryText, refuseParameters } from '../parameters.ts';
import { unknownAgent } from '../problem.ts';
import { complianceRun } from '../render/compliance-runs.ts';
import { type HtmlPages, keptPage, NO_OPERATION } from './html-pages.ts';

interface RunPageParts {
  readonly records: {
    readonly compliance: Pick<ComplianceStore, 'state' | 'run'>;
    readonly owners: Pick<OwnerStore, 'statement'>;
  };
  readonly storyboards: StoryboardCatalogue;
}

/** GET /runs/{encodedUrl}/{id}: a run as everybody may see it. */
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
      const kept = await compliance.run(agent, request.params.id);
      const run = complianceRun({ agent, state, isOwner: false }, kept);
      if (run.status === 'opted_out' || !('run_id' in run)) return reply.redirect(agentAt(agent), 302);
      const ids = await storyboardIds(run.proto_version);
      const statement = await shownStatement(owners, agent);
      const view = {
        ...run,
        linked: new Set(ids),
        ...(statement && { statement }),
      } as Parameters<typeof publicRunPage>[1];
      return pages.send(request, reply, keptPage(site, publicRunPage(pages.siteFor(request), view)));
    },
  );

  /** Of the bundle of a run; none when it is not installed any more, or not on this machine. */
  async function storyboardIds(version: string | null): Promise<readonly string[]> {
    const all = await storyboards.bundles();
    if (version === null || !all.some((bundle) => bundle.version === version)) return [];
    try {
      return (await storyboards.of(version)).storyboards.map(({ storyboard }) => storyboard.id);
    } catch (error) {
      if (error instanceof RegistryError && error.code === 'bundle_unavailable') return [];
      throw error;
    }
  }

  function agentAt(agent: string): string {
    return `${site.root}/agents/${segmentOf(agent)}`;
  }
}
