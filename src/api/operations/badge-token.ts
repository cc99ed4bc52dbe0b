import type { FastifyInstance } from 'fastify';
import { type Badge, shownBadge } from '../../domain/badge.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ComplianceStore } from '../../ports/compliance.ts';
import type { BadgeClaims } from '../../signing/badge-claims.ts';
import type { BadgeKeys } from '../../signing/badge-keys.ts';
import { BADGE_TOKEN_LIFETIME, signBadge } from '../../signing/badge-token.ts';
import { queryText, readParameters, refuseParameters } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { BADGE_PATH, type BadgeRequest, badgeOf, KEPT_HEADERS, ROLE, sendBadge } from './badge-request.ts';
import {
  describedBy,
  ENCODED_URL,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  problemAnswer,
  problems,
} from './description.ts';

const JWKS_PATH = '/.well-known/jwks.json';

const LINE = {
  name: 'line',
  in: 'query',
  description: 'The protocol line; of several badges the newest without it.',
  schema: { type: 'string', pattern: '^\\d{1,4}\\.\\d{1,4}$' },
  example: '3.0',
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

export interface BadgeTokenParts {
  readonly records: { readonly compliance: Pick<ComplianceStore, 'state'> };
  readonly clock: Clock;
  readonly keys: BadgeKeys;
  /** Who issues tokens. */
  readonly issuer: string;
}

/** GET …/badge/{role}/token, and the keys that tokens are verified with: the same for everyone, the owner too. */
export function badgeTokenOperations(
  server: FastifyInstance,
  { records: { compliance }, clock, keys, issuer }: BadgeTokenParts,
): void {
  server.get(`${BADGE_PATH}/:role/token`, describedBy(TOKEN), async (request: BadgeRequest, reply) => {
    const line = lineOf(queryText(request));
    const { agent, role } = badgeOf(request);
    const wanted = { role, ...(line !== undefined && { line }) };
    const badge = shownBadge(await compliance.state(agent), wanted);
    if (badge === undefined) throw noBadge();
    const by: ClaimedBy = { issuer, agent, now: clock.now() };
    const token = await signBadge(keys.signer, badgeClaims(badge, by));
    return sendBadge(request, reply, token, 'application/jwt');
  });
  server.get(JWKS_PATH, describedBy(KEYS), async (request, reply) => {
    refuseParameters(queryText(request), 'the JWK set');
    const set = JSON.stringify({ keys: keys.published });
    return sendBadge(request, reply, set, 'application/jwk-set+json');
  });
}

function lineOf(text: string): string | undefined {
  const line = readParameters(text, ['line'], 'the token of a badge').get('line');
  if (line === undefined || /^\d{1,4}\.\d{1,4}$/.test(line)) return line;
  throw new HttpProblem('invalid_value', 'a protocol line is expected, such as 3.0', { parameter: 'line' });
}

/** One answer for a badge that was never earned or is revoked, an agent that opted out, and an unknown one. */
function noBadge(): HttpProblem {
  return new HttpProblem('not_found', 'the registry has no active badge for this');
}

const HOUR = 3_600;

interface ClaimedBy {
  /** The registry. */
  readonly issuer: string;
  /** Canonical URL. */
  readonly agent: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * What the token of an active badge says. It is issued at the beginning of the hour, or when the badge was earned in
 * this hour, so that it is the same token for everybody until the next, and ends a day after that.
 */
function badgeClaims(badge: Badge, { issuer, agent, now }: ClaimedBy): BadgeClaims {
  const seconds = Math.floor(now / 1_000);
  const earned = Math.min(seconds, Math.floor(badge.verifiedAt / 1_000));
  const iat = Math.max(seconds - (seconds % HOUR), earned);
  return {
    iss: issuer,
    sub: agent,
    iat,
    exp: iat + BADGE_TOKEN_LIFETIME,
    role: badge.role,
    verified_protocol_version: badge.line,
    proto_version: badge.protoVersion,
    verified_at: new Date(badge.verifiedAt).toISOString(),
    verified_specialisms: badge.specialisms,
    verification_modes: badge.axes,
  };
}
