import type { FastifyInstance } from 'fastify';
import { MAX_MEMBER_NAME, MEMBER_SLUG, memberName } from '../../domain/member-text.ts';
import { newApiKey, secretHash } from '../../owners/secrets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { readMembers } from '../body.ts';
import { queryText, refuseParameters } from '../parameters.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import { type ApiKeyRecord, apiKeyRecord } from '../render/api-key.ts';
import { answer, describedBy, header, jsonBody, linkTo, problemAnswer, problems } from './description.ts';

const MAX_BODY = 4_096;
const NAMES = ['invitation', 'slug', 'display_name'];

const JOIN = {
  operationId: 'joinRegistry',
  summary: 'Become a member by an invitation',
  description:
    'An operator makes invitations; each is good once. One for a member needs no names. It leaves an audit record.',
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
    409: problemAnswer('Another member has this slug.'),
  },
};

export interface JoinParts {
  readonly records: Pick<Records, 'members'>;
  readonly clock: Clock;
}

/** POST /api/registry/join: an invited stranger becomes a member. */
export function joinOperation(server: FastifyInstance, parts: JoinParts): void {
  const options = { ...describedBy(JOIN), bodyLimit: MAX_BODY };
  server.post('/api/registry/join', options, async (request, reply) => {
    refuseParameters(queryText(request), 'joining');
    const made = await joinBy(readBody(request.body), parts);
    return reply.code(201).header('cache-control', 'no-store').send(made);
  });
}

/** What somebody comes with; empty texts are none. */
export interface JoinRequest {
  readonly invitation: string;
  readonly slug: string;
  readonly display_name: string;
}

/** Makes the member, where it is a new one, and its key. Throws HttpProblems. */
export async function joinBy(
  { invitation, slug, display_name }: JoinRequest,
  { records, clock }: JoinParts,
): Promise<ApiKeyRecord & { readonly key: string; readonly member: string }> {
  const hash = secretHash(invitation.trim());
  if (hash === undefined) throw noInvitation();
  const { id, key, hash: keyHash } = newApiKey();
  const wanted =
    slug === '' && display_name === ''
      ? undefined
      : { slug: slugOf(slug), displayName: nameOf(display_name) };
  const joined = { hash, key: { id, hash: keyHash, label: 'made by an invitation' }, wanted };
  const outcome = await records.members.join(joined, clock.now());
  if (outcome === 'no_invitation') throw noInvitation();
  if (outcome === 'name_needed') throw invalidValue('slug', 'this invitation is for a new member: name it');
  if (outcome === 'slug_taken')
    throw new HttpProblem('slug_taken', 'another member has this slug; choose another one', {
      parameter: 'slug',
    });
  return { key, ...apiKeyRecord(outcome) };
}

function readBody(body: unknown): JoinRequest {
  const { invitation, slug = '', display_name = '' } = readMembers(body, NAMES);
  for (const [name, value] of Object.entries({ invitation, slug, display_name }))
    if (typeof value !== 'string') throw invalidValue(name, 'a text is expected');
  return { invitation, slug, display_name } as JoinRequest;
}

function slugOf(slug: string): string {
  if (MEMBER_SLUG.test(slug)) return slug;
  throw invalidValue(
    'slug',
    '1 to 63 lower case letters, digits and hyphens are expected, a hyphen never first',
  );
}

function nameOf(text: string): string {
  const name = memberName(text);
  if (name !== undefined) return name;
  throw invalidValue('display_name', `a name of 1 to ${MAX_MEMBER_NAME} characters is expected`);
}

function noInvitation(): HttpProblem {
  return new HttpProblem(
    'not_found',
    'there is no such invitation, or it was used or has ended; ask the operator for another',
    {
      parameter: 'invitation',
    },
  );
}
