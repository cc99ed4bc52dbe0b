import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Budgets, partyOfMember } from '../../../budgets/budgets.ts';
import { isSignInReason, type SignInReason, signInPage } from '../../../pages/owner/sign-in.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import { identifyViewer } from '../../callers.ts';
import { queryText, searchParams } from '../../parameters.ts';
import { textField } from '../forms.ts';
import { type HtmlPages, keptPage, NO_OPERATION } from '../html-pages.ts';
import type { FormRequest } from './parts.ts';
import { OWNER_PATH, type Sessions } from './sessions.ts';

interface SignInParts {
  readonly records: Pick<Records, 'keys'>;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly budgets: Budgets;
}

/** Only pages of owners: no query, no other site, so that a link cannot redirect elsewhere. */
const OWN_PAGE = /^\/my(?:\/[\w.~%:-]+)*$/;
const MAX_NEXT = 3_000;

/** GET and POST /sign-in, and POST /my/sign-out. */
export function signInPages(
  server: FastifyInstance,
  pages: HtmlPages,
  { records, clock, sessions, budgets }: SignInParts,
): void {
  const { site } = pages;
  const show = (reply: FastifyReply, next: string, reason: SignInReason | undefined) =>
    pages.sendPrivate(reply, keptPage(site, signInPage(site, { next, ...(reason && { reason }) })));
  server.get('/sign-in', NO_OPERATION, async (request, reply) => {
    const parameters = searchParams(queryText(request));
    const why = parameters.get('why') ?? undefined;
    const next = ownPage(parameters.get('next'));
    if (isSignInReason(why)) return show(reply, next, why);
    // the cookie is sent to pages of owners only: that page opens with a session, and redirects here with a reason without one
    return reply.header('cache-control', 'no-store').redirect(`${site.root}${next}`, 303);
  });
  server.post('/sign-in', NO_OPERATION, async (request: FormRequest, reply) => {
    const { body } = request;
    const next = ownPage(textField(body, 'next'));
    // a pasted key may have a space or line end
    const given = `Bearer ${textField(body, 'key').trim()}`;
    const { key } = await identifyViewer(given, records.keys, clock);
    if (key === undefined) return show(reply.code(401), next, 'wrong');
    await budgets.spend('signIns', { party: partyOfMember(key.member) });
    await sessions.open(reply, key);
    return reply.redirect(`${site.root}${next}`, 303);
  });
  server.post(`${OWNER_PATH}/sign-out`, NO_OPERATION, async (request: FormRequest, reply) => {
    await sessions.close(request, reply);
    return reply.redirect(`${site.root}/sign-in?why=out`, 303);
  });
}

/** Redirects to the sign-in page, and back afterwards. */
export function askToSignIn(root: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? '';
  const next = ownPage(request.method === 'GET' ? path : pageOfForm(path));
  const why = request.wasSignedIn ? 'over' : 'needed';
  return reply.redirect(`${root}/sign-in?why=${why}&next=${encodeURIComponent(next)}`, 303);
}

/** The path of the page of a form: each form posts to a name below it. */
export function pageOfForm(path: string): string {
  return path.split('?', 1)[0]?.replace(/\/[a-z-]+$/, '') ?? '';
}

function ownPage(text: string | null): string {
  if (text === null || text.length > MAX_NEXT || !OWN_PAGE.test(text)) return OWNER_PATH;
  // dot segments, however they are spelled, would change the path
  return new URL(text, 'http://registry.example').pathname === text ? text : OWNER_PATH;
}
