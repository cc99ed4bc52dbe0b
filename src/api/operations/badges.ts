import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shownBadge } from '../../compliance/badges/shown-badge.ts';
import { badgeClaims, type ClaimedBy } from '../../compliance/badges/token-claims.ts';
import { BADGE_ROLES, type BadgeRole } from '../../domain/badge.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ComplianceStore } from '../../ports/compliance.ts';
import type { BadgeKeys } from '../../signing/badge-keys.ts';
import { signBadge } from '../../signing/badge-token.ts';
import { entityTag, sendTagged } from '../conditional.ts';
import { agentOf, queryText, readParameters, refuseParameters } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { badgePicture } from '../render/badge-picture.ts';
import {
  describedBy,
  ENCODED_URL,
  ETAG,
  header,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  problemAnswer,
  problems,
} from './description.ts';

export const BADGE_PATH = '/api/registry/agents/:encodedUrl/badge';
const JWKS_PATH = '/.well-known/jwks.json';

const ROLE = { name: 'role', in: 'path', required: true, schema: { type: 'string', enum: BADGE_ROLES } };
const LINE = {
  name: 'line',
  in: 'query',
  description: 'The protocol line; of several badges the newest without it.',
  schema: { type: 'string', pattern: '^\\d{1,4}\\.\\d{1,4}$' },
  example: '3.0',
};
const KEPT_HEADERS = { ETag: ETAG, 'Cache-Control': header('It may be kept and shared for five minutes.') };

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

const PICTURE = {
  operationId: 'getAgentBadge',
  summary: 'Get the badge of one agent for a role, as a picture',
  parameters: [ENCODED_URL, ROLE, IF_NONE_MATCH],
  responses: {
    200: {
      description:
        'What is verified; or "not verified", the same for an agent without the badge, one that opted out and an unknown one.',
      headers: KEPT_HEADERS,
      content: { 'image/svg+xml': { schema: { type: 'string' } } },
    },
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
    404: problemAnswer('There are no badges for such a role.'),
  },
};

const TOKEN = {
  operationId: 'getAgentBadgeToken',
  summary: 'Get the badge of one agent for a role, as a signed token',
  description:
    'A JWS in compact form, EdDSA, typ agent-badge+jwt, that anybody can verify with the keys of /.well-known/jwks.json, for 24 hours.',
  parameters: [ENCODED_URL, ROLE, LINE, IF_NONE_MATCH],
  responses: {
    200: {
      description: 'The token: iss, sub (the agent), iat, exp, and the members of a verified badge.',
      headers: KEPT_HEADERS,
      content: { 'application/jwt': { schema: { type: 'string' } } },
    },
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
    404: problemAnswer(
      'There is no active badge: the same for an agent without it, one that opted out and an unknown one.',
    ),
  },
};

const KEYS = {
  operationId: 'getBadgeKeys',
  summary: 'Get the public keys that tokens of badges are verified with',
  parameters: [IF_NONE_MATCH],
  responses: {
    200: {
      description: 'A JWK set; of keys that were replaced too, while tokens of theirs may be about.',
      headers: KEPT_HEADERS,
      content: { 'application/jwk-set+json': { schema: JWK_SET } },
    },
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
  },
};

export interface BadgeParts {
  readonly records: { readonly compliance: Pick<ComplianceStore, 'state'> };
  readonly clock: Clock;
  readonly keys: BadgeKeys;
  /** Who issues tokens. */
  readonly issuer: string;
}

type Asked = FastifyRequest<{ Params: { encodedUrl: string; role: string } }>;

/** Everybody may keep them for five minutes: so long a badge that was revoked may still be seen. */
const KEPT = { 'cache-control': 'public, max-age=300' } as const;

/** The picture is no page: opened by itself it may load nothing and run nothing. */
const NO_PAGE = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" } as const;

/**
 * GET …/badge/{role}.svg (specification, 2.7), …/badge/{role}/token, and the keys that tokens are verified with: the same
 * for everyone, the owner too.
 */
export function badgeOperations(server: FastifyInstance, parts: BadgeParts): void {
  const { compliance } = parts.records;
  server.get(`${BADGE_PATH}/:role.svg`, describedBy(PICTURE), async (request: Asked, reply) => {
    refuseParameters(queryText(request), 'a badge');
    const { agent, role } = placeOf(request);
    const picture = badgePicture(agent, role, await compliance.state(agent));
    reply.headers(NO_PAGE);
    return send(request, reply, picture, 'image/svg+xml; charset=utf-8');
  });
  server.get(`${BADGE_PATH}/:role/token`, describedBy(TOKEN), async (request: Asked, reply) => {
    const line = lineOf(queryText(request));
    const { agent, role } = placeOf(request);
    const wanted = { role, ...(line !== undefined && { line }) };
    const badge = shownBadge(await compliance.state(agent), wanted);
    if (badge === undefined) throw noBadge();
    const by: ClaimedBy = { issuer: parts.issuer, agent, now: parts.clock.now() };
    const token = await signBadge(parts.keys.signer, badgeClaims(badge, by));
    return send(request, reply, token, 'application/jwt');
  });
  server.get(JWKS_PATH, describedBy(KEYS), async (request, reply) => {
    refuseParameters(queryText(request), 'the JWK set');
    const set = JSON.stringify({ keys: parts.keys.published });
    return send(request, reply, set, 'application/jwk-set+json');
  });
}

function send(request: FastifyRequest, reply: FastifyReply, text: string, mediaType: string): FastifyReply {
  const body = Buffer.from(text);
  reply.headers(KEPT);
  return sendTagged(request, reply, { body, etag: entityTag(body), mediaType });
}

function placeOf({ params }: Asked): { readonly agent: string; readonly role: BadgeRole } {
  const role = BADGE_ROLES.find((one) => one === params.role);
  if (role !== undefined) return { agent: agentOf(params.encodedUrl), role };
  throw new HttpProblem('not_found', 'there are no badges for such a role', {
    parameter: 'role',
    validValues: BADGE_ROLES,
  });
}

function lineOf(text: string): string | undefined {
  const line = readParameters(text, ['line'], 'the token of a badge').get('line');
  if (line === undefined || /^\d{1,4}\.\d{1,4}$/.test(line)) return line;
  throw new HttpProblem('invalid_value', 'a protocol line is expected, such as 3.0', { parameter: 'line' });
}

/** One answer for a badge that was never earned or is revoked, an agent that opted out, and one never heard of. */
function noBadge(): HttpProblem {
  return new HttpProblem('not_found', 'the registry has no active badge for this');
}
