import { BADGE_ROLES } from '../domain/badge.ts';
import {
  answer,
  CACHE_CONTROL,
  ENCODED_URL,
  ETAG,
  header,
  IF_NONE_MATCH,
  type Json,
  NOT_MODIFIED,
  problemAnswer,
  problems,
} from './openapi-parts.ts';

const ROLE = { name: 'role', in: 'path', required: true, schema: { type: 'string', enum: BADGE_ROLES } };
const LINE = {
  name: 'line',
  in: 'query',
  description: 'The protocol line; of several badges the newest without it.',
  schema: { type: 'string', pattern: '^\\d{1,4}\\.\\d{1,4}$' },
  example: '3.0',
};
const LIMIT = {
  name: 'limit',
  in: 'query',
  description: 'At most so many events.',
  schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
};
const CURSOR = {
  name: 'cursor',
  in: 'query',
  description: 'The next_cursor of the page before.',
  schema: { type: 'string', minLength: 1, maxLength: 100 },
};
const KEPT = { ETag: ETAG, 'Cache-Control': header('It may be kept and shared for five minutes.') };

/** The operations about badges; the answers are the same for every viewer. */
export function badgePaths(): Json {
  return {
    '/api/registry/agents/{encodedUrl}/compliance/badges': timeline(),
    '/api/registry/agents/{encodedUrl}/badge/{role}.svg': picture(),
    '/api/registry/agents/{encodedUrl}/badge/{role}/token': token(),
    '/.well-known/jwks.json': jwks(),
  };
}

function timeline(): Json {
  return {
    get: {
      operationId: 'listBadgeEvents',
      summary: 'List the badges of one agent, and why each came or went',
      parameters: [ENCODED_URL, LIMIT, CURSOR, IF_NONE_MATCH],
      responses: {
        200: answer('The active badges, and a page of the timeline, newest first.', 'BadgeTimeline', {
          ETag: ETAG,
          'Cache-Control': CACHE_CONTROL,
        }),
        304: NOT_MODIFIED,
        ...problems(400, 401, 404, 429, 500, 503),
      },
    },
  };
}

function picture(): Json {
  return {
    get: {
      operationId: 'getAgentBadge',
      summary: 'Get the badge of one agent for a role, as a picture',
      parameters: [ENCODED_URL, ROLE, IF_NONE_MATCH],
      responses: {
        200: {
          description:
            'What is verified; or "not verified", the same for an agent without the badge, one that opted out and an unknown one.',
          headers: KEPT,
          content: { 'image/svg+xml': { schema: { type: 'string' } } },
        },
        304: NOT_MODIFIED,
        ...problems(400, 401, 429, 500, 503),
        404: problemAnswer('There are no badges for such a role.'),
      },
    },
  };
}

function token(): Json {
  return {
    get: {
      operationId: 'getAgentBadgeToken',
      summary: 'Get the badge of one agent for a role, as a signed token',
      description:
        'A JWS in compact form, EdDSA, typ agent-badge+jwt, that anybody can verify with the keys of /.well-known/jwks.json, for 24 hours.',
      parameters: [ENCODED_URL, ROLE, LINE, IF_NONE_MATCH],
      responses: {
        200: {
          description: 'The token: iss, sub (the agent), iat, exp, and the members of a verified badge.',
          headers: KEPT,
          content: { 'application/jwt': { schema: { type: 'string' } } },
        },
        304: NOT_MODIFIED,
        ...problems(400, 401, 429, 500, 503),
        404: problemAnswer(
          'There is no active badge: the same for an agent without it, one that opted out and an unknown one.',
        ),
      },
    },
  };
}

const JWK_SET = {
  type: 'object',
  required: ['keys'],
  additionalProperties: false,
  properties: {
    keys: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['kty', 'crv', 'x', 'kid', 'alg', 'use', 'key_ops'],
        not: { required: ['d'] },
      },
    },
  },
};

function jwks(): Json {
  return {
    get: {
      operationId: 'getBadgeKeys',
      summary: 'Get the public keys that tokens of badges are verified with',
      parameters: [IF_NONE_MATCH],
      responses: {
        200: {
          description: 'A JWK set; of keys that were replaced too, while tokens of theirs may be about.',
          headers: KEPT,
          content: { 'application/jwk-set+json': { schema: JWK_SET } },
        },
        304: NOT_MODIFIED,
        ...problems(400, 401, 429, 500, 503),
      },
    },
  };
}
