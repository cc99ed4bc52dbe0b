import type { FastifyInstance } from 'fastify';
import type { TierTable } from '../../../compliance/badges/conditions.ts';
import { shownInvitation } from '../../../owners/domain-invitation.ts';
import { domainPage, type JoinForm, joinedPage, joinPage } from '../../../pages/owner/join.ts';
import type { Records } from '../../../ports/records.ts';
import { partyOf } from '../../callers.ts';
import { refusalProblem } from '../../error-answers.ts';
import type { Joining } from '../../operations/joining.ts';
import { LOOK_MS } from '../../operations/shared-answers.ts';
import { queryText, searchParams } from '../../parameters.ts';
import { textField } from '../forms.ts';
import { type HtmlPages, keptPage, NO_OPERATION } from '../html-pages.ts';
import { badgeTiers, eligibilityOf } from './badge-eligibility.ts';
import type { FormRequest } from './parts.ts';

const MAX_INVITATION = 400;

interface JoinPagesParts {
  readonly joining: Joining;
  readonly records: Pick<Records, 'members'>;
  readonly tiers?: TierTable;
}

/** GET and POST /join, the page that the link of an invitation opens; and POST /join/domain, for registries that let the owner of a domain join. */
export function joinPages(server: FastifyInstance, pages: HtmlPages, parts: JoinPagesParts): void {
  const { joining, tiers } = parts;
  const { site } = pages;
  const form = (said: Omit<JoinForm, 'isByDomain' | 'badges'>) =>
    keptPage(site, joinPage(site, { ...said, isByDomain: joining.isByDomain, badges: badgeTiers(tiers) }));
  server.get('/join', NO_OPERATION, async (request, reply) => {
    const invitation = searchParams(queryText(request)).get('invitation')?.slice(0, MAX_INVITATION) ?? '';
    return pages.sendPrivate(reply, form({ invitation }));
  });
  server.post('/join/domain', NO_OPERATION, async ({ body }: FormRequest, reply) => {
    const domain = textField(body, 'domain');
    try {
      const invitation = shownInvitation(await joining.invite(domain));
      return await pages.sendPrivate(reply, keptPage(site, domainPage(site, invitation)));
    } catch (error) {
      const problem = refusalProblem(error);
      if (problem === undefined) throw error;
      return pages.sendPrivate(
        reply.code(problem.status).headers(problem.headers),
        form({ invitation: '', domain, problem: problem.message }),
      );
    }
  });
  const join = { ...NO_OPERATION, handlerTimeout: LOOK_MS };
  server.post('/join', join, async (request: FormRequest, reply) => {
    const [invitation, slug, displayName] = ['invitation', 'slug', 'display_name'].map((name) =>
      textField(request.body, name),
    ) as [string, string, string];
    try {
      const made = await joining.join({ invitation, slug, display_name: displayName }, partyOf(request));
      // the page shows the key this once, whatever else cannot be read
      const badges = await eligibilityOf(parts, made.member).catch(() => undefined);
      return await pages.sendPrivate(reply, keptPage(site, joinedPage(site, made, badges)));
    } catch (error) {
      const problem = refusalProblem(error);
      if (problem === undefined) throw error;
      return pages.sendPrivate(
        reply.code(problem.status).headers(problem.headers),
        form({ invitation, slug, displayName, problem: problem.message }),
      );
    }
  });
}
