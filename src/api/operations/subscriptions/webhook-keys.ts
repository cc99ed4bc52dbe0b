import type { FastifyInstance } from 'fastify';
import type { Jwk } from '../../../signing/public-key.ts';
import { queryText, refuseParameters } from '../../parameters.ts';
import { PUBLIC_KEYS } from '../badge-keys.ts';
import { KEPT_HEADERS, sendBadge } from '../badge-request.ts';
import { describedBy, IF_NONE_MATCH, NOT_MODIFIED, problems } from '../description.ts';

const JWK_SET = {
  type: 'object',
  required: ['keys'],
  additionalProperties: false,
  properties: { keys: PUBLIC_KEYS },
};
const KEYS = {
  operationId: 'getWebhookKeys',
  summary: 'Get the public keys that wake-ups are verified with',
  parameters: [IF_NONE_MATCH],
  responses: {
    200: {
      description: 'A JWK set, for webhooks and nothing else.',
      headers: KEPT_HEADERS,
      content: { 'application/jwk-set+json': { schema: JWK_SET } },
    },
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
  },
};

/**
 * GET /.well-known/webhook-keys.json. A set of its own: common verifiers of badge tokens take any key of a set, whatever
 * it is for, and badge keys may be kept where nobody who reads the records gets them.
 */
export function webhookKeysOperation(server: FastifyInstance, keys: readonly Jwk[]): void {
  const text = JSON.stringify({ keys });
  server.get('/.well-known/webhook-keys.json', describedBy(KEYS), (request, reply) => {
    refuseParameters(queryText(request), 'the JWK set');
    return sendBadge(request, reply, text, 'application/jwk-set+json');
  });
}
