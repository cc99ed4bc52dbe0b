import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  type SubscriptionsView,
  subscriptionsPage,
  type WantedSubscription,
} from '../../../pages/owner/subscriptions.ts';
import type { MemberViewer } from '../../callers.ts';
import { refusalProblem } from '../../error-answers.ts';
import { EVENT_TYPES } from '../../operations/feed/events.ts';
import { feedView } from '../../operations/feed/view.ts';
import {
  changeSubscription,
  MOST_SUBSCRIPTIONS,
  subscribe,
  subscriptionsOfMember,
  testSubscription,
} from '../../operations/subscriptions/own-subscriptions.ts';
import { requireMemberKey } from '../../owner-only.ts';
import { queryText, searchParams } from '../../parameters.ts';
import { type FormFields, textField, textsOfField } from '../forms.ts';
import { type HtmlPages, keptPage, scopedPage } from '../html-pages.ts';
import { type FormRequest, type OwnPageParts, ownerSession } from './parts.ts';
import { OWNER_PATH } from './sessions.ts';

const PATH = `${OWNER_PATH}/subscriptions`;
const NOTHING: WantedSubscription = { url: '', types: [] };

/** GET /my/subscriptions and its forms: the operations for subscriptions, with the key of the session. */
export function mySubscriptionsPages(server: FastifyInstance, pages: HtmlPages, parts: OwnPageParts): void {
  const { records, sessions, clock, baseUrl = '' } = parts;
  const { site } = pages;
  const own = { ...parts, subscriptions: records.subscriptions, feed: feedView({ ...parts, baseUrl }) };
  const show = async (
    request: FormRequest,
    reply: FastifyReply,
    told: Pick<SubscriptionsView, 'refusal' | 'done'> & { readonly wanted?: WantedSubscription },
  ) => {
    const viewer = requireMemberKey(request, reply);
    const { subscriptions } = await subscriptionsOfMember(own, viewer);
    const known = { subscriptions, most: MOST_SUBSCRIPTIONS, scopes: viewer.scopes, types: EVENT_TYPES };
    const view = { ...known, wanted: NOTHING, ...told };
    return pages.sendPrivate(
      reply,
      keptPage(site, subscriptionsPage(site, ownerSession(request, sessions), view)),
    );
  };
  server.get(PATH, scopedPage('read'), async (request: FormRequest, reply) =>
    show(request, reply, { done: searchParams(queryText(request)).get('done') ?? undefined }),
  );
  /** A form: what it does, the message of the page, and what stays in the form if it is refused. */
  const form = (
    name: string,
    done: string,
    deed: (viewer: MemberViewer, fields: FormFields) => Promise<unknown>,
    kept: (fields: FormFields) => WantedSubscription = () => NOTHING,
  ) =>
    server.post(`${PATH}/${name}`, scopedPage('settings'), async (request: FormRequest, reply) => {
      try {
        await deed(requireMemberKey(request, reply), request.body);
        return reply.redirect(`${site.root}${PATH}?done=${done}`, 303);
      } catch (error) {
        const problem = refusalProblem(error);
        if (problem === undefined || ![400, 404, 409, 429].includes(problem.status)) throw error;
        const told = { refusal: problem.message, wanted: kept(request.body) };
        return show(request, reply.code(problem.status).headers(problem.headers), told);
      }
    });
  form('make', 'made', (viewer, fields) => subscribe(own, viewer, bodyOf(fields), clock.now()), wantedOf);
  for (const [deed, done] of [
    ['remove', 'removed'],
    ['revive', 'revived'],
  ] as const)
    form(deed, done, (viewer, fields) =>
      changeSubscription(own, deed, viewer, textField(fields, 'id'), clock.now()),
    );
  form('test', 'tested', (viewer, fields) =>
    testSubscription(own, viewer, textField(fields, 'id'), clock.now()),
  );
}

function wantedOf(fields: FormFields): WantedSubscription {
  return { url: textField(fields, 'url').trim(), types: textsOfField(fields, 'types') };
}

/** A form as the body of the operation; without a type it means all. */
function bodyOf(fields: FormFields) {
  const { url, types } = wantedOf(fields);
  return { url, types: types.length === 0 ? '*' : types.join(',') };
}
