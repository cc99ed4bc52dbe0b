import type { FastifyInstance, FastifyReply } from 'fastify';
import { type KeysView, keysPage } from '../../../pages/owner/keys.ts';
import { keysOfMember, makeKey, readKeyRequest, revokeKey } from '../../operations/keys/own-keys.ts';
import { requireMemberKey } from '../../owner-only.ts';
import { queryText, searchParams } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { apiKeyRecord } from '../../render/api-key.ts';
import { type FormFields, textField, textsOfField } from '../forms.ts';
import { type HtmlPages, keptPage, scopedPage } from '../html-pages.ts';
import { type FormRequest, type OwnPageParts, ownerSession } from './parts.ts';
import { OWNER_PATH } from './sessions.ts';

const PATH = `${OWNER_PATH}/keys`;

/** GET /my/keys and its forms: the operations for keys, with the key of the session. */
export function myKeysPages(server: FastifyInstance, pages: HtmlPages, parts: OwnPageParts): void {
  const { records, sessions, clock } = parts;
  const { keys } = records;
  const { site } = pages;
  const show = async (
    request: FormRequest,
    reply: FastifyReply,
    told: Pick<KeysView, 'made' | 'refusal' | 'done'>,
  ) => {
    const viewer = requireMemberKey(request, reply);
    const now = clock.now();
    const listed = (await keysOfMember(keys, viewer, now)).map((key) => ({
      ...apiKeyRecord(key),
      isManaged: key.isManaged,
    }));
    const view = { keys: listed, scopes: viewer.scopes, now: new Date(now).toISOString(), ...told };
    return pages.sendPrivate(reply, keptPage(site, keysPage(site, ownerSession(request, sessions), view)));
  };
  const refused = (error: unknown, request: FormRequest, reply: FastifyReply) => {
    if (!(error instanceof HttpProblem) || ![400, 403, 404, 409].includes(error.status)) throw error;
    return show(request, reply.code(error.status), { refusal: error.message });
  };
  server.get(PATH, scopedPage('read'), async (request: FormRequest, reply) =>
    show(request, reply, { done: searchParams(queryText(request)).get('done') ?? undefined }),
  );
  // the response contains the key: it is not cached, and the same form sent again creates none
  server.post(`${PATH}/make`, scopedPage('keys'), async (request: FormRequest, reply) => {
    const viewer = requireMemberKey(request, reply);
    try {
      return await show(request, reply, {
        made: await makeKey(keys, viewer, requestOf(request.body), clock.now()),
      });
    } catch (error) {
      return refused(error, request, reply);
    }
  });
  server.post(`${PATH}/revoke`, scopedPage('keys'), async (request: FormRequest, reply) => {
    const viewer = requireMemberKey(request, reply);
    try {
      const { also_revoked: others } = await revokeKey(
        keys,
        viewer,
        textField(request.body, 'id'),
        clock.now(),
      );
      const done = others.length === 0 ? 'revoked' : 'tree-revoked';
      return reply.redirect(`${site.root}${PATH}?done=${done}`, 303);
    } catch (error) {
      return refused(error, request, reply);
    }
  });
}

/** A form as the body of the operation; an empty label is left out. Throws HttpProblems, named as in the form. */
function requestOf(fields: FormFields) {
  const [label, days] = [textField(fields, 'label').trim(), textField(fields, 'days')];
  const scopes = textsOfField(fields, 'scopes');
  if (scopes.length === 0) throw new HttpProblem('invalid_value', 'select at least one scope');
  return readKeyRequest({
    scopes,
    ...(label !== '' && { label }),
    ...(days !== '' && { days: /^\d{1,5}$/.test(days) ? Number(days) : days }),
  });
}
