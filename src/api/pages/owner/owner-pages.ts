import type { FastifyInstance } from 'fastify';
import { identifyCallers } from '../../callers.ts';
import { takeForms, textField } from '../forms.ts';
import { htmlPages, NO_OPERATION, type PageParts } from '../html-pages.ts';
import { joinPages } from './join.ts';
import { myKeysPages } from './keys.ts';
import { myAgentPages } from './my-agent.ts';
import { myAgentsPages } from './my-agents.ts';
import type { FormRequest, OwnerPagesParts } from './parts.ts';
import { proofPages } from './proof.ts';
import { createSessions, isOwnersPage, requireOwnSite } from './sessions.ts';
import { askToSignIn, pageOfForm, signInPages } from './sign-in.ts';
import { mySubscriptionsPages } from './subscriptions.ts';

/** More than any form can have, bytes: an OAuth client with the longest texts, each character of which may be escaped. */
const MAX_FORM = 64 * 1_024;

/**
 * Sign-in, and the pages of a member with a session. They call the same functions as the operations for owners, with the key
 * of the session: its scopes, limits and audit records apply.
 */
export function ownerPages(
  server: FastifyInstance,
  { pages: made, ...parts }: OwnerPagesParts & { readonly pages: PageParts },
): void {
  const pages = htmlPages(made);
  const { records, clock, limiter, budgets, baseUrl: publicUrl } = parts;
  const { root } = pages.site;
  server.register(async (scope) => {
    const sessions = createSessions({ records, clock, root, ...(publicUrl && { baseUrl: publicUrl }) });
    scope.decorateRequest('session');
    scope.decorateRequest('wasSignedIn');
    identifyCallers(scope, {
      ...{ keys: records.keys, clock, limiter, budgets, identify: sessions.identify },
    });
    scope.addHook('onRequest', async (request, reply) => {
      if (request.method === 'POST') requireOwnSite(request, publicUrl);
      if (isOwnersPage(request) && request.session === undefined) return askToSignIn(root, request, reply);
    });
    // after the stricter rule about other sites, before anything reads a form
    takeForms(scope, { maxBytes: MAX_FORM, repeated: ['scopes', 'types'] });
    scope.addHook('preHandler', async (request, reply) => {
      if (request.method !== 'POST' || request.session === undefined) return;
      const { body } = request as FormRequest;
      if (await sessions.isFirst(request, textField(body, 'form'))) return;
      return reply.redirect(`${root}${pageOfForm(request.url)}?done=again`, 303);
    });
    leadFormsBack(scope, root);
    const own = { ...parts, sessions };
    signInPages(scope, pages, own);
    joinPages(scope, pages, own);
    myAgentsPages(scope, pages, own);
    myAgentPages(scope, pages, own);
    proofPages(scope, pages, own);
    myKeysPages(scope, pages, own);
    mySubscriptionsPages(scope, pages, own);
  });
}

/** A refused form leaves its own URL in the browser. A GET of it redirects to the page of the form. */
function leadFormsBack(server: FastifyInstance, root: string): void {
  server.addHook('onRoute', ({ method, url }) => {
    if (method !== 'POST' || pageOfForm(url) === '') return;
    server.get(url, NO_OPERATION, async (request, reply) =>
      reply.redirect(`${root}${pageOfForm(request.url)}`, 303),
    );
  });
}
