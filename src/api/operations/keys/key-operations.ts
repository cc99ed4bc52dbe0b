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
import { keysOfMember, MOST_KEYS, MOST_OVER, makeKey, readKeyRequest, revokeKey } from './own-keys.ts';

const PATH = '/api/registry/keys';
/** More than any wish can have, bytes. */
const MAX_BODY = 4_096;

const LIST = {
  operationId: 'listApiKeys',
  summary: 'List the API keys of your member',
  description: `The valid ones, newest first, then the newest ${MOST_OVER} that are revoked or have ended. \`made_by\` is the key that made it.`,
  responses: {
    200: answer('Without their secrets, which nobody keeps.', 'ApiKeyList', VIEWER_HEADERS),
    ...MEMBER_REFUSALS,
  },
};
const CREATE = {
  operationId: 'createApiKey',
  summary: 'Make an API key for your member',
  description: `It has no scope that the key which makes it lacks, does not outlive that one, and is revoked with it. ${MOST_KEYS} can be valid at once. It leaves an audit record.`,
  requestBody: jsonBody('NewApiKey'),
  responses: {
    201: {
      ...answer('The key, shown this once.', 'MadeApiKey', {
        'Cache-Control': header('Nobody keeps it.'),
        Vary: header('Authorization, for every viewer.'),
      }),
      ...linkTo('revokeApiKey', { id: '$response.body#/id' }),
    },
    ...MEMBER_REFUSALS,
    409: problemAnswer(`${MOST_KEYS} keys of the member are valid; revoke one that is not used.`),
    413: problemAnswer('The body is larger than any wish can be.'),
  },
};
const REVOKE = {
  operationId: 'revokeApiKey',
  summary: 'Revoke an API key, and the keys that it made, at once',
  description:
    'A key revokes itself and the keys that it made, directly or not. A key made by `keys renew` also revokes what its predecessor made. This cannot be undone. A revoked key stays as it is. Each revoked key leaves an audit record.',
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
      'The API key has no scope keys, or it neither is nor made the key (`not_key_maker`); the operator revokes any key.',
    ),
    404: problemAnswer('The member has no such key; the same for a key of another member.'),
  },
};

interface KeyParts {
  readonly records: Pick<Records, 'keys'>;
  readonly clock: Clock;
}

/** GET and POST /api/registry/keys, DELETE …/{id}: a member's keys, by one of them. */
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
