import type { FastifyInstance } from 'fastify';
import { type JoinForm, joinedPage, joinPage } from '../../../pages/owner/sign-in.ts';
import { type JoinParts, joinBy } from '../../operations/join.ts';
import { queryText, searchParams } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { textField } from '../forms.ts';
import { type HtmlPages, keptPage, NO_OPERATION } from '../html-pages.ts';
import type { FormRequest } from './parts.ts';

/** GET and POST /join: the page that the link of an invitation leads to. */
export function joinPages(server: FastifyInstance, pages: HtmlPages, parts: JoinParts): void {
  const { site } = pages;
  server.get('/join', NO_OPERATION, async (request, reply) => {
    const invitation = searchParams(queryText(request)).get('invitation')?.slice(0, 100) ?? '';
    return pages.sendPrivate(reply, keptPage(site, joinPage(site, { invitation })));
  });
  server.post('/join', NO_OPERATION, async ({ body }: FormRequest, reply) => {
    const [invitation, slug, displayName] = ['invitation', 'slug', 'display_name'].map((name) =>
      textField(body, name),
    ) as [string, string, string];
    try {
      const made = await joinBy({ invitation, slug, display_name: displayName }, parts);
      return await pages.sendPrivate(reply, keptPage(site, joinedPage(site, made)));
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      const again: JoinForm = { invitation, slug, displayName, problem: error.message };
      return pages.sendPrivate(reply.code(error.status), keptPage(site, joinPage(site, again)));
    }
  });
}
