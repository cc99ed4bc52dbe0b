import type { FastifyInstance } from 'fastify';
import { type Badge, shownBadge } from '../../domain/badge.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ComplianceStore } from '../../records/runs/compliance-store.ts';
import type { BadgeClaims } from '../../signing/badge-claims.ts';
import type { BadgeKeySource } from '../../signing/badge-key-source.ts';
import { BADGE_TOKEN_LIFETIME, signBadge } from '../../signing/badge-token.ts';
import { queryText, readParameters } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import {
  BADGE_PATH,
  type BadgeRequest,
  badgeOf,
  KEPT_HEADERS,
  LINE_IN_QUERY,
  protocolLine,
  ROLE,
  sendBadge,
} from './badge-request.ts';
import {
  describedBy,
  ENCODED_URL,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  problemAnswer,
  problems,
} from './description.ts';

const TOKEN = {
  operationId: 'getAgentBadgeToken',
  summary: 'Get a badge as a signed token',
  description:
    'A JWS in compact form (EdDSA, typ agent-badge+jwt), valid for 24 hours. Verify it with the keys of /.well-known/jwks.json.',
  parameters: [ENCODED_URL, ROLE, LINE_IN_QUERY, IF_NONE_MATCH],
  responses: {
    200: {
      description:
        'The token, with the claims iss, sub (the agent), iat and exp, and the fields of a verified badge.',
      headers: KEPT_HEADERS,
      content: { 'application/jwt': { schema: { type: 'string' } } },
    },
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
    404: problemAnswer(
      'No active badge: the same for an agent without this badge, one that opted out and an unknown one.',
    ),
  },
};

export interface BadgeTokenParts {
  readonly records: { readonly compliance: Pick<ComplianceStore, 'state'> };
  readonly clock: Clock;
  readonly keys: BadgeKeySource;
  /** Who issues tokens. */
  readonly issuer: string;
}

/** GET …/badge/{role}/token: the same for everyone, the owner too. */
export function badgeTokenOperation(
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
    const { signer } = await keys();
    const token = await signBadge(signer, badgeClaims(badge, by));
    return sendBadge(request, reply, token, 'application/jwt');
  });
}

function lineOf(text: string): string | undefined {
  const line = readParameters(text, ['line'], 'the token of a badge').get('line');
  return line === undefined ? undefined : protocolLine(line, 'line');
}

/** The same for a badge that was never earned or is revoked, an agent that opted out, and an unknown one. */
function noBadge(): HttpProblem {
  return new HttpProblem('not_found', 'this agent has no active badge for this role');
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
 * The claims of the token of an active badge. It is issued at the beginning of the hour, or when the badge was earned in
 * this hour, so every caller gets the same token until the next hour. It expires a day after that.
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
