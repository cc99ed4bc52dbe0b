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
  summary: 'Become a member by an invitation',
  description:
    'An operator makes invitations; each is good once. One for a member needs no names. A new member has the slug that it asks for behind `joined-`: `acme` becomes `joined-acme`, as `member` says. With one of `inviteDomain` the registry looks for its text now. Of a domain one member joins. It leaves an audit record.',
  security: [{}],
  requestBody: jsonBody('JoinRequest'),
  responses: {
    201: {
      ...answer("The member's API key, shown this once.", 'MadeApiKey', {
        'Cache-Control': header('Nobody keeps it.'),
      }),
      ...linkTo('revokeApiKey', { id: '$response.body#/id' }),
    },
    ...problems(400, 401, 429, 500, 503),
    404: problemAnswer('There is no such invitation, or it was used or has ended.'),
    409: problemAnswer(
      'The slug is taken, a member has joined by this domain, or its text is in neither place.',
    ),
    501: problemAnswer('This registry lets nobody join by a domain.'),
  },
};
const INVITE = {
  operationId: 'inviteDomain',
  summary: 'Get an invitation for a domain that is yours',
  description:
    'For registries where whoever proves a domain may join. Publish `token` as a line of the file, or as a TXT record. Then join with `invitation`, which you keep to yourself.',
  security: [{}],
  requestBody: jsonBody('DomainToJoinBy'),
  responses: {
    200: answer('The invitation, and the text to publish.', 'DomainInvitation', {
      'Cache-Control': header('Nobody keeps it.'),
    }),
    ...problems(400, 401, 429, 500, 503),
    501: problemAnswer('This registry lets nobody join by a domain.'),
  },
};

/** POST /api/registry/join/domain and …/join: a stranger becomes a member. */
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
    if (invitation === undefined) throw invalidValue('invitation', 'a text is expected');
    const made = await joining.join({ invitation, slug, display_name }, partyOf(request));
    return reply.code(201).header('cache-control', 'no-store').send(made);
  });
}

function textsOf(body: unknown, names: readonly string[]): Readonly<Record<string, string>> {
  const members = readMembers(body, names);
  for (const [name, value] of Object.entries(members))
    if (typeof value !== 'string') throw invalidValue(name, 'a text is expected');
  return members as Readonly<Record<string, string>>;
}
