import type { FastifyInstance } from 'fastify';
import { myAgentsPage } from '../../../pages/owner/my-agents.ts';
import { agentsOfMember } from '../../operations/my-agents.ts';
import { queryText, searchParams } from '../../parameters.ts';
import { type HtmlPages, keptPage, scopedPage } from '../html-pages.ts';
import { type OwnPageParts, ownerSession } from './parts.ts';
import { OWNER_PATH } from './sessions.ts';

const A_PAGE = 20;

/** GET /my: the agents of the member that is signed in. */
export function myAgentsPages(
  server: FastifyInstance,
  pages: HtmlPages,
  { sessions, ...parts }: OwnPageParts,
): void {
  server.get(OWNER_PATH, scopedPage('read'), async (request, reply) => {
    const session = ownerSession(request, sessions);
    const cursor = searchParams(queryText(request)).get('cursor') ?? undefined;
    const { agents, next_cursor: next } = await agentsOfMember(parts, session.member, {
      limit: A_PAGE,
      cursor,
    });
    return pages.sendPrivate(
      reply,
      keptPage(pages.site, myAgentsPage(pages.site, session, { agents, next })),
    );
  });
}
