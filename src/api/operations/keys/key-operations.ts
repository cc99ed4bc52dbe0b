import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import { requireMemberKey } from '../../owner-only.ts';
import { queryText, refuseParameters } from '../../parameters.ts';
import { apiKeyRecord } from '../../render/api-key.ts';
import {
  answer,
  header,
  jsonBody,
  linkTo,
  MEMBER_REFUSALS,
  problemAnswer,
  scopedBy,
  VIEWER_HEADERS,
} from '../description.ts';
import { keysOfMember, MOST_INACTIVE, MOST_KEYS, makeKey, readKeyRequest, revokeKey } from './own-keys.ts';

const PATH = '/api/registry/keys';
/** More than any request can have, bytes. */
const MAX_BODY = 4_096;

const LIST = {
  operationId: 'listApiKeys',
  summary: 'List the API keys of your member',
  description: `Valid keys, newest first, then the newest ${MOST_INACTIVE} that are revoked or have expired. \`made_by\` is the key that created it.`,
  responses: {
    200: answer('The keys, without their secrets.', 'ApiKeyList', VIEWER_HEADERS),
    ...MEMBER_REFUSALS,
  },
};
const CREATE = {
  operationId: 'createApiKey',
  summary: 'Create an API key for your member',
  description: `The new key cannot have more scopes than the key that creates it, does not outlive it, and is revoked with it. Limit: ${MOST_KEYS} valid keys. Recorded in the audit log.`,
  requestBody: jsonBody('NewApiKey'),
  responses: {
    201: {
      ...answer('The key, shown only once.', 'MadeApiKey', {
        'Cache-Control': header('no-store'),
        Vary: header('Authorization, for every viewer.'),
      }),
      ...linkTo('revokeApiKey', { id: '$response.body#/id' }),
    },
    ...MEMBER_REFUSALS,
    409: problemAnswer(`The member has ${MOST_KEYS} valid keys, which is the limit. Revoke an unused one.`),
    413: problemAnswer('The body is too large.'),
  },
};
const REVOKE = {
  operationId: 'revokeApiKey',
  summary: 'Revoke an API key and the keys that it created',
  description:
    'A key can revoke itself and the keys that it created, directly or indirectly. A key created by `keys renew` can also revoke those that its predecessor created. Takes effect at once and cannot be undone. Revoking a revoked key changes nothing. Recorded in the audit log, one entry for each key.',
  parameters: [
    {
      ...{ name: 'id', in: 'path', required: true, description: 'The id of the key, without its secret.' },
      schema: { type: 'string', maxLength: 100 },
    },
  ],
  responses: {
    200: answer('The revoked key, with the keys that were revoked with it.', 'RevokedApiKey', VIEWER_HEADERS),
    ...MEMBER_REFUSALS,
    403: problemAnswer(
      'The API key lacks the scope keys, or it is not the key and did not create it (`not_key_maker`). The operator can revoke any key.',
    ),
    404: problemAnswer('Unknown key of this member; the same for a key of another member.'),
  },
};

interface KeyParts {
  readonly records: Pick<Records, 'keys'>;
  readonly clock: Clock;
}

/** GET and POST /api/registry/keys, DELETE …/{id}: the keys of a member, by one of them. */
export function keyOperations(server: FastifyInstance, { records: { keys }, clock }: KeyParts): void {
  server.get(PATH, scopedBy('read', LIST), async (request, reply) => {
    const viewer = requireMemberKey(request, reply);
    refuseParameters(queryText(request), 'API keys');
    const listed = (await keysOfMember(keys, viewer, clock.now())).map(apiKeyRecord);
    return reply.send({ keys: listed, count: listed.length });
  });
  server.post(PATH, { ...scopedBy('keys', CREATE), bodyLimit: MAX_BODY }, async (request, reply) => {
    const viewer = requireMemberKey(request, reply);
    refuseParameters(queryText(request), 'API keys');
    const made = await makeKey(keys, viewer, readKeyRequest(request.body), clock.now());
    return reply.code(201).header('cache-control', 'no-store').send(made);
  });
  server.delete(
    `${PATH}/:id`,
    { ...scopedBy('keys', REVOKE), bodyLimit: MAX_BODY },
    async (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
      const viewer = requireMemberKey(request, reply);
      refuseParameters(queryText(request), 'API keys');
      return reply.send(await revokeKey(keys, viewer, request.params.id, clock.now()));
    },
  );
}
