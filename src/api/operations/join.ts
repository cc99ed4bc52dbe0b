import type { FastifyInstance } from 'fastify';
import { shownInvitation } from '../../owners/domain-invitation.ts';
import { readMembers } from '../body.ts';
import { partyOf } from '../callers.ts';
import { queryText, refuseParameters } from '../parameters.ts';
import { invalidValue } from '../problem.ts';
import { answer, describedBy, header, jsonBody, linkTo, problemAnswer, problems } from './description.ts';
import type { Joining } from './joining.ts';
import { LOOK_MS } from './shared-answers.ts';

const MAX_BODY = 4_096;
const NAMES = ['invitation', 'slug', 'display_name'];
const JOIN = {
  operationId: 'joinRegistry',
  summary: 'Join with an invitation',
  description:
    'The operator creates invitations; each works once. An invitation to an existing member needs no names. The slug of a new member gets the prefix `joined-`: `acme` becomes `joined-acme` (see `member` in the response). For an invitation from `inviteDomain`, the registry checks now that the text is published. One member can join per domain. Recorded in the audit log.',
  security: [{}],
  requestBody: jsonBody('JoinRequest'),
  responses: {
    201: {
      ...answer("The member's API key, shown only once.", 'MadeApiKey', {
        'Cache-Control': header('no-store'),
      }),
      ...linkTo('revokeApiKey', { id: '$response.body#/id' }),
    },
    ...problems(400, 401, 429, 500, 503),
    404: problemAnswer('The invitation is unknown, used or expired.'),
    409: problemAnswer(
      'The slug is taken, a member has already joined with this domain, or the text is in neither place.',
    ),
    501: problemAnswer('Joining with a domain is disabled in this registry.'),
  },
};
const INVITE = {
  operationId: 'inviteDomain',
  summary: 'Get an invitation for your domain',
  description:
    'For registries that let the owner of a domain join. Publish `token` as a line of the file or as a TXT record, then join with `invitation`. Keep `invitation` secret.',
  security: [{}],
  requestBody: jsonBody('DomainToJoinBy'),
  responses: {
    200: answer('The invitation, and the text to publish.', 'DomainInvitation', {
      'Cache-Control': header('no-store'),
    }),
    ...problems(400, 401, 429, 500, 503),
    501: problemAnswer('Joining with a domain is disabled in this registry.'),
  },
};

/** POST /api/registry/join/domain and …/join: creates a member, or a key of an existing one. */
export function joinOperations(server: FastifyInstance, joining: Joining): void {
  const invite = { ...describedBy(INVITE), bodyLimit: MAX_BODY };
  server.post('/api/registry/join/domain', invite, async (request, reply) => {
    refuseParameters(queryText(request), 'joining');
    const { domain = '' } = textsOf(request.body, ['domain']);
    const invitation = await joining.invite(domain);
    return reply.header('cache-control', 'no-store').send(shownInvitation(invitation));
  });
  const join = { ...describedBy(JOIN), bodyLimit: MAX_BODY, handlerTimeout: LOOK_MS };
  server.post('/api/registry/join', join, async (request, reply) => {
    refuseParameters(queryText(request), 'joining');
    const { invitation, slug = '', display_name = '' } = textsOf(request.body, NAMES);
    if (invitation === undefined) throw invalidValue('invitation', 'a string is expected');
    const made = await joining.join({ invitation, slug, display_name }, partyOf(request));
    return reply.code(201).header('cache-control', 'no-store').send(made);
  });
}

function textsOf(body: unknown, names: readonly string[]): Readonly<Record<string, string>> {
  const members = readMembers(body, names);
  for (const [name, value] of Object.entries(members))
    if (typeof value !== 'string') throw invalidValue(name, 'a string is expected');
  return members as Readonly<Record<string, string>>;
}
