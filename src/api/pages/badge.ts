import type { FastifyInstance, FastifyRequest } from 'fastify';
import { shownBadge } from '../../domain/badge.ts';
import { badgePage } from '../../pages/badge.ts';
import { agentPath } from '../../pages/texts.ts';
import type { ComplianceStore } from '../../records/runs/compliance-store.ts';
import { agentOf, queryText, refuseParameters } from '../parameters.ts';
import { unknownAgent } from '../problem.ts';
import { badgeEvent } from '../render/badge-timeline.ts';
import { type HtmlPages, keptPage, NO_OPERATION } from './html-pages.ts';

interface BadgePageParts {
  readonly records: { readonly compliance: Pick<ComplianceStore, 'state' | 'badgeEvents'> };
}

/** Events of all roles that are read, and of one role that are shown. */
const [MOST_READ, MOST_SHOWN] = [100, 30];

/**
 * GET /badges/{encodedUrl}/{role}: the page of a badge, the same for everyone, the owner too. It redirects to the agent's
 * page where the agent never had that badge, or has opted out.
 */
export function badgePages(
  server: FastifyInstance,
  pages: HtmlPages,
  { records: { compliance } }: BadgePageParts,
): void {
  server.get(
    '/badges/:encodedUrl/:role',
    NO_OPERATION,
    async (request: FastifyRequest<{ Params: { encodedUrl: string; role: string } }>, reply) => {
      refuseParameters(queryText(request), 'a badge');
      const agent = agentOf(request.params.encodedUrl);
      const state = await compliance.state(agent);
      if (state === undefined) throw unknownAgent('encodedUrl');
      const kept = state.settings.optedOut ? [] : await compliance.badgeEvents(agent, { limit: MOST_READ });
      const events = kept.filter(({ role }) => role === request.params.role).slice(0, MOST_SHOWN);
      const role = events[0]?.role ?? state.badges.find((one) => one.role === request.params.role)?.role;
      if (role === undefined || state.settings.optedOut)
        return reply.redirect(agentPath(pages.site, agent), 302);
      const badge = shownBadge(state, { role });
      const view = {
        ...{ agent, role, events: events.map(badgeEvent) },
        ...(badge && {
          badge: {
            ...{ line: badge.line, axes: badge.axes, specialisms: badge.specialisms },
            verified_at: new Date(badge.verifiedAt).toISOString(),
            grace_since: badge.graceSince === null ? null : new Date(badge.graceSince).toISOString(),
          },
        }),
      };
      return pages.send(request, reply, keptPage(pages.site, badgePage(pages.siteFor(request), view)));
    },
  );
}
