import type { FastifyReply, FastifyRequest } from 'fastify';
import { BADGE_ROLES, type BadgeRole } from '../../domain/badge.ts';
import { entityTag, sendTagged } from '../answers.ts';
import { agentOf } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { ETAG, header } from './description.ts';

export const BADGE_PATH = '/api/registry/agents/:encodedUrl/badge';

export const ROLE = {
  name: 'role',
  in: 'path',
  required: true,
  schema: { type: 'string', enum: BADGE_ROLES },
};
export const KEPT_HEADERS = {
  ETag: ETAG,
  'Cache-Control': header('It may be kept and shared for five minutes.'),
};

/** A request about the badge of an agent for a role. */
export type BadgeRequest = FastifyRequest<{ Params: { encodedUrl: string; role: string } }>;

/** The badge that a request is about. Throws HttpProblems. */
export function badgeOf({ params }: BadgeRequest): { readonly agent: string; readonly role: BadgeRole } {
  const role = BADGE_ROLES.find((one) => one === params.role);
  if (role !== undefined) return { agent: agentOf(params.encodedUrl), role };
  throw new HttpProblem('not_found', 'there are no badges for such a role', {
    parameter: 'role',
    validValues: BADGE_ROLES,
  });
}

/** Everybody may keep it for five minutes: so long a badge that was revoked may still be seen. */
export function sendBadge(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  mediaType: string,
): FastifyReply {
  const body = Buffer.from(text);
  reply.header('cache-control', 'public, max-age=300');
  return sendTagged(request, reply, { body, etag: entityTag(body), mediaType });
}
